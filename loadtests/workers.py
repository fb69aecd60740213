"""The end of a run with workers: the master waits until it has the last calls of each of them."""

from typing import Any

import gevent
from locust import events
from locust.runners import MasterRunner, Runner

_PATIENCE_S = 30.0
_EVERY_S = 0.2
_idle: dict[str, bool] = {}
"""By worker: whether no user of it ran at its last report, which then has all its calls."""


@events.worker_report.add_listener  # type: ignore[untyped-decorator]  # locust has no types for it
def _note(client_id: str, data: dict[str, Any], **_: Any) -> None:
    _idle[client_id] = data["user_count"] == 0


def stop_workers(runner: Runner | None) -> None:
    """
    Stops all users, and returns when each worker has reported its last calls, or after thirty seconds.

    Without it the master would end half a second after it stopped the workers, whose users need up to five. Does
    nothing in a process that is no master.
    """
    if not isinstance(runner, MasterRunner):
        return
    _idle.update(dict.fromkeys(_idle, False))
    runner.stop()
    with gevent.Timeout(_PATIENCE_S, exception=False):
        while _waits(runner):
            gevent.sleep(_EVERY_S)


def _waits(runner: MasterRunner) -> bool:
    """A worker that has stopped is ready a little later; before, it does not receive that the master quits."""
    missing = {worker.id for worker in runner.clients.missing}
    alive = _idle.keys() - missing
    return len(runner.clients.ready) < len(alive) or not all(_idle[one] for one in alive)


def count_lost() -> int:
    """Workers whose last calls are missing."""
    return sum(not is_idle for is_idle in _idle.values())
