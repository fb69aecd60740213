"""The base of the servers of one machine: a program, a folder, a log, and ways to end it."""

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, TypeVar

from deploy.standalone.errors import StartError
from deploy.standalone.process import Identity, Process, end_foreign, list_pids

_START_S = 180.0
_TAIL_LINES = 8


AnyServer = TypeVar("AnyServer", bound="Server")


class Server(ABC):
    """One server whose data is in `folder`; it can be started and stopped any number of times.

    `start` returns when the server responds. Before, it ends processes that an earlier, killed start of the same folder
    left behind. It raises `StartError`.
    """

    name: ClassVar[str]
    asking: ClassVar[tuple[tuple[signal.Signals, float], ...]]
    """How it is stopped: each signal in turn, with the seconds to wait.

    `deploy.standalone.stack` has the limit for the whole stop.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.log = self.folder / f"{self.name}.log"
        self._process: Process | None = None

    @abstractmethod
    def start(self) -> None: ...

    def stop(self) -> None:
        """Let it write everything, and end it."""
        if self._process is not None:
            self._process.stop(stop_signal=self.asking)

    def kill(self) -> None:
        """SIGKILL, as in a crash; `start` recovers."""
        if self._process is not None:
            self._process.kill()

    def freeze(self) -> None:
        """Connections stay open, but nothing responds."""
        if self._process is not None:
            self._process.freeze()

    def thaw(self) -> None:
        if self._process is not None:
            self._process.thaw()

    def alive(self) -> bool:
        return self._process is not None and self._process.alive()

    @property
    def identity(self) -> Identity | None:
        return self._process.identity if self._process else None

    def _make_folder(self) -> None:
        """The folder is private: no other user needs to read the data."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)

    def _await(self, process: Process, answers: Callable[[], bool]) -> None:
        self._process = process
        deadline = time.monotonic() + _START_S
        while process.alive() and time.monotonic() < deadline:
            if answers():
                return
            time.sleep(0.02)
        process.kill()
        raise StartError(f"{self.name} did not start in {self.folder}.\n{self._tail()}")

    def _run_to_end(self, process: Process) -> None:
        """Wait for a program that prepares the folder."""
        if not process.wait(_START_S) or process.exit_code != 0:
            process.kill()
            raise StartError(f"{self.name} could not prepare {self.folder}.\n{self._tail()}")

    def _tail(self) -> str:
        if not self.log.exists():
            return f"It wrote no log at {self.log}."
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([f"The end of {self.log}:", *lines[-_TAIL_LINES:]])


@contextmanager
def started(server: AnyServer) -> Iterator[AnyServer]:
    """Stops *server* at the end, frozen or not."""
    try:
        server.start()
        yield server
    finally:
        server.thaw()
        server.stop()


def find_leftovers(program: str, folder: Path) -> list[Identity]:
    """Processes whose command contains `program` and whose working folder is `folder`."""
    found = []
    for pid in list_pids():
        try:
            works_in = Path(f"/proc/{pid}/cwd").readlink()
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        identity = Identity.find(pid)
        if works_in == folder and program.encode() in command and identity is not None:
            found.append(identity)
    return found


def end_leftovers(program: str, folder: Path, *, wait_s: float) -> None:
    end_foreign(find_leftovers(program, folder), first=signal.SIGTERM, wait_s=wait_s)
