"""An event log in memory, for tests, which can read ``records``."""

from collections.abc import Sequence

from common.tracking.event import LogRecord, WriterId
from common.tracking.record import EncodedRecord, parse_record, raw_of
from edge.ports import EventLogUnavailable


class MemoryEventLog:
    """``away = True`` makes every call raise; ``settles = False`` keeps everything unsettled."""

    def __init__(self) -> None:
        self.records: list[LogRecord] = []
        self.is_unavailable = False
        self.settles = True
        self._generation = 1

    async def append(self, records: Sequence[LogRecord | EncodedRecord]) -> None:
        self._check()
        self.records.extend(parse_record(raw_of(record)) for record in records)

    async def settled(self, writer: WriterId, appended: int) -> int:  # noqa: ARG002 - the port's
        self._check()
        return appended if self.settles else 0

    async def generation(self) -> str:
        self._check()
        return str(self._generation)

    async def close(self) -> None:
        self.is_unavailable = True

    def lose(self) -> None:
        """Deletes all records and starts a new generation."""
        self.records.clear()
        self._generation += 1

    def _check(self) -> None:
        if self.is_unavailable:
            raise EventLogUnavailable
