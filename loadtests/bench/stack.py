"""A whole one-machine stack of its own, on free ports and a folder of its own, for as long as a bench runs."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

_READY_S = 120.0
_STOP_S = 15.0


@contextmanager
def running_stack(settings: dict[str, str]) -> Iterator[dict[str, Any]]:
    """What the stack wrote to ``demo.json``; its own lines go to a file, shown where it does not come up."""
    with tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp") as folder:
        state = Path(folder)
        ports = dict.fromkeys(
            ("PLACARD_CONTROL_PORT", "PLACARD_EDGE_LIVE_PORT", "PLACARD_EDGE_TEST_PORT"), "0"
        )
        log = state / "stack.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "deploy.standalone"],
                env={**os.environ, **ports, "PLACARD_STATE": str(state), **settings},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            yield _await_demo(state, process, log)
        finally:
            process.terminate()
            process.wait(_STOP_S)


def _await_demo(state: Path, process: subprocess.Popen[bytes], log: Path) -> dict[str, Any]:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline and process.poll() is None:
        path = state / "demo.json"
        if path.exists():
            found: dict[str, Any] = orjson.loads(path.read_bytes())
            return found
        time.sleep(0.1)
    raise SystemExit(f"the stack did not come up:\n{log.read_text(errors='replace')[-4000:]}")
