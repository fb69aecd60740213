"""A snapshot channel in memory, for tests, which can inspect what was put."""

from collections.abc import Collection, Mapping

from common.snapshot.messages import Delta, FullState, Heartbeat
from common.values.environment import Environment
from control.ports.snapshots import SnapshotChannelUnavailable


class MemorySnapshotChannel:
    """`away` simulates an unavailable server, `forget` a server that lost its data."""

    def __init__(self, *, ring: int = 1000) -> None:
        self.is_unavailable = False
        self.heads: dict[Environment, Heartbeat] = {}
        self.fulls: dict[Environment, FullState] = {}
        self.deltas: dict[tuple[Environment, int], Delta] = {}
        self.rung: list[tuple[Environment, Heartbeat | Delta]] = []
        self.workers: dict[Environment, dict[str, bytes]] = {}
        self._ring = ring

    def forget(self) -> None:
        self.heads.clear()
        self.fulls.clear()
        self.deltas.clear()

    async def put_full(self, environment: Environment, full: FullState) -> None:
        self._check()
        self.fulls[environment] = full

    async def put_delta(self, environment: Environment, delta: Delta) -> None:
        self._check()
        self.deltas[(environment, delta.version)] = delta
        self.deltas.pop((environment, delta.version - self._ring), None)
        self.heads[environment] = Heartbeat(delta.epoch, delta.version, delta.digest, delta.at_ms)
        self.rung.append((environment, delta))

    async def beat(self, environment: Environment, beat: Heartbeat) -> None:
        self._check()
        self.heads[environment] = beat
        self.rung.append((environment, beat))

    async def find_head(self, environment: Environment) -> Heartbeat | None:
        self._check()
        return self.heads.get(environment)

    async def has_full(self, environment: Environment, epoch: str) -> int | None:
        self._check()
        full = self.fulls.get(environment)
        return full.version if full and full.epoch == epoch else None

    async def has_deltas(self, environment: Environment, after: int, through: int) -> bool:
        self._check()
        return all((environment, v) in self.deltas for v in range(after + 1, through + 1))

    async def find_workers(self, environment: Environment) -> Mapping[str, bytes]:
        self._check()
        return dict(self.workers.get(environment, {}))

    async def remove_workers(self, environment: Environment, names: Collection[str]) -> None:
        self._check()
        for name in names:
            self.workers.get(environment, {}).pop(name, None)

    async def close(self) -> None: ...

    def _check(self) -> None:
        if self.is_unavailable:
            raise SnapshotChannelUnavailable("it is away")
