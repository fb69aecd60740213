"""The shapes of a load over time: how many users there are, chosen by ``LOAD_SHAPE``."""

import os
import time
from abc import abstractmethod
from typing import ClassVar

from locust import LoadTestShape

from loadtests.curves import Users, users_of_ramp, users_of_soak, users_of_spike
from loadtests.gate import is_within
from loadtests.users.paced import corrected
from loadtests.workers import stop_workers

_STEP_S = 15.0


def _run_s(shape: LoadTestShape) -> float:
    """Seconds since the shape began; the library's own method has no types."""
    return time.perf_counter() - float(shape.start_time)


def _seconds() -> float:
    return float(os.environ.get("LOAD_SECONDS", "60"))


def _users() -> int:
    return int(os.environ.get("LOAD_USERS", "20"))


class _Curve(LoadTestShape):
    """Users by the time alone."""

    def tick(self) -> Users:
        users = self.users()
        if users is None:
            stop_workers(self.runner)
        return users

    @abstractmethod
    def users(self) -> Users: ...


class Ramp(_Curve):
    def users(self) -> Users:
        return users_of_ramp(_run_s(self), _users(), _seconds())


class Soak(_Curve):
    def users(self) -> Users:
        return users_of_soak(_run_s(self), _users(), _seconds())


class Spike(_Curve):
    def users(self) -> Users:
        return users_of_spike(_run_s(self), _users(), _seconds())


class Break(_Curve):
    """
    As many users more every fifteen seconds, until the objective is missed for one whole step. ``held``: the calls a
    second of the last step that met it. The calls of workers arrive up to three seconds late, so a step also has the
    last ones of the step before.
    """

    held: ClassVar[float] = 0.0

    _step = 0
    _calls = 0

    def users(self) -> Users:
        step = int(_run_s(self) / _STEP_S) + 1
        if step != self._step:
            if self._step and not self._end_step():
                return None
            self._step = step
        if _run_s(self) >= _seconds():
            return None
        return self._step * _users(), _users()

    def _end_step(self) -> bool:
        """Judges the step that ended, and returns whether it met the objective."""
        if self.runner is None:
            return False
        stats = self.runner.stats.total
        calls = stats.num_requests - self._calls
        self._calls = stats.num_requests
        good = all(is_within(name, times) for name, times in corrected.items())
        corrected.clear()
        if good and stats.fail_ratio == 0:
            Break.held = calls / _STEP_S
        return good and stats.fail_ratio == 0


SHAPES: dict[str, type[LoadTestShape]] = {
    "ramp": Ramp,
    "soak": Soak,
    "spike": Spike,
    "break": Break,
}
