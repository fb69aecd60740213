"""The event log, read by ingest."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class EventSourceUnavailable(Exception):
    """The log cannot be read now; ingest waits and asks again, nothing is skipped."""


class RawRecord(NamedTuple):
    """One message: where it stood and its bytes, not parsed yet, for it may be poison."""

    position: int
    """Kafka: offset. Redis Streams: milliseconds * 2^20 + number of the entry id."""
    raw: bytes


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Consecutive messages of one partition."""

    partition: int
    records: tuple[RawRecord, ...]


class EventSource(Protocol):
    """
    The event log seen from ingest. Positions live in PostgreSQL, in the transaction of the rows: the log's own
    committed offsets are a courtesy to operators' tools, never asked for.
    """

    async def generation(self) -> str:
        """
        Names the log and what it holds: positions of another generation mean nothing. Raises
        `EventSourceUnavailable`.
        """
        ...

    async def assigned(self) -> frozenset[int]:
        """
        Partitions this process may read now. May change between calls; one that was lost and came back in between
        is left out once, so that it is sought again. Raises `EventSourceUnavailable`.
        """
        ...

    async def seek(self, partition: int, after: int | None) -> None:
        """
        Continue *partition* behind position *after*; None, or where the log no longer reaches so far: from the
        oldest kept. Raises `EventSourceUnavailable`.
        """
        ...

    async def poll(
        self, *, most: int, wait_ms: int, only: Collection[int] | None = None
    ) -> Sequence[RawBatch]:
        """
        At most *most* records over all assigned, sought partitions, or those of them in *only*; empty after *wait_ms*.
        Two polls at a time have no partition in common.

        Raises `EventSourceUnavailable`.
        """
        ...

    async def settle(self, partition: int, through: int, written: dict[str, int]) -> None:
        """
        After the commit: the log may drop what lies at or before *through*; *written* maps a spool writer to the
        highest sequence committed without a gap. Failing is harmless: it is repeated with the next batch.
        """
        ...

    async def close(self) -> None: ...
