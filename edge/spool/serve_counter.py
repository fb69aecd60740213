"""Counts by who was shown what, taken out now and then: what is counted without an object made for it (``tally.c``)."""

from collections import Counter
from typing import Final, final

_MOST: Final = 12_288

Row = tuple[str, ...]
Counted = tuple[Row, str | None, str | None, int]


@final
class GroupedCounter:
    """*row*, country and device are told by what they are, not by what they say: the same text may come twice."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Row, str | None, str | None]] = Counter()

    def add(self, row: Row, country: str | None, device: str | None, /) -> bool:
        """One more; False where there is no room for another kind, and nothing was counted."""
        key = (row, country, device)
        if key not in self._counts and len(self._counts) >= _MOST:
            return False
        self._counts[key] += 1
        return True

    def take(self) -> list[Counted]:
        """All since the last time."""
        taken, self._counts = self._counts, Counter()
        return [(*key, count) for key, count in taken.items()]
