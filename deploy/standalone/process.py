"""Starts and ends programs: one started program, and the identity of a process."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

_LAUNCH = Path(__file__).with_name("launch.py")
_CHECK_EVERY_S = 0.02
_STOPPED_S = 5.0


@dataclass(frozen=True)
class Identity:
    """A process that cannot be confused with a later one of the same number."""

    pid: int
    started_ticks: int
    boot: str

    @classmethod
    def find(cls, pid: int) -> "Identity | None":
        """The live process `pid`; None also for a zombie."""
        stat = find_stat(pid)
        if stat is None or stat.state in "ZX":
            return None
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return cls(pid, stat.started_ticks, boot)

    def alive(self) -> bool:
        return Identity.find(self.pid) == self


@dataclass(frozen=True)
class Stat:
    """The fields of `/proc/PID/stat` that are needed here."""

    state: str
    parent: int
    session: int
    started_ticks: int


def find_stat(pid: int) -> Stat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    fields = text.rpartition(")")[2].split()
    return Stat(fields[0], int(fields[1]), int(fields[3]), int(fields[19]))


def list_pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def list_below(pid: int) -> list[int]:
    """Every process below `pid`, and the rest of its session if those between have died."""
    stats = {other: stat for other in list_pids() if (stat := find_stat(other)) is not None}
    found = {other for other, stat in stats.items() if stat.session == pid}
    waiting = [pid, *found]
    while waiting:
        parent = waiting.pop()
        below = [other for other, stat in stats.items() if stat.parent == parent]
        waiting += [other for other in below if other not in found]
        found.update(below)
    return sorted(found - {pid})


def send(pids: Sequence[int], number: signal.Signals) -> None:
    """Signal the processes that still exist."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def end_foreign(identities: Sequence[Identity], *, first: signal.Signals, wait_s: float) -> None:
    """End processes that are not our children: send `first`, and SIGKILL after `wait_s`."""
    send([one.pid for one in identities if one.alive()], first)
    deadline = time.monotonic() + wait_s
    while any(one.alive() for one in identities) and time.monotonic() < deadline:
        time.sleep(_CHECK_EVERY_S)
    send([one.pid for one in identities if one.alive()], signal.SIGKILL)
    while any(one.alive() for one in identities):
        time.sleep(_CHECK_EVERY_S)


class Started(Protocol):
    """What is needed of `subprocess.Popen`."""

    @property
    def pid(self) -> int: ...
    @property
    def stdout(self) -> IO[bytes] | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...
    def kill(self) -> None: ...


class Process:
    """A started program, in a session of its own. It ends when this process ends, however that happens.

    The kernel ties it to the thread that starts it: start programs from a thread that lives as long as they should.
    """

    def __init__(self, started: Started) -> None:
        self._started = started
        self.identity = Identity.find(started.pid)

    @classmethod
    def start(
        cls,
        command: Sequence[str | Path],
        *,
        output: int | Path,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        user: str | None = None,
        reach: Sequence[Path] = (),
        death_signal: signal.Signals = signal.SIGTERM,
    ) -> "Process":
        """Start `command`; its output goes to a pipe (`subprocess.PIPE`) or is appended to a file."""
        options = ["--starter", str(os.getpid()), "--death-signal", str(int(death_signal))]
        if user is not None:
            options += ["--user", user]
            options += [f"--reach={path}" for path in reach]
        launch = [sys.executable, "-I", "-S", str(_LAUNCH), *options, "--", *map(str, command)]
        if isinstance(output, int):
            return cls(_popen(launch, output, environment, folder))
        output.parent.mkdir(parents=True, exist_ok=True)
        with output.open("ab") as file:
            return cls(_popen(launch, file.fileno(), environment, folder))

    @property
    def pid(self) -> int:
        return self._started.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the signal that ended it, as in `subprocess`."""
        return self._started.poll()

    def alive(self) -> bool:
        return self.exit_code is None

    def lines(self) -> Iterator[str]:
        """Its output, if that is a pipe, until every process that holds it has ended. Blocks."""
        if self._started.stdout is not None:
            with self._started.stdout as output:
                for line in output:
                    yield line.decode("utf-8", errors="replace").rstrip()

    def wait(self, timeout_s: float) -> bool:
        """Whether it ended within `timeout_s`."""
        try:
            self._started.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the program itself, if it runs."""
        if self.alive():
            self._started.send_signal(number)

    def stop(self, *, stop_signal: Sequence[tuple[signal.Signals, float]]) -> None:
        """Send each signal in turn and wait its seconds, then kill; returns when the program has ended."""
        for number, wait_s in stop_signal:
            self.send_signal(number)
            if self.wait(wait_s):
                break
        self.kill()

    def kill(self) -> None:
        """SIGKILL it and everything below it, as a power cut would; returns when all have ended."""
        below = [Identity.find(pid) for pid in list_below(self.pid)]
        if self.alive():
            self._started.kill()
        end_foreign([one for one in below if one], first=signal.SIGKILL, wait_s=5)
        self._started.wait()

    def freeze(self) -> None:
        """
        SIGSTOP it and everything below it: connections stay open, but nothing responds.

        Returns when every thread has stopped: on a busy machine some would respond for some milliseconds more.
        """
        pids = [self.pid, *list_below(self.pid)]
        send(pids, signal.SIGSTOP)
        deadline = time.monotonic() + _STOPPED_S
        while time.monotonic() < deadline and not all(map(_has_stopped, pids)):
            time.sleep(0.001)

    def thaw(self) -> None:
        send([self.pid, *list_below(self.pid)], signal.SIGCONT)


def _has_stopped(pid: int) -> bool:
    """Whether no thread of *pid* runs, be it stopped or gone."""
    try:
        stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    except OSError:
        return False
    return all(text.rpartition(")")[2].split()[0] in "TtZX" for text in stats)


def _popen(
    command: list[str],
    output: int,
    environment: Mapping[str, str] | None,
    folder: Path | None,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd=folder,
        start_new_session=True,
    )
