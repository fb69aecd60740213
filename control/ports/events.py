"""Interface to the event log, as ingest reads it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class EventSourceUnavailable(Exception):
    """The log cannot be read now; ingest retries, and skips nothing."""


class RawRecord(NamedTuple):
    """One message: its position and its unparsed bytes, which may be malformed."""

    position: int
    """Kafka: the offset. Redis Streams: milliseconds * 2^20 + the number in the entry id."""
    raw: bytes


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Consecutive messages of one partition."""

    partition: int
    records: tuple[RawRecord, ...]


class EventSource(Protocol):
    """
    Event log, as ingest reads it. Positions are stored in PostgreSQL, in the transaction that stores the rows.

    The log's own committed offsets are only for operators' tools and are never read.
    """

    async def generation(self) -> str:
        """
        Identifies the log and its content; positions of another generation are meaningless.

        Raises `EventSourceUnavailable`.
        """
        ...

    async def assigned(self) -> frozenset[int]:
        """
        Partitions that this process may read now; they may change between calls. A partition that was lost and regained
        in between is left out once, so that the caller seeks it again. Raises `EventSourceUnavailable`.
        """
        ...

    async def seek(self, partition: int, after: int | None) -> None:
        """
        Continues *partition* after position *after*. None, or a position older than the log's oldest record, continues
        at the oldest record. Raises `EventSourceUnavailable`.
        """
        ...

    async def poll(
        self, *, most: int, wait_ms: int, only: Collection[int] | None = None
    ) -> Sequence[RawBatch]:
        """
        Returns at most *most* records of the assigned partitions that were sought, or of those in *only*.

        Empty after *wait_ms*. Concurrent polls must have no partition in common.
        Raises `EventSourceUnavailable`.
        """
        ...

    def silent(self) -> frozenset[int]:
        """
        Partitions of which recent polls received nothing for seconds, not even that there is no record. Polls give
        the others' records meanwhile.
        """
        ...

    async def settle(self, partition: int, through: int, written: dict[str, int]) -> None:
        """
        Reports a commit: the log may drop records up to and including *through*. *written* maps each spool writer to
        its highest sequence committed without a gap. A failure is harmless, because the next batch repeats the report.
        """
        ...

    async def close(self) -> None: ...
