"""Redis as operators run it: with TLS and users, with a replica and Sentinels, and as a Cluster."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from deploy.debian import install_missing
from deploy.standalone.process import Process
from deploy.standalone.redis import answers_ping
from deploy.standalone.server import end_leftovers
from deploy.standalone.sockets import find_free_ports, make_private
from tests.support.certificates import Authority
from tests.support.servers import RedisServer

_DEBIAN = Path("/usr/bin/redis-check-rdb")
"""Debian has one program for all of Redis. Its name selects what it does."""


class TcpRedis(RedisServer):
    """Debian's server, which has TLS, at a port of 127.0.0.1 as well."""

    def __init__(
        self, folder: Path, settings: Mapping[str, str] | None = None, *, users: str = ""
    ) -> None:
        self.port = find_free_ports(1)[0]
        given = {"bind": "127.0.0.1", "port": str(self.port), **(settings or {})}
        super().__init__(folder, given, users=users)

    def start(self) -> None:
        self._program = debian_redis(self.folder, "redis-server")
        super().start()

    def run_command(self, *arguments: str) -> None:
        """Runs one command of Redis to its end."""
        command = ["redis-cli", "-s", str(self._socket), *arguments]
        subprocess.run(command, check=True, capture_output=True)

    @property
    def tcp_url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


class SecuredRedis(TcpRedis):
    """It demands a certificate of *authority* from every client."""

    def __init__(self, folder: Path, authority: Authority, *, users: str = "") -> None:
        super().__init__(folder, {}, users=users)
        certificate, key = authority.issue("redis")
        self._settings |= {
            "port": "0",
            "tls-port": str(self.port),
            "tls-cert-file": str(certificate),
            "tls-key-file": str(key),
            "tls-ca-cert-file": str(authority.file),
        }


class SentinelServer(RedisServer):
    """Watches *primary* as `placard`, and promotes its replica one second after it stopped responding."""

    def __init__(self, folder: Path, primary: TcpRedis, *, quorum: int) -> None:
        super().__init__(folder)
        self.port = find_free_ports(1)[0]
        self._primary = primary
        self._quorum = quorum

    def start(self) -> None:
        end_leftovers("redis-sentinel", self.folder, wait_s=5)
        self._make_folder()
        make_private(self._socket.parent)
        settings = self.folder / "sentinel.conf"
        settings.write_text(
            f"port {self.port}\nbind 127.0.0.1\nunixsocket {self._socket}\ndir {self.folder}\n"
            f"sentinel monitor placard 127.0.0.1 {self._primary.port} {self._quorum}\n"
            "sentinel down-after-milliseconds placard 1000\nsentinel failover-timeout placard 3000\n",
            encoding="utf-8",
        )
        program = debian_redis(self.folder, "redis-sentinel")
        process = Process.start([program, settings], output=self.log, folder=self.folder)
        self._await(process, lambda: answers_ping(self._socket))


def debian_redis(folder: Path, name: str) -> Path:
    """A link in *folder*, so that Debian's server does not become this machine's."""
    if not _DEBIAN.exists():
        install_missing(["redis-tools"], print, otherwise="Install redis-tools.")
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / name
    if not link.is_symlink():
        link.symlink_to(shutil.which(_DEBIAN) or _DEBIAN)
    return link
