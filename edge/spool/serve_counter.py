"""Counts fills and calls by row, country and device without creating an object for each (`serve_counter.c`)."""

from collections import Counter
from typing import Final, final

_MOST: Final = 12_288

Row = tuple[str, ...]
Counted = tuple[Row, str | None, str | None, int]


@final
class GroupedCounter:
    """
    Keys here compare *row*, country and device by value; the C version compares them by identity. The same text may
    therefore appear twice in `take`.
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple[Row, str | None, str | None]] = Counter()

    def add(self, row: Row, country: str | None, device: str | None, /) -> bool:
        """Counts one more. False if there is no room for another key; then nothing was counted."""
        key = (row, country, device)
        if key not in self._counts and len(self._counts) >= _MOST:
            return False
        self._counts[key] += 1
        return True

    def take(self) -> list[Counted]:
        """All counts since the last call."""
        taken, self._counts = self._counts, Counter()
        return [(*key, count) for key, count in taken.items()]
