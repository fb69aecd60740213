"""
Counts the records that a writer has appended, by the hour of their own timestamps. They are reported now and then, for
reconciliation.
"""

from collections import Counter
from collections.abc import Iterable

from common.tracking.event import RecordBody

HOUR_MS = 3_600_000
_MAX_REPORTED = 48


class AppendCounters:
    def __init__(self) -> None:
        self._hours: Counter[int] = Counter()
        self._reported: dict[int, int] = {}

    def count(self, bodies: Iterable[RecordBody]) -> None:
        self._hours.update([body.at_ms // HOUR_MS for body in bodies])

    def changes_with(self, at_ms: int) -> tuple[tuple[int, int], ...]:
        """
        (hour since the epoch, records so far) of hours that grew since `mark_reported`, the newest of them. Includes
        the record of *at_ms* that is about to report them.
        """
        hours = self._hours.copy()
        hours[at_ms // HOUR_MS] += 1
        grown = [one for one in hours.items() if self._reported.get(one[0]) != one[1]]
        return tuple(sorted(grown)[-_MAX_REPORTED:])

    def mark_reported(self, changes: Iterable[tuple[int, int]]) -> None:
        self._reported.update(changes)
