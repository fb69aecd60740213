"""
Imports the programs' modules once, and forks each program of the stack from there: they start sooner, and share the
memory of what they have in common. On other machines each program is started by itself.

A request comes over a socket: one message with the arguments and the environment, and with it the descriptor for the
program's output. The answers are its process id and, when it has ended, its exit code.
"""

import ctypes
import gc
import importlib
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGTERM
from threading import RLock
from typing import IO, NamedTuple

import orjson

from deploy.standalone.errors import StartError
from deploy.standalone.process import Identity, Process

MODULES = (
    *(f"control.processes.{name}" for name in ("api", "ingest", "publish", "pace", "work")),
    "edge.__main__",
)
_PR_SET_PDEATHSIG = 1
_READY_S = 180.0
_CHECK_EVERY_S = 0.02
_MOST_BYTES = 200_000
"""Of one request: the environment of a program, and much more."""
_ARGUMENTS_START, _ARGUMENTS_END = 45, 46
"""Of ``/proc/self/stat`` behind the command's name: fields 48 and 49 of proc(5)."""


class Prefork:
    """The process that forks. *folder*: for its socket; *modules*: imported before."""

    name = "prefork"

    def __init__(self, folder: Path, modules: Sequence[str] = MODULES) -> None:
        self._path = folder / "prefork.sock"
        self._modules = modules
        self._environment: Mapping[str, str] = {}
        self._process: Process | None = None

    def set_environment(self, environment: Mapping[str, str]) -> None:
        """What decides which modules are imported, and what marks the processes of the stack. No secrets."""
        self._environment = environment

    def start(self) -> None:
        """Starts it, without waiting for its imports."""
        if self._process is not None:
            self._process.kill()
        self._path.unlink(missing_ok=True)
        command = [sys.executable, "-m", "deploy.standalone.prefork", str(self._path)]
        self._process = Process.start(
            [*command, *self._modules],
            output=sys.stdout.fileno(),
            environment=self._environment,
            folder=Path(__file__).resolve().parents[2],
        )

    def alive(self) -> bool:
        return self._process is not None and self._process.alive()

    @property
    def identity(self) -> Identity | None:
        return self._process.identity if self._process else None

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop(stop_signal=[(SIGTERM, 1.0)])

    def run_module(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Process:
        """
        As `python -m ARGUMENTS` with *environment*, its output in a pipe. Waits until the modules are imported. Raises
        `StartError`.
        """
        link = self._connect()
        reading, writing = os.pipe()
        try:
            request = orjson.dumps([list(arguments), dict(environment)])
            socket.send_fds(link, [request], [writing])
            return Process(_Forked(link, os.fdopen(reading, "rb")))
        except (OSError, ValueError) as error:
            os.close(reading)
            link.close()
            raise StartError(f"could not start {' '.join(arguments)}: {error}") from error
        finally:
            os.close(writing)

    def _connect(self) -> socket.socket:
        deadline = time.monotonic() + _READY_S
        while self.alive() and time.monotonic() < deadline:
            link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                link.connect(str(self._path))
            except (FileNotFoundError, ConnectionRefusedError):
                link.close()
                time.sleep(_CHECK_EVERY_S)
            else:
                return link
        raise StartError("the process that starts the programs is gone; its last lines stand above")


class _Forked:
    """A forked program, as `subprocess.Popen` would show it."""

    def __init__(self, link: socket.socket, output: IO[bytes]) -> None:
        """Raises ValueError where the forking process ended before it answered."""
        self.stdout: IO[bytes] | None = output
        self.pid = int(link.recv(64))
        self._handle = os.pidfd_open(self.pid)
        self._link = link
        self._code: int | None = None
        self._waiting = RLock()
        """Held while the status is read, which comes once, and the handle is used. Two threads may end a program."""

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        with self._waiting:
            if self._code is None:
                self._link.settimeout(timeout)
                try:
                    status = self._link.recv(64)
                except (TimeoutError, BlockingIOError):
                    raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0) from None
                # Where the forking process has ended, the kernel ends what it forked.
                self._code = int(status) if status else -SIGTERM
                self._link.close()
                os.close(self._handle)
            return self._code

    def send_signal(self, sig: int) -> None:
        with self._waiting:
            if self.poll() is None:
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._handle, sig)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _Request(NamedTuple):
    arguments: list[str]
    environment: dict[str, str]
    output: int


def main() -> None:
    path, *modules = sys.argv[1:]
    gc.disable()  # imports make a million objects and little garbage
    for module in modules:
        importlib.import_module(module)
    gc.freeze()  # a collection would write to the memory that the programs share
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        Path(path).chmod(0o600)
        listener.listen()
        request = _serve(listener)
    _become(request)


def _serve(listener: socket.socket) -> _Request:
    """Forks until it is stopped. Returns in the forked process only."""
    parent, links = os.getpid(), dict[int, socket.socket]()
    waking, woken = socket.socketpair()
    for one in (waking, woken):
        one.settimeout(0)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(woken.fileno())
    with waking, woken, selectors.DefaultSelector() as ready:
        ready.register(listener, selectors.EVENT_READ)
        ready.register(waking, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is waking:
                    waking.recv(4096)
                    _report_ended(links)
                    continue
                link, _ = listener.accept()
                request = _receive(link)
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    for one in (link, *links.values()):
                        one.close()
                    _tie_to(parent)
                    return request
                os.close(request.output)
                links[pid] = link
                with suppress(OSError):  # who asked is gone
                    link.send(str(pid).encode())


def _receive(link: socket.socket) -> _Request:
    message, descriptors, _, _ = socket.recv_fds(link, _MOST_BYTES, 1)
    arguments, environment = orjson.loads(message)
    return _Request(arguments, environment, descriptors[0])


def _report_ended(links: dict[int, socket.socket]) -> None:
    while links:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with links.pop(pid) as link, suppress(OSError):
            link.send(str(os.waitstatus_to_exitcode(status)).encode())


def _tie_to(parent: int) -> None:
    """Ends this process when *parent* ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(SIGTERM), 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the starter is gone")


def _become(request: _Request) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for target in (1, 2):
        os.dup2(request.output, target)
    os.close(request.output)
    os.environ.clear()
    os.environ.update(request.environment)
    _show_command([sys.executable, "-m", *request.arguments])
    gc.enable()
    module, *sys.argv[1:] = request.arguments
    sys.modules.pop(f"{module}.__main__", None)  # it is run, as though nothing had imported it
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _show_command(command: Sequence[str]) -> None:
    """Writes *command* where the kernel reads it for `ps`, over the command of the process that forked."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    start, end = int(fields[_ARGUMENTS_START]), int(fields[_ARGUMENTS_END])
    shown = "\0".join(command).encode()[: end - start - 1]
    ctypes.memmove(start, shown.ljust(end - start, b"\0"), end - start)


if __name__ == "__main__":
    main()
