"""`MemoryEventSource`: an event log in a list, for tests."""

import asyncio
from collections.abc import Collection, Sequence

from common.service.channels import LOG_PARTITIONS
from control.ports.events import EventSourceUnavailable, RawBatch, RawRecord


class MemoryEventSource:
    """
    ``is_unavailable`` makes every call fail, ``silent_ones`` are partitions without a response; ``restart_empty``
    simulates a log that was recreated.
    """

    def __init__(self, partitions: int = LOG_PARTITIONS) -> None:
        self.is_unavailable = False
        self.silent_ones: frozenset[int] = frozenset()
        self.settled: dict[str, int] = {}
        self._logs: list[list[RawRecord]] = [[] for _ in range(partitions)]
        self._next: dict[int, int] = {}
        self._generation = 1
        self._arrived = asyncio.Event()

    def append(self, partition: int, raw: bytes) -> None:
        log = self._logs[partition]
        log.append(RawRecord(log[-1].position + 1 if log else 0, raw))
        self._arrived.set()

    def restart_empty(self) -> None:
        self._generation += 1
        self._logs = [[] for _ in self._logs]
        self._next = {}

    async def generation(self) -> str:
        self._check()
        return f"memory/{self._generation}"

    async def assigned(self) -> frozenset[int]:
        self._check()
        return frozenset(range(len(self._logs)))

    async def seek(self, partition: int, after: int | None) -> None:
        self._check()
        newest = self._logs[partition][-1].position if self._logs[partition] else -1
        self._next[partition] = 0 if after is None or after > newest else after + 1

    async def poll(
        self, *, most: int, wait_ms: int, only: Collection[int] | None = None
    ) -> Sequence[RawBatch]:
        self._check()
        found = self._read(most, only)
        if not found:
            self._arrived.clear()
            try:
                async with asyncio.timeout(wait_ms / 1000):
                    await self._arrived.wait()
            except TimeoutError:
                return []
            found = self._read(most, only)
        return found

    def silent(self) -> frozenset[int]:
        return self.silent_ones

    async def settle(self, partition: int, through: int, written: dict[str, int]) -> None:
        self.settled |= written
        self._logs[partition] = [
            one for one in self._logs[partition][:-1] if one.position > through
        ] + (self._logs[partition][-1:])

    async def close(self) -> None:
        self.is_unavailable = True

    def _read(self, most: int, only: Collection[int] | None) -> list[RawBatch]:
        batches = []
        for partition, position in self._next.items():
            if only is not None and partition not in only:
                continue
            records = [one for one in self._logs[partition] if one.position >= position][:most]
            if records:
                most -= len(records)
                self._next[partition] = records[-1].position + 1
                batches.append(RawBatch(partition, tuple(records)))
        return batches

    def _check(self) -> None:
        if self.is_unavailable:
            raise EventSourceUnavailable("the memory log is set to be unavailable")
