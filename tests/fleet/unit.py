"""One program of a fleet in its zone, which a test kills, freezes and starts again."""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deploy.standalone.child import ROOT
from deploy.standalone.process import Process, find_stat, list_below, send
from tests.fleet.network import Zone

_LAUNCH = ROOT / "deploy" / "standalone" / "launch.py"
_READY_S = 120.0
_LOOK_S = 0.1
_TAIL = 3000
_TERM = ((signal.SIGTERM, 30.0),)


class NotReadyError(AssertionError):
    """The message has the end of the program's log."""


@dataclass
class Unit:
    """
    ``zone``: None for a program on the bridge. ``home``: its working folder, for a program of a checkout that checkout.
    ``user``: whom it runs as, who must reach ``reach``. ``pid_file``: of a process that it leaves to init, as Patroni
    does with PostgreSQL: it fails together with its unit.
    """

    name: str
    zone: Zone | None
    command: Sequence[str | Path]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] = lambda: True
    home: Path | None = None
    user: str | None = None
    reach: tuple[Path, ...] = ()
    pid_file: Path | None = None
    _process: Process | None = None

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    def start(self) -> None:
        """Returns at once; the program lives as long as this process's main thread."""
        self.folder.mkdir(parents=True, exist_ok=True)
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        command = [
            *(self.zone.enter if self.zone else ()),
            *self._as_user(),
            *("env", "PYTHONUNBUFFERED=1", *variables),
            *self.command,
        ]
        self._process = Process.start(
            command,
            output=self.log,
            folder=self.home or self.folder,
        )

    def await_ready(self) -> None:
        until_s = time.monotonic() + _READY_S
        while not (self.is_alive() and self.ready()):
            if time.monotonic() > until_s or not self.is_alive():
                log = self.log.read_text(errors="replace")[-_TAIL:]
                raise NotReadyError(f"{self.name} is not ready:\n{log}")
            time.sleep(_LOOK_S)

    def is_alive(self) -> bool:
        return self._process is not None and self._process.alive()

    @property
    def pids(self) -> list[int]:
        own = [self._process.pid] if self._process is not None and self._process.alive() else []
        return [pid for one in (*own, *self._left_to_init()) for pid in (one, *list_below(one))]

    def kill(self) -> None:
        """Returns when its main process has ended."""
        left = self.pids
        if self._process is not None:
            self._process.kill()
        send(left, signal.SIGKILL)

    def stop(self) -> None:
        """As a service manager does: SIGTERM, and time to end."""
        if self._process is not None:
            self._process.stop(stop_signal=_TERM)

    def freeze(self) -> None:
        send(self.pids, signal.SIGSTOP)

    def thaw(self) -> None:
        send(self.pids, signal.SIGCONT)

    def _left_to_init(self) -> list[int]:
        if self.pid_file is None or not self.pid_file.exists():
            return []
        pid = int(self.pid_file.read_text().split("\n", 1)[0])
        stat = find_stat(pid)
        return [] if stat is None or stat.state in "ZX" else [pid]

    def _as_user(self) -> list[str | Path]:
        if self.user is None:
            return []
        options = ["--starter", str(os.getpid()), "--death-signal", str(int(signal.SIGKILL))]
        reach = [f"--reach={path}" for path in self.reach]
        return [sys.executable, "-I", "-S", _LAUNCH, *options, "--user", self.user, *reach, "--"]
