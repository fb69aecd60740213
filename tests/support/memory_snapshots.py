"""A snapshot source in memory, for tests: edges read what `put_…` stored."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence

from common.snapshot.messages import Delta, FullState, Heartbeat
from edge.ports import SnapshotSourceUnavailable


class MemorySnapshotSource:
    """`put_…` and `ring` play the control plane; `away` simulates a lost server."""

    def __init__(self) -> None:
        self.is_unavailable = False
        self.reports: dict[str, bytes] = {}
        self.reports_failed = 0
        self._head: Heartbeat | None = None
        self._full: FullState | None = None
        self._deltas: dict[int, Delta] = {}
        self._subscriptions: list[asyncio.Queue[Heartbeat | Delta | None]] = []

    @property
    def listeners_count(self) -> int:
        return len(self._subscriptions)

    def put_head(self, head: Heartbeat) -> None:
        self._head = head

    def put_full(self, full: FullState) -> None:
        self._full = full

    def put_delta(self, delta: Delta) -> None:
        self._deltas[delta.version] = delta

    def forget_deltas(self) -> None:
        self._deltas.clear()

    def notify(self, message: Heartbeat | Delta) -> None:
        for queue in self._subscriptions:
            queue.put_nowait(message)

    def drop_subscriptions(self) -> None:
        for queue in self._subscriptions:
            queue.put_nowait(None)

    async def head(self) -> Heartbeat | None:
        self._check()
        return self._head

    async def full(self) -> FullState | None:
        self._check()
        return self._full

    async def deltas(self, after: int, through: int) -> Sequence[Delta] | None:
        self._check()
        found = [self._deltas.get(version) for version in range(after + 1, through + 1)]
        kept = [delta for delta in found if delta is not None]
        return kept if len(kept) == len(found) else None

    async def subscribe(self) -> AsyncGenerator[Heartbeat | Delta, None]:
        self._check()
        queue: asyncio.Queue[Heartbeat | Delta | None] = asyncio.Queue()
        self._subscriptions.append(queue)
        try:
            while (message := await queue.get()) is not None:
                yield message
        finally:
            self._subscriptions.remove(queue)

    async def report(self, statuses: Mapping[str, bytes]) -> bool:
        if self.is_unavailable:
            self.reports_failed += 1
            return False
        self.reports.update(statuses)
        return True

    async def close(self) -> None: ...

    def _check(self) -> None:
        if self.is_unavailable:
            raise SnapshotSourceUnavailable("it is away")
