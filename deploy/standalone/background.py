"""A whole stack of its own, on free ports and in a folder of its own, for as long as a bench or a test runs."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.standalone.child import ROOT
from deploy.standalone.process import list_below
from deploy.standalone.state import read_json
from deploy.standalone.trouble import TroubleError

_READY_S = 120.0
_STOP_S = 15.0
_PORTS = ("PLACARD_CONTROL_PORT", "PLACARD_EDGE_LIVE_PORT", "PLACARD_EDGE_TEST_PORT")


@dataclass(frozen=True, slots=True)
class Background:
    """``demo`` is what the stack wrote to ``demo.json``, ``log`` the file of its own lines."""

    process: "subprocess.Popen[bytes]"
    state: Path
    log: Path
    demo: dict[str, Any]

    def pids_of(self, *words: str) -> list[int]:
        """The stack's processes whose command ends with *words*: ``pids_of("control", "ingest")``."""
        return [
            pid
            for pid in list_below(self.process.pid)
            if _command(pid)[-len(words) :] == list(words)
        ]


@contextmanager
def running_stack(settings: dict[str, str]) -> Iterator[Background]:
    """*settings* are added to the environment. Raises `TroubleError` with the last lines where it does not come up."""
    with tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp") as folder:
        state = Path(folder)
        log = state / "stack.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "deploy.standalone"],
                env={
                    **os.environ,
                    **dict.fromkeys(_PORTS, "0"),
                    "PLACARD_STATE": str(state),
                    **settings,
                },
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
        found = read_json(state / "demo.json")
        if found is not None:
            return found
        time.sleep(0.1)
    raise TroubleError(f"the stack did not come up:\n{log.read_text(errors='replace')[-4000:]}")


def _command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().rstrip("\0").split("\0")
    except OSError:
        return []
