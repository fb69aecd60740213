"""The machine's snapshot at a glance: the JSON of ``/snapshot``, and whether the machine is ready."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from common.values.clock import Clock
from edge.settings import EdgeSettings
from edge.snapshots.age import AgeState, classify_age
from edge.snapshots.persister import SnapshotPersister
from edge.snapshots.sync_loop import SnapshotSync
from edge.spool.replay import Replayer
from edge.state.machine_exchange import MachineExchange
from edge.supervisor.worker_process import WorkerProcess


@dataclass(frozen=True, slots=True)
class Overview:
    """The parts that the supervisor's internal listener may read."""

    settings: EdgeSettings
    clock: Clock
    receive: SnapshotSync
    keep: SnapshotPersister
    workers: Sequence[WorkerProcess]
    replayer: Replayer
    exchange: MachineExchange

    @property
    def ready(self) -> bool:
        return all(worker.feed.serving for worker in self.workers)

    def age_s(self) -> float | None:
        """None: no snapshot was ever received."""
        receiver = self.receive.receiver
        if receiver.state is None:
            return None
        return max(0.0, (self.clock.now_ms() - receiver.confirmed_ms) / 1000)

    def age_state(self) -> AgeState:
        return classify_age(
            self.age_s(),
            stale_after_s=self.settings.stale_after_s,
            snapshot_max_age_s=self.settings.snapshot_max_age_s,
        )

    def to_json(self) -> dict[str, Any]:
        state = self.receive.receiver.state
        return {
            "environment": self.settings.environment.value,
            "edge": self.settings.edge_name,
            "state": self.age_state().value,
            "age_seconds": self.age_s(),
            "epoch": state.epoch if state is not None else None,
            "version": state.version if state is not None else None,
            "digest": state.digest if state is not None else None,
            "objects": len(state) if state is not None else 0,
            "bell_up": self.receive.counts.subscribed,
            "by_fallback": self.receive.by_fallback,
            "refusal": self.receive.receiver.refusal,
            "ready": self.ready,
            "workers": [
                {
                    "number": worker.number,
                    "pid": worker.pid,
                    "restarts": worker.restarts,
                    "serving": worker.feed.serving,
                    "current": worker.feed.current,
                    "status": worker.feed.status,
                }
                for worker in self.workers
            ],
        }
