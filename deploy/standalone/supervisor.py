"""Keeps the stack's servers and programs running until a signal stops it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from deploy.standalone.errors import StartError
from deploy.standalone.process import Identity

_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 5.0
_SETTLED_S = 30.0
_CHECK_EVERY_S = 0.2

Say = Callable[[str], None]


class WatchedProgram(Protocol):
    """A program or server that runs, may die, and can be started again."""

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> Identity | None: ...
    def start(self) -> None: ...
    def alive(self) -> bool: ...


@dataclass
class _Watch:
    kept: WatchedProgram
    pause_s: float = _FIRST_PAUSE_S
    started_s: float = 0.0
    due_s: float | None = None
    deaths: int = 0


class Supervisor:
    """Restarts whatever dies: after 0.2 s, then after twice as long each time, up to 5 s."""

    def __init__(self, report: Say, changed: Callable[[], None]) -> None:
        self._report = report
        self._changed = changed
        self._watches: list[_Watch] = []

    def watch(self, kept: WatchedProgram) -> None:
        """Start it now, and again whenever it dies."""
        watch = _Watch(kept)
        self._watches.append(watch)
        self._start(watch)

    def running(self) -> list[tuple[str, Identity | None]]:
        return [(watch.kept.name, watch.kept.identity) for watch in self._watches]

    def deaths(self, kept: WatchedProgram) -> int:
        return next(watch.deaths for watch in self._watches if watch.kept is kept)

    def run(self, until: Callable[[], bool], timeout_s: float | None = None) -> bool:
        """Keep everything running until `until()`; False if that took longer than `timeout_s`.

        `until` is called five times a second, and may raise.
        """
        begun_s = time.monotonic()
        while not until():
            if timeout_s is not None and time.monotonic() - begun_s > timeout_s:
                return False
            for watch in self._watches:
                self._check(watch)
            time.sleep(_CHECK_EVERY_S)
        return True

    def _check(self, watch: _Watch) -> None:
        now_s = time.monotonic()
        if watch.kept.alive():
            if now_s - watch.started_s > _SETTLED_S:
                watch.pause_s = _FIRST_PAUSE_S
        elif watch.due_s is None:
            watch.deaths += 1
            watch.due_s = now_s + watch.pause_s
            watch.pause_s = min(watch.pause_s * 2, _LONGEST_PAUSE_S)
            self._report(f"{watch.kept.name} has died; starting it again")
        elif now_s >= watch.due_s:
            self._restart(watch)

    def _restart(self, watch: _Watch) -> None:
        try:
            self._start(watch)
        except StartError as trouble:
            self._report(str(trouble))
            watch.due_s = None

    def _start(self, watch: _Watch) -> None:
        watch.kept.start()
        watch.started_s = time.monotonic()
        watch.due_s = None
        self._changed()


def stop_together(children: Sequence["Stoppable"], timeout_s: float) -> None:
    """Stop all at once, and kill those still running after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    for child in children:
        child.request_stop()
    for child in children:
        child.finish(max(0.0, deadline - time.monotonic()))


class Stoppable(Protocol):
    def request_stop(self) -> None: ...
    def finish(self, timeout_s: float) -> None: ...
