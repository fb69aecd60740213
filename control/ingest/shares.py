"""
One reader of the log for several consumers of this process, each with partitions and transactions of its own.

While one of them waits for PostgreSQL another computes, and the log sees one member of its group, not many.
"""

from collections.abc import Collection, Sequence

from control.ports.events import EventSource, RawBatch


class SharedSource:
    """*shares*: how many consumers; each takes the partitions of its `share` and no others."""

    def __init__(self, source: EventSource, shares: int) -> None:
        self.source = source
        self._owners: dict[int, int] = {}
        self._left_out: list[set[int]] = [set() for _ in range(shares)]

    def share(self, number: int) -> "Share":
        return Share(self, number)

    async def assigned_to(self, number: int) -> frozenset[int]:
        """What the log assigns is dealt out in turn; what changed hands since is left out once, as the port says."""
        found = sorted(await self.source.assigned())
        owners = {one: place % len(self._left_out) for place, one in enumerate(found)}
        for partition, owner in self._owners.items():
            if owners.get(partition) != owner:
                self._left_out[owner].add(partition)
        self._owners = owners
        mine = frozenset(one for one, owner in owners.items() if owner == number)
        left_out, self._left_out[number] = self._left_out[number], set()
        return mine - left_out


class Share:
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

    async def settle(self, partition: int, through: int, written: dict[str, int]) -> None:
        await self._shared.source.settle(partition, through, written)

    async def close(self) -> None:
        """The source is closed by who opened it."""
