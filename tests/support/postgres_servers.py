"""PostgreSQL as operators run it: with TLS, with a standby, and behind a pooler."""

import pwd
import shutil
import signal
import socket
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlencode

from deploy.debian import install_missing
from deploy.standalone.process import Process
from deploy.standalone.server import Server, end_leftovers
from deploy.standalone.sockets import find_free_ports, make_private, socket_folder
from tests.support.certificates import Authority
from tests.support.servers import PostgresServer

_USER = "postgres"
_DEBIAN = Path("/usr/lib/postgresql")


class SecuredPostgres(PostgresServer):
    """Debian's server, because the wheel's has no TLS. Over TCP it demands a certificate that names the user."""

    def __init__(self, folder: Path, authority: Authority) -> None:
        if not _DEBIAN.is_dir():
            install_missing(["postgresql"], print, otherwise="Install PostgreSQL's server.")
        super().__init__(folder)
        self._programs = max(_DEBIAN.glob("*/bin"), key=lambda path: int(path.parent.name))
        self._authority = authority
        self.port = find_free_ports(1)[0]

    def database_url(self, database: str) -> str:
        return f"{super().database_url(database)}&port={self.port}"

    def tls_url(self, **parameters: str | Path) -> str:
        """The URL over TCP, with libpq's *parameters*."""
        query = urlencode({name: str(value) for name, value in parameters.items()}, safe="/")
        return f"postgresql://placard@127.0.0.1:{self.port}/placard?{query}"

    def _make_data(self) -> None:
        command: list[str | Path] = [self._programs / "initdb", "-D", self._data, "-U", "placard"]
        self._run_to_end(
            self._run([*command, "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"])
        )
        access = "local all all trust\nhostssl all all 127.0.0.1/32 cert\n"
        (self._data / "pg_hba.conf").write_text(access, encoding="utf-8")
        certificate, key = self._authority.issue("server")
        named = {"cert": certificate, "key": key, "ca": self._authority.file}
        for name, file in named.items():
            copy = self.folder / f"{name}.pem"
            shutil.copy(file, copy)
            copy.chmod(0o600)
            if self._user is not None:
                shutil.chown(copy, self._user)
            self._settings[f"ssl_{name}_file"] = str(copy)
        self._settings |= {"ssl": "on", "listen_addresses": "127.0.0.1", "port": str(self.port)}


class StandbyPostgres(PostgresServer):
    """Streams from *primary*, until it is promoted."""

    def __init__(self, folder: Path, primary: PostgresServer) -> None:
        super().__init__(folder)
        self._primary = primary

    def promote(self) -> None:
        self.query("SELECT pg_promote()")

    def is_connected(self) -> bool:
        """Whether it receives its primary's log. The end of the primary shows here a moment later."""
        return self.query("SELECT EXISTS (SELECT FROM pg_stat_wal_receiver)") == "t"

    def _make_data(self) -> None:
        copy: Sequence[str | Path] = [self._programs / "pg_basebackup", "-D", self._data]
        source = self._primary.database_url("placard")
        self._run_to_end(self._run([*copy, "-R", "-X", "stream", "-c", "fast", "-d", source]))


class PgBouncer(Server):
    """A pooler, in transaction mode by default, with two sessions of *server*, so that several clients share them."""

    name = "pgbouncer"
    asking = ((signal.SIGINT, 2.0), (signal.SIGTERM, 1.0))

    def __init__(self, folder: Path, server: PostgresServer, *, mode: str = "transaction") -> None:
        super().__init__(folder)
        if shutil.which("pgbouncer") is None:
            install_missing(["pgbouncer"], print, otherwise="Install PgBouncer.")
        self._sockets = socket_folder(self.folder)
        self._server = server
        self._mode = mode

    def url_of(self, direct: str) -> str:
        """*direct*, through the pooler."""
        start, _, _ = direct.partition("?")
        return f"{start}?host={quote(str(self._sockets))}&port=6432"

    def start(self) -> None:
        end_leftovers("pgbouncer", self.folder, wait_s=5)
        self._make_folder()
        make_private(self._sockets)
        host = self._server.url.partition("?host=")[2]
        (self.folder / "users.txt").write_text('"placard" ""\n', encoding="utf-8")
        settings = self.folder / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = host={host}\n"
            f"[pgbouncer]\npool_mode = {self._mode}\ndefault_pool_size = 2\nauth_type = trust\n"
            f"auth_file = {self.folder}/users.txt\nlisten_addr =\nlisten_port = 6432\n"
            f"unix_socket_dir = {self._sockets}\n",
            encoding="utf-8",
        )
        for path in (self.folder, self._sockets, *self.folder.iterdir()):
            shutil.chown(path, pwd.getpwnam(_USER).pw_name)
        process = Process.start(
            [shutil.which("pgbouncer") or "pgbouncer", settings],
            output=self.log,
            folder=self.folder,
            user=_USER,
            reach=[self.folder, self._sockets],
        )
        self._await(process, self._accepts)

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self._sockets, ignore_errors=True)

    def _accepts(self) -> bool:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(str(self._sockets / ".s.PGSQL.6432"))
            except OSError:
                return False
            return True
