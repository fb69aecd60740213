"""The servers of a fleet, replicated over its zones by their own means: Patroni, Sentinel, KRaft; and the proxy."""

import json
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from deploy.debian import install_missing
from deploy.standalone.kafka_jars import FOLDER, fetch
from deploy.standalone.postgres import find_programs
from tests.fleet.network import Network, Zone
from tests.fleet.unit import Unit
from tests.support.redis_servers import debian_redis

POSTGRES, REDIS, SENTINEL, KAFKA, PATRONI, EDGE = 5432, 6379, 26379, 9092, 8008, 8080
_CONTROLLER, _ETCD, _ETCD_PEER = 9093, 2379, 2380
_STOP_S = 5
"""
After so long Patroni ends a primary that has lost its lock. Sessions of ingest have temporary tables, whose removal at
their end waits for the standby: a primary that cannot reach it would not stop by itself.
"""
_CLUSTER = "cGxhY2FyZC1sb29wYmFjaw"
_PACKAGES = {"haproxy": "haproxy", "etcd": "etcd-server", "patroni": "patroni", "ip": "iproute2"}
_JAVA = (
    *("java", "-Xms96m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData"),
    *("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Djava.awt.headless=true"),
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
)
_REPLICATED = """
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
share.coordinator.state.topic.replication.factor=3
share.coordinator.state.topic.min.isr=2
replica.lag.time.max.ms=5000
broker.session.timeout.ms=5000
"""


def install_programs() -> None:
    """Installs what is missing of Debian's packages."""
    missing = [package for program, package in _PACKAGES.items() if shutil.which(program) is None]
    install_missing(missing, print, otherwise=f"Install {', '.join(_PACKAGES.values())}.")


def listens(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=1.0):
            return True
    except OSError:
        return False


