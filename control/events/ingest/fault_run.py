"""
Distinguishes a fault of single records from one that hits every record, for example of a new release.

Records that fail become dead letters, but not the whole log: ingest must stop where its code is at fault. The rule: at
least `MOST` records of at least two partitions, or `MOST_OF_ONE` of one, were tried alone and failed, and no event or
conversion was stored or could have been stored since the first of them. One partition needs more of them, because one
faulty edge may fill it. Counters are no proof of the contrary: much less is done with them.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

MOST = 20
"""Records that fail one after the other before the fault is no longer theirs. So many are tried of a failing poll."""
MOST_OF_ONE = 200
"""The same, where all of them are of one partition. Those before become dead letters, which can be replayed."""
_PARTITIONS = 2
_T = TypeVar("_T")


class EveryRecordFails(Exception):
    """No record can be stored, whatever it holds. Those that were not stored yet stay in the log."""


class FaultRun:
    """The places of records that failed since the last one that could be stored."""

    def __init__(self) -> None:
        self._positions: dict[int, set[int]] = {}
        """By partition, at most `MOST_OF_ONE` each."""
        self._samples = 0

    def clear(self) -> None:
        """Call it where a record could be stored."""
        self._positions.clear()

    def add(self, partition: int, position: int) -> None:
        """A record that is added again counts once."""
        found = self._positions.setdefault(partition, set())
        if len(found) < MOST_OF_ONE:
            found.add(position)

    def check(self, refusal: str) -> None:
        """*refusal*: why the last record failed. Raises `EveryRecordFails`."""
        failed = sum(map(len, self._positions.values()))
        partitions = len(self._positions)
        if failed >= (MOST if partitions >= _PARTITIONS else MOST_OF_ONE):
            raise EveryRecordFails(
                f"{failed} records of {partitions} partition(s) failed one after the other and none could be "
                f"stored, so the fault is not in the records: {refusal}. They stay in the log and are tried again. "
                "Install a release without the fault, or the one before."
            )

    def sample(self, records: Sequence[_T]) -> Iterable[_T]:
        """`MOST` of *records*, evenly spread, or all; others each time, so that none is left out for ever."""
        self._samples += 1
        count = min(MOST, len(records))
        places = (self._samples + each * len(records) // count for each in range(count))
        return [records[place % len(records)] for place in places]
