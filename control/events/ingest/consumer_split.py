"""
Shares one reader of the log among several consumers of this process, each with its own partitions and transactions.

While one consumer waits for PostgreSQL, another computes; the log sees one group member instead of many. A partition
always belongs to the same consumer: after a handover, it could be read by a consumer that no longer stores it.
"""

from collections.abc import Collection, Sequence

from common.service.channels import LOG_PARTITIONS
from control.ports.events import EventSource, RawBatch


class SharedSource:
    """
    *shares*: number of consumers, at most the number of partitions.

    Each consumer takes one `share`, used by no other.
    """

    def __init__(self, source: EventSource, shares: int) -> None:
        self.source = source
        self._shares = shares
        self._known: frozenset[int] = frozenset()
        self._left_out: set[int] = set()

    def share(self, number: int) -> "ConsumerShare":
        return ConsumerShare(self, number)

    def owner_of(self, partition: int) -> int:
        """Partitions are assigned in blocks, because the log deals them out to processes in turn."""
        return partition * self._shares // LOG_PARTITIONS

    async def assigned_to(self, number: int) -> frozenset[int]:
        """
        Leaves out once each partition that was lost and came back in between, whichever consumer saw it, as the port
        demands.
        """
        found = await self.source.assigned()
        self._left_out |= self._known - found
        self._known = found
        left_out = {one for one in self._left_out if self.owner_of(one) == number}
        self._left_out -= left_out
        return frozenset(one for one in found if self.owner_of(one) == number) - left_out


class ConsumerShare:
    """The source as one of the consumers sees it."""

    def __init__(self, shared: SharedSource, number: int) -> None:
        self._shared = shared
        self._number = number
        self._mine: frozenset[int] = frozenset()

    async def generation(self) -> str:
        return await self._shared.source.generation()

    async def assigned(self) -> frozenset[int]:
        self._mine = await self._shared.assigned_to(self._number)
        return self._mine

    async def seek(self, partition: int, after: int | None) -> None:
        await self._shared.source.seek(partition, after)

    async def poll(
        self, *, most: int, wait_ms: int, only: Collection[int] | None = None
    ) -> Sequence[RawBatch]:
        wanted = self._mine if only is None else self._mine.intersection(only)
        return await self._shared.source.poll(most=most, wait_ms=wait_ms, only=wanted)

    def silent(self) -> frozenset[int]:
        return self._shared.source.silent() & self._mine

    async def settle(self, partition: int, through: int, written: dict[str, int]) -> None:
        await self._shared.source.settle(partition, through, written)

    async def close(self) -> None:
        """Does nothing: the code that opened the source closes it."""