def make_brokers(zones: Sequence[Zone], folder: Path) -> list[Unit]:
    """One node in each zone, broker and controller; a record is acknowledged by two."""
    jars = fetch(print)
    voters = ",".join(f"{at}@{one.address}:{_CONTROLLER}" for at, one in enumerate(zones, 1))
    units = []
    for at, zone in enumerate(zones, 1):
        own = folder / f"kafka-{zone.name}"
        own.mkdir()
        broker, controller = f"{zone.address}:{KAFKA}", f"{zone.address}:{_CONTROLLER}"
        settings = own / "server.properties"
        settings.write_text(
            f"{(FOLDER / 'server.properties').read_text()}{_REPLICATED}node.id={at}\n"
            f"listeners=BROKER://{broker},CONTROLLER://{controller}\n"
            f"advertised.listeners=BROKER://{broker}\ncontroller.quorum.voters={voters}\n"
            f"log.dirs={own / 'data'}\n"
        )
        java = [*_JAVA, "-cp", f"{jars}/*"]
        tool = [*java, "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(settings)]
        subprocess.run(tool, check=True, capture_output=True)
        command = [*java, "kafka.Kafka", str(settings)]
        ready = _Listening(zone.address, KAFKA)
        units.append(Unit(f"kafka-{zone.name}", zone, command, own, ready=ready))
    return units


class _Listening:
    def __init__(self, address: str, port: int) -> None:
        self._place = (address, port)

    def __call__(self) -> bool:
        return listens(*self._place)


def make_redis(zones: Sequence[Zone], folder: Path) -> list[Unit]:
    """A server in each zone, of which the first is the primary at the start, and three Sentinels."""
    units = []
    primary = zones[0].address
    for zone in zones:
        own = folder / f"redis-{zone.name}"
        program = debian_redis(own, "redis-server")
        settings = own / "redis.conf"
        follows = "" if zone is zones[0] else f"replicaof {primary} {REDIS}\n"
        settings.write_text(
            f"bind {zone.address}\nport {REDIS}\nprotected-mode no\ndir {own}\nappendonly yes\nsave ''\n"
            f"repl-diskless-sync-delay 0\n{follows}"
        )
        ready = _Listening(zone.address, REDIS)
        units.append(Unit(f"redis-{zone.name}", zone, [program, settings], own, ready=ready))
    for zone in zones:
        own = folder / f"sentinel-{zone.name}"
        program = debian_redis(own, "redis-sentinel")
        settings = own / "sentinel.conf"
        settings.write_text(
            f"bind {zone.address}\nport {SENTINEL}\nprotected-mode no\ndir {own}\n"
            f"sentinel monitor placard {primary} {REDIS} 2\n"
            "sentinel down-after-milliseconds placard 2000\nsentinel failover-timeout placard 5000\n"
        )
        ready = _Listening(zone.address, SENTINEL)
        units.append(Unit(f"sentinel-{zone.name}", zone, [program, settings], own, ready=ready))
    return units


def make_etcd(zones: Sequence[Zone], folder: Path) -> list[Unit]:
    members = ",".join(f"{one.name}=http://{one.address}:{_ETCD_PEER}" for one in zones)
    units = []
    for zone in zones:
        own = folder / f"etcd-{zone.name}"
        peer, client = (f"http://{zone.address}:{port}" for port in (_ETCD_PEER, _ETCD))
        options = {
            "name": zone.name,
            "data-dir": str(own / "data"),
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "initial-cluster": members,
            "heartbeat-interval": "200",
            "election-timeout": "2000",
            # Without it, a member that was cut off makes the others elect a leader anew when it is back.
            "pre-vote": "true",
            "enable-v2": "true",
        }
        command = ["etcd", *(f"--{key}={value}" for key, value in options.items())]
        ready = _Listening(zone.address, _ETCD)
        units.append(Unit(f"etcd-{zone.name}", zone, command, own, ready=ready))
    return units


def make_postgres(zones: Sequence[Zone], etcd: Sequence[Zone], folder: Path) -> list[Unit]:
    """A primary and a synchronous standby, which Patroni chooses."""
    programs = find_programs()
    units = []
    for zone in zones:
        own = folder / f"postgres-{zone.name}"
        own.mkdir()
        shutil.chown(own, "postgres")
        settings = own / "patroni.json"
        settings.write_text(json.dumps(_patroni(zone, etcd, own, programs)))
        settings.chmod(0o644)
        unit = Unit(
            f"postgres-{zone.name}",
            zone,
            ["patroni", settings],
            own,
            ready=_Listening(zone.address, POSTGRES),
            user="postgres",
            reach=(own, programs),
            pid_file=own / "data" / "postmaster.pid",
        )
        units.append(unit)
    return units


def _patroni(zone: Zone, etcd: Sequence[Zone], own: Path, programs: Path) -> dict[str, object]:
    everyone = [f"host {one} all 0.0.0.0/0 trust" for one in ("all", "replication")]
    parameters = {
        "max_connections": 200,
        "shared_buffers": "64MB",
        "wal_keep_size": "256MB",
        "wal_retrieve_retry_interval": "1s",
        "jit": "off",
        "timezone": "UTC",
    }
    return {
        "scope": "placard",
        "name": zone.name,
        "restapi": {
            "listen": f"{zone.address}:{PATRONI}",
            "connect_address": f"{zone.address}:{PATRONI}",
        },
        # By etcd's API of version 3, Patroni 3.0.2 writes its lock without a condition. A primary that was frozen would
        # take it from its successor.
        "etcd": {"hosts": [f"{one.address}:{_ETCD}" for one in etcd]},
        "bootstrap": {
            "dcs": {
                "ttl": 20,
                "loop_wait": 2,
                # Longer than an election of etcd takes. Twice this and loop_wait fit into ttl.
                "retry_timeout": 8,
                "synchronous_mode": True,
                "primary_start_timeout": 0,
                "primary_stop_timeout": _STOP_S,
                "postgresql": {"use_pg_rewind": True, "parameters": parameters},
            },
            "initdb": [
                {"encoding": "UTF8"},
                {"locale-provider": "builtin"},
                {"builtin-locale": "C.UTF-8"},
                {"locale": "C"},
                "data-checksums",
            ],
        },
        "postgresql": {
            "listen": f"{zone.address}:{POSTGRES}",
            "connect_address": f"{zone.address}:{POSTGRES}",
            "data_dir": str(own / "data"),
            "bin_dir": str(programs),
            "parameters": {"unix_socket_directories": str(own)},
            "pgpass": str(own / "pgpass"),
            # A rewind that was interrupted cannot be repeated: the standby is copied anew.
            "remove_data_directory_on_rewind_failure": True,
            "pg_hba": ["local all all trust", *everyone],
            "authentication": {
                "superuser": {"username": "placard"},
                "replication": {"username": "replicator"},
            },
        },
    }


def make_proxy(found: Network, folder: Path) -> Unit:
    """
    Sends a serve that reached no edge, or got no response within a second, to another one, once. An edge is down only
    after four checks, and its requests go on: where the machine is too busy, all edges fail a check or two.
    """
    servers = {
        "control": ("api", 8000, found.zones[:2]),
        "edge": ("edge", EDGE, found.zones),
        "publish": ("publish", 8090, found.zones[:2]),
    }
    lines = [
        "global\n  maxconn 4000\n",
        "defaults\n  mode http\n  option forwardfor\n  option redispatch 1\n  retries 1",
        "  timeout connect 500ms\n  timeout client 30s\n  timeout server 30s\n  timeout check 500ms",
        "  default-server check inter 500ms rise 1\n",
    ]
    for name, (label, port, zones) in servers.items():
        lines.append(f"listen {name}\n  bind {found.address}:{port}")
        if name == "publish":
            lines.append("  mode tcp")
        else:
            lines.append("  option httpchk GET /readyz")
        if name == "edge":
            lines.append("  default-server fall 4\n  timeout check 2s")
            lines.append("  timeout server 1s\n  http-request disable-l7-retry if METH_POST")
            lines.append("  retry-on conn-failure empty-response response-timeout 502 503 504")
        else:
            lines.append("  default-server fall 2 on-marked-down shutdown-sessions")
        lines += [f"  server {label}-{one.name} {one.address}:{port}" for one in zones]
    settings = folder / "haproxy.cfg"
    settings.write_text("\n".join(lines) + "\n")
    command = ["haproxy", "-db", "-f", str(settings)]
    return Unit("proxy", None, command, folder / "proxy", ready=_Listening(found.address, EDGE))
