"""One program of ours that runs as long as the stack; its output is shown under its name."""

import os
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGTERM
from subprocess import PIPE
from urllib.error import URLError
from urllib.request import urlopen

from deploy.standalone.prefork import Prefork
from deploy.standalone.process import Identity, Process

ROOT = Path(__file__).resolve().parents[2]
_COLOURS = (36, 32, 33, 35, 34, 96, 92, 93)
_NAME_WIDTH = 10
_LAST_LINES = 12


@dataclass(frozen=True)
class Program:
    """A program to run: `python -m` with these arguments. It is ready when `ready_url` responds with 200."""

    name: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    ready_url: str
    hidden: frozenset[str] = frozenset()
    """Environment variables that it does not inherit."""


class Child:
    def __init__(self, program: Program, number: int, prefork: Prefork) -> None:
        self.name = program.name
        self.last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._program = program
        self._colour = _COLOURS[number % len(_COLOURS)]
        self._prefork = prefork
        self._process: Process | None = None

    def start(self) -> None:
        """Start it, without waiting for it to be ready."""
        if self._process is not None:
            self._process.kill()  # its own children may have outlived it
        program = self._program
        own = {name: value for name, value in os.environ.items() if name not in program.hidden}
        self._process = self._prefork.run_module(program.arguments, {**own, **program.environment})
        threading.Thread(target=self._show, args=(self._process,), daemon=True).start()

    def ready(self) -> bool:
        return self.alive() and answers_ok(self._program.ready_url)

    def alive(self) -> bool:
        return self._process is not None and self._process.alive()

    @property
    def identity(self) -> Identity | None:
        return self._process.identity if self._process else None

    def request_stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(SIGTERM)

    def finish(self, timeout_s: float) -> None:
        """Wait for it to end, and kill it after `timeout_s`."""
        if self._process is not None:
            self._process.stop(stop_signal=[(SIGTERM, timeout_s)] if self.alive() else [])

    def describe_end(self) -> str:
        code = self._process.exit_code if self._process else None
        return f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"

    def _show(self, process: Process) -> None:
        for line in process.lines():
            self.last_lines.append(line)
            show_line(self.name, line, self._colour)


_modules: list[Process] = []
"""What `run_module` started."""


def run_module(
    arguments: Sequence[str], environment: Mapping[str, str], prefork: Prefork | None = None
) -> Process:
    """
    Run `python -m ARGUMENTS` from the root of the tree, its output in a pipe. With *prefork* it is forked, which saves
    its imports.
    """
    whole = {**os.environ, **environment, "PYTHONUNBUFFERED": "1"}
    if prefork is not None:
        process = prefork.run_module(arguments, whole)
    else:
        command = [sys.executable, "-m", *arguments]
        process = Process.start(command, output=PIPE, environment=whole, folder=ROOT)
    _modules.append(process)
    return process


def end_modules() -> None:
    """Kill what `run_module` started and still runs."""
    for process in _modules:
        if process.alive():
            process.kill()
    _modules.clear()


def show_line(name: str, line: str, colour: int) -> None:
    label = f"{name:<{_NAME_WIDTH}} |"
    if sys.stdout.isatty():
        label = f"\x1b[{colour}m{label}\x1b[0m"
    with suppress(OSError):  # a closed terminal must not stop the stack
        print(f"{label} {line}", flush=True)


def answers_ok(url: str) -> bool:
    try:
        with urlopen(url, timeout=2) as answer:  # noqa: S310 - our own loopback address
            return bool(answer.status == 200)  # noqa: PLR2004 - HTTP's own number
    except (URLError, OSError, ValueError):
        return False
