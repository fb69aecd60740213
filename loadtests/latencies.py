"""Times of many calls in little memory: a histogram whose classes are two percent wide."""

from collections import Counter
from collections.abc import Iterable
from math import ceil, log

_STEP = log(1.02)


class Latencies:
    """In milliseconds; times below a tenth of one count as that."""

    def __init__(self) -> None:
        self._classes = Counter[int]()

    def add(self, ms: float) -> None:
        self._classes[ceil(log(max(ms, 0.1)) / _STEP)] += 1

    def take(self) -> list[tuple[int, int]]:
        """Returns pairs of a class and its calls, for `merge` in another process, and is empty afterwards."""
        taken, self._classes = list(self._classes.items()), Counter[int]()
        return taken

    def merge(self, taken: Iterable[tuple[int, int]]) -> None:
        """*taken*: what `take` returned."""
        for number, count in taken:
            self._classes[number] += count

    def __len__(self) -> int:
        return self._classes.total()

    def percentile(self, share: float) -> float:
        """The time within which *share* of the calls ended, at most two percent too long; 0 without calls."""
        left = share * len(self)
        for number, count in sorted(self._classes.items()):
            left -= count
            if left <= 0:
                return float(1.02**number)
        return 0.0
