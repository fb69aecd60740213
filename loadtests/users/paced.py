"""
Users whose calls are due at fixed times, and the correction for calls that began late.

A user waits for each response, so a slow server delays the next calls and hides from their times how slow it was
(coordinated omission). A call's corrected time is that from the instant at which it was due.
"""

import time
from collections import Counter, defaultdict
from typing import Any

from locust import FastHttpUser, User, events

from loadtests.latencies import Latencies

corrected: defaultdict[str, Latencies] = defaultdict(Latencies)
"""Corrected times by the name of the call, of all calls of this process; in a master, of all workers."""
raised: Counter[str] = Counter()
"""How many tasks of users ended with an error of their code, by class and error."""


class PacedUser(FastHttpUser):
    """A user with *rate_s* tasks a second, each due at its own instant. A task's first call is the one that is late."""

    abstract = True
    rate_s = 1.0

    def on_start(self) -> None:
        self._due_s = time.perf_counter()
        self._late_ms = 0.0

    def wait_time(self) -> float:
        """Seconds until the next task is due; 0 where it is late."""
        self._due_s += 1 / self.rate_s
        ahead_s = self._due_s - time.perf_counter()
        self._late_ms = max(0.0, -ahead_s * 1000)
        return max(0.0, ahead_s)

    def context(self) -> dict[str, float]:
        late_ms, self._late_ms = self._late_ms, 0.0
        return {"late_ms": late_ms}


@events.request.add_listener  # type: ignore[untyped-decorator]  # locust has no types for it
def _record(name: str, response_time: float, context: dict[str, Any], **_: Any) -> None:
    corrected[name].add(response_time + context.get("late_ms", 0.0))


@events.user_error.add_listener  # type: ignore[untyped-decorator]  # as above
def _note(user_instance: User, exception: Exception, **_: Any) -> None:
    """Locust logs the error and goes on, so a user that never does its task would go unnoticed."""
    raised[f"{type(user_instance).__name__}: {exception!r}"] += 1


@events.report_to_master.add_listener  # type: ignore[untyped-decorator]  # as above
def _send(data: dict[str, Any], **_: Any) -> None:
    data["corrected"] = {name: times.take() for name, times in corrected.items()}
    data["raised"] = dict(raised)
    raised.clear()


@events.worker_report.add_listener  # type: ignore[untyped-decorator]  # as above
def _receive(data: dict[str, Any], **_: Any) -> None:
    for name, taken in data["corrected"].items():
        corrected[name].merge(taken)
    raised.update(data["raised"])
