"""Redis as operators run it: with TLS and users, with a replica and Sentinels, and as a Cluster."""

import shutil
import subprocess
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.crc import key_slot

from deploy.debian import install_missing
from deploy.standalone.process import Process
from deploy.standalone.redis import answers_ping
from deploy.standalone.server import end_leftovers
from deploy.standalone.sockets import find_free_ports, make_private
from tests.support.certificates import Authority
from tests.support.servers import RedisServer, started
from tests.support.waiting import PATIENCE_S

_SLOTS = 16_384
_FIRST_SLOTS = (0, 5461, 10_922)
"""Of the primaries of a cluster."""
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

    def __init__(
        self,
        folder: Path,
        authority: Authority,
        *,
        users: str = "",
        settings: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(folder, settings, users=users)
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


class ClusterNode(TcpRedis):
    """A node of a cluster."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        given = {
            "cluster-enabled": "yes",
            "cluster-port": str(find_free_ports(1)[0]),
            "cluster-require-full-coverage": "no",
            "cluster-replica-validity-factor": "0",
            "repl-diskless-sync-delay": "0",
        }
        super().__init__(folder, {**given, **(settings or {})})
        self.bus_port = int(self._settings["cluster-port"])

    def query(self, *words: object) -> Any:
        """The response to one command, over the socket."""
        with redis.Redis(unix_socket_path=str(self._socket)) as client:
            return client.execute_command(*words)

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    @property
    def node_id(self) -> str:
        return str(self.query("CLUSTER MYID").decode())


@dataclass(frozen=True)
class ClusterOfRedis:
    """*primaries* as they were at the start, with an equal part of the slots each, and a replica of each or none."""

    primaries: Sequence[ClusterNode]
    replicas: Sequence[ClusterNode]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{one.port}" for one in self.primaries)

    def first_owner(self, key: str) -> ClusterNode:
        """The node that had the slot of *key* at the start."""
        return self.primaries[bisect_right(_FIRST_SLOTS, key_slot(key.encode())) - 1]

    def find_owner(self, key: str) -> ClusterNode:
        """The node that has the slot of *key* now."""
        slot, nodes = key_slot(key.encode()), [*self.primaries, *self.replicas]
        for first, last, (_, port, *_), *_ in nodes[0].query("CLUSTER SLOTS"):
            if first <= slot <= last:
                return next(one for one in nodes if one.port == port)
        raise AssertionError(f"no node has the slot of {key}")

    def wait_until_whole(self, *, without: ClusterNode | None = None) -> None:
        """Until every node, except a lost one, knows that all slots are served, and replicas follow."""
        nodes = [*self.primaries, *self.replicas]
        alive = [one for one in nodes if one is not without]
        wait_for(lambda: all(_knows(one, len(nodes)) and _is_linked(one) for one in alive))

    def begin_migration(self, slot: int, source: ClusterNode, target: ClusterNode) -> None:
        """From now on keys that *source* does not have are at *target*."""
        target.query("CLUSTER SETSLOT", slot, "IMPORTING", source.node_id)
        source.query("CLUSTER SETSLOT", slot, "MIGRATING", target.node_id)

    def move_keys(self, slot: int, source: ClusterNode, target: ClusterNode) -> None:
        keys = source.query("CLUSTER GETKEYSINSLOT", slot, 1000)
        if keys:
            source.query("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)

    def end_migration(self, slot: int, source: ClusterNode, target: ClusterNode) -> None:
        for one in (target, source):
            one.query("CLUSTER SETSLOT", slot, "NODE", target.node_id)


@contextmanager
def started_cluster(folder: Path, *, with_replicas: bool = False) -> Iterator[ClusterOfRedis]:
    """
    Three primaries, each without a replica, or with one that takes over two seconds after its loss. It returns when
    every node knows the slots of all.
    """
    # Without replicas, a busy machine shall not make nodes declare each other failed.
    settings = {"cluster-node-timeout": "2000" if with_replicas else "60000"}
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(started(ClusterNode(folder / str(number), settings)))
            for number in range(6 if with_replicas else 3)
        ]
        primaries, replicas = nodes[:3], nodes[3:]
        for one, first, after in zip(
            primaries, _FIRST_SLOTS, (*_FIRST_SLOTS[1:], _SLOTS), strict=True
        ):
            one.query("CLUSTER ADDSLOTSRANGE", first, after - 1)
        for number, one in enumerate(nodes, 1):
            one.query("CLUSTER SET-CONFIG-EPOCH", number)
        for one in nodes[1:]:
            one.query("CLUSTER MEET", "127.0.0.1", nodes[0].port, nodes[0].bus_port)
        cluster = ClusterOfRedis(primaries, replicas)
        cluster.wait_until_whole()
        for replica, primary in zip(replicas, primaries, strict=False):
            replica.query("CLUSTER REPLICATE", primary.node_id)
        wait_for(lambda: all(_is_replica(one) for one in replicas))
        yield cluster


def redis_url_of(request: pytest.FixtureRequest) -> str:
    """Of the cluster of the session where the parameter of a fixture is ``cluster``, else of its server."""
    name = "redis_cluster" if request.param == "cluster" else "redis_server"
    return str(request.getfixturevalue(name).url)


def redis_urls_of_nodes(request: pytest.FixtureRequest, kind: str) -> list[str]:
    """The URL of each server that `redis_url_of` names for the parameter *kind*."""
    if kind == "cluster":
        cluster: ClusterOfRedis = request.getfixturevalue("redis_cluster")
        return [one.tcp_url for one in cluster.primaries]
    return [request.getfixturevalue("redis_server").url]


def wait_for(is_so: Callable[[], bool]) -> None:
    """Looks again and again; TimeoutError after `PATIENCE_S`."""
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > until_s:
            raise TimeoutError
        time.sleep(0.02)


def _is_replica(node: ClusterNode) -> bool:
    return bool(node.query("INFO", "replication")["role"] == "slave" and _is_linked(node))


def _is_linked(node: ClusterNode) -> bool:
    """Whether it is a primary, or a replica that follows its primary."""
    found = node.query("INFO", "replication")
    return bool(found["role"] == "master" or found["master_link_status"] == "up")


def _knows(node: ClusterNode, count: int) -> bool:
    found = node.query("CLUSTER INFO")
    return bool(
        found["cluster_state"] == "ok"
        and int(found["cluster_known_nodes"]) == count
        and int(found["cluster_slots_ok"]) == _SLOTS
    )


def debian_redis(folder: Path, name: str) -> Path:
    """A link in *folder*, so that Debian's server does not become this machine's."""
    if not _DEBIAN.exists():
        install_missing(["redis-tools"], print, otherwise="Install redis-tools.")
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / name
    if not link.is_symlink():
        link.symlink_to(shutil.which(_DEBIAN) or _DEBIAN)
    return link
