"""Starts `python -m edge`, or the tiny edge in its place, and looks at it from outside."""

import http.client
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.support.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
TINY = (str(Path(__file__).with_name("tiny_edge.py")),)


class Machine:
    """One supervisor and its workers. `address` and `internal` are known when `wait_started` returns."""

    def __init__(
        self, environment: Mapping[str, str], program: tuple[str, ...] = TINY, *, log: Path
    ) -> None:
        self.address = ""
        self.internal = ""
        self.lines: list[str] = []
        self._log = log
        self._new: queue.Queue[str] = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, *program],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**environment, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_started(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            line = self._new.get(timeout=PATIENCE_S)
            if "edge_started" in line:
                self.address = _field(line, "address")
                self.internal = _field(line, "internal")
                return
        raise AssertionError(f"it did not start: {self.lines}")

    def snapshot(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(get(self.internal, "/snapshot")[1])
        return found

    def worker_pids(self) -> list[int]:
        return [one["pid"] for one in self.snapshot()["workers"] if one["pid"] is not None]

    def wait_until(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < deadline, "\n".join(self.lines)
            time.sleep(0.02)

    def ready(self) -> bool:
        return get(self.internal, "/readyz")[0] == 200

    def ask_to_stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        self._process.send_signal(number)

    def wait_ended(self) -> int:
        code = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        if self._process.stdout:
            self._process.stdout.close()
        return code

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self.wait_ended()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._log.open("w") as log:
            for line in self._process.stdout:
                self.lines.append(line.rstrip())
                self._new.put(line)
                log.write(line)


def get(address: str, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Status and body, on a connection of its own, so that the kernel picks a worker."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
    try:
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def alive(pid: int) -> bool:
    """Whether *pid* runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def send(pid: int, number: signal.Signals) -> None:
    os.kill(pid, number)


def _field(line: str, name: str) -> str:
    if line.lstrip().startswith("{"):
        return str(json.loads(line)[name])
    found = re.search(rf"{name}=(\S+)", line)
    assert found is not None, line
    return found[1]
