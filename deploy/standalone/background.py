"""Runs a separate stack, on free ports and in a folder of its own, while a bench or a test runs."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import Any

from deploy.standalone.child import ROOT
from deploy.standalone.errors import StartError
from deploy.standalone.operate import ENVIRONMENT, read_running
from deploy.standalone.process import list_below, send
from deploy.standalone.state import noted, read_json

_READY_S = 300.0
_STOP_S = 120.0
_PORTS = ("PLACARD_CONTROL_PORT", "PLACARD_EDGE_LIVE_PORT", "PLACARD_EDGE_TEST_PORT")


@dataclass(frozen=True, slots=True)
class Background:
    """``demo`` is the content of the stack's ``demo.json``, ``log`` the file of its output."""

    process: "subprocess.Popen[bytes]"
    state: Path
    log: Path
    demo: dict[str, Any]

    @property
    def environment(self) -> dict[str, str]:
        """The settings of every program of the stack."""
        found: dict[str, str] = read_running(self.state, ENVIRONMENT)
        return found

    def pids_of(self, *words: str) -> list[int]:
        """Processes of the stack whose command contains *words* in a row: ``"control", "ingest"``."""
        pids = list_below(self.process.pid)
        return [pid for pid in pids if _holds(_command(pid), list(words))]

    def edge_workers(self, environment: str) -> list[int]:
        """The workers of one edge."""
        return _of(environment, self.pids_of("-m", "edge.worker"))

    @property
    def edge_environment(self) -> dict[str, str]:
        """All environment variables of the live edge."""
        found = _read(self.edge_workers("live")[0], "environ").decode().rstrip("\0").split("\0")
        return dict(one.split("=", 1) for one in found)

    def edge_supervisor(self, environment: str) -> int:
        """The supervisor of those workers."""
        return self.pid_of(f"edge-{environment}")

    def pid_of(self, name: str) -> int:
        """The process of one program of the stack: ``"ingest"``, ``"edge-live"``."""
        running = {named: one.pid for one, named in noted(self.state).items()}
        return running[name]

    @contextmanager
    def frozen(self, *names: str) -> Iterator[None]:
        """Programs of the stack stand still during the body, without their own children."""
        pids = [self.pid_of(name) for name in names]
        send(pids, SIGSTOP)
        try:
            yield
        finally:
            send(pids, SIGCONT)

    def kill(self) -> None:
        """SIGKILL everything, as a power cut would."""
        send([self.process.pid, *list_below(self.process.pid)], SIGKILL)
        self.process.wait()


@contextmanager
def running_stack(
    settings: dict[str, str], *, earlier: Mapping[str, bytes] | None = None
) -> Iterator[Background]:
    """
    *settings* are added to the environment; without ``PLACARD_SAMPLE`` there is no sample account. *earlier*: files of
    another stack's state, by name, with which this one continues. Raises `StartError` with the last lines of output if
    the stack does not start.
    """
    with tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp") as folder:
        state = Path(folder)
        log = state / "stack.log"
        own = {**dict.fromkeys(_PORTS, "0"), "PLACARD_STATE": str(state), "PLACARD_SAMPLE": "0"}
        own |= settings
        for name, content in (earlier or {}).items():
            (state / name).touch(mode=0o600)
            (state / name).write_bytes(content)
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "deploy.standalone"],
                env={**os.environ, **own},
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            yield Background(process, state, log, _await_demo(state, process, log))
        finally:
            process.terminate()
            process.wait(_STOP_S)


def _await_demo(state: Path, process: "subprocess.Popen[bytes]", log: Path) -> dict[str, Any]:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline and process.poll() is None:
        found: dict[str, Any] | None = read_json(state / "demo.json")
        if found is not None:
            return found
        time.sleep(0.1)
    last = log.read_text(errors="replace")[-4000:]
    raise StartError(f"the stack did not come up:\n{last}")


def _of(environment: str, pids: list[int]) -> list[int]:
    mark = f"PLACARD_ENVIRONMENT={environment}".encode()
    return [pid for pid in pids if mark in _read(pid, "environ").split(b"\0")]


def _command(pid: int) -> list[str]:
    return _read(pid, "cmdline").decode().rstrip("\0").split("\0")


def _read(pid: int, name: str) -> bytes:
    """Empty if the process has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _holds(command: list[str], words: list[str]) -> bool:
    places = range(len(command) - len(words) + 1)
    return any(command[place : place + len(words)] == words for place in places)
