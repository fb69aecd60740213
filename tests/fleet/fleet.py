"""
A whole fleet on one machine: three zones, servers that are replicated over them, three edges and two of each process of
the control plane, with mutual TLS between them.
"""

import asyncio
import json
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from common.service.internal_tls import InternalTls
from deploy.standalone.child import ROOT
from deploy.standalone.geo import demo_geo_path, write_geo_database
from deploy.standalone.state import make_key_file
from tests.fleet.network import Network, Zone, network
from tests.fleet.servers import (
    KAFKA,
    PATRONI,
    POSTGRES,
    SENTINEL,
    install_programs,
    make_brokers,
    make_etcd,
    make_postgres,
    make_proxy,
    make_redis,
)
from tests.fleet.unit import Unit
from tests.support.certificates import Authority

ELECTED = ("publish", "pace", "work")
_PROCESSES = ("api", "ingest", *ELECTED)
_INTERNAL = {name: 9100 + at for at, name in enumerate((*_PROCESSES, "edge"))}
_ZONES = ("a", "b", "c")
_PRIMARY_S = 120.0
_SCRAPE_S = 3.0
_LOOK_S = 0.1


@dataclass
class Fleet:
    """``tls``: of the operator, who reads internal ports. ``home``, ``python``: the checkout whose commands he runs."""

    network: Network
    state: Path
    shared: dict[str, str]
    tls: ssl.SSLContext
    units: dict[str, Unit] = field(default_factory=dict)
    home: Path = ROOT
    python: str = sys.executable

    @property
    def demo(self) -> dict[str, str]:
        """Addresses, in the form that `Customer` reads."""
        return {
            "control_url": f"http://{self.network.address}:8000",
            "edge_live_url": f"http://{self.network.address}:8080",
        }

    @property
    def environment(self) -> dict[str, str]:
        """The settings of every process, and a URL for clients that would read from a standby otherwise."""
        url = f"{self.shared['PLACARD_DATABASE_URL']}&target_session_attrs=read-write"
        return {**self.shared, "PLACARD_DATABASE_URL": url}

    @property
    def edges(self) -> list[Unit]:
        return [unit for name, unit in self.units.items() if name.startswith("edge-")]

    def edge_workers(self, environment: str) -> list[int]:
        """A process for each edge: every edge has one worker."""
        del environment
        return [edge.pids[0] for edge in self.edges if edge.is_alive()]

    def zone_of(self, name: str) -> Zone:
        return next(one for one in self.network.zones if one.name == name)

    def in_zone(self, name: str) -> list[Unit]:
        zone = self.zone_of(name)
        return [unit for unit in self.units.values() if unit.zone == zone]

    def control(self, *arguments: str) -> None:
        """Runs ``python -m control …`` to its end."""
        done = subprocess.run(
            [self.python, "-m", "control", *arguments],
            cwd=self.home,
            env={"PATH": "/usr/bin:/bin", **self.shared},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"control {' '.join(arguments)}: {done.stderr[-2000:]}"

    async def metrics(self, name: str) -> str:
        """Of the unit *name*; empty where it does not respond."""
        unit = self.units[name]
        assert unit.zone is not None
        url = f"https://{unit.zone.address}:{_INTERNAL[name.partition('-')[0]]}/metrics"
        try:
            async with httpx.AsyncClient(verify=self.tls, timeout=_SCRAPE_S) as http:
                return (await http.get(url)).text
        except httpx.TransportError:
            return ""

    async def leader(self, kind: str) -> str | None:
        """The unit of *kind* that says that it leads."""
        names = [name for name in self.units if name.startswith(f"{kind}-")]
        texts = await asyncio.gather(*(self.metrics(name) for name in names))
        found = [
            name for name, text in zip(names, texts, strict=True) if "placard_leader 1.0" in text
        ]
        return found[0] if found else None

    def find_takeover(self, kind: str, since: datetime) -> datetime | None:
        """When the unit of *kind* that leads began to, by its own log; None where that was not after *since*."""
        for unit in self.units.values():
            if unit.name.startswith(f"{kind}-"):
                *lines, _ = unit.log.read_text(errors="replace").split("\n")
                states = [json.loads(line) for line in lines if '"leader_state_changed"' in line]
                if states and states[-1]["state"] == "LEADER":
                    at = datetime.fromisoformat(states[-1]["timestamp"])
                    if at > since:
                        return at
        return None

    async def primary(self, kind: str) -> str:
        """The unit that is the primary of ``postgres`` or ``redis``."""
        until_s = time.monotonic() + _PRIMARY_S
        while time.monotonic() < until_s:
            found = await (self._postgres() if kind == "postgres" else self._redis())
            if found is not None:
                zone = next(one for one in self.network.zones if one.address == found)
                return f"{kind}-{zone.name}"
            await asyncio.sleep(_LOOK_S)
        raise AssertionError(f"{kind} has no primary")

    async def has_standby(self) -> bool:
        """Whether Patroni has recorded a synchronous standby, which alone it would promote."""
        async with httpx.AsyncClient(timeout=_SCRAPE_S) as http:
            for zone in self.network.zones[:2]:
                with suppress(httpx.TransportError):
                    answer = await http.get(f"http://{zone.address}:{PATRONI}/sync")
                    if answer.status_code == httpx.codes.OK:
                        return True
        return False

    async def _postgres(self) -> str | None:
        for zone in self.network.zones[:2]:
            if await self._ask_postgres(zone, "select not pg_is_in_recovery()"):
                return zone.address
        return None

    async def _ask_postgres(self, zone: Zone, query: str) -> object:
        """Of each server by itself: a frozen one would use up the time of a URL with both."""
        try:
            async with asyncio.timeout(_SCRAPE_S):
                connection = await asyncpg.connect(
                    host=zone.address, port=POSTGRES, user="placard", database="postgres"
                )
                try:
                    return await connection.fetchval(query)
                finally:
                    connection.terminate()
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return None

    async def _redis(self) -> str | None:
        command = b"SENTINEL get-master-addr-by-name placard\r\n"
        for zone in self.network.zones:
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                async with asyncio.timeout(1.0):
                    return await _ask(zone.address, SENTINEL, command)
        return None


async def _ask(host: str, port: int, command: bytes) -> str:
    """The third line of the response: the first part of an array."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(command)
        for _ in range(2):
            await reader.readuntil(b"\r\n")
        return (await reader.readuntil(b"\r\n")).decode().strip()
    finally:
        writer.close()


@contextmanager
def running_fleet(folder: Path) -> Iterator[Fleet]:
    """Needs root, and Debian's packages of `servers.install_programs`. Everything ends with the body."""
    install_programs()
    with ExitStack() as ending:
        found = ending.enter_context(network(_ZONES))
        authority = Authority(folder)
        operator = InternalTls(authority.file, *authority.issue("operator"))
        shared = shared_settings(found, folder) | _servers(found)
        fleet = Fleet(found, folder, shared, operator.open_client())
        begin(fleet, ending, make_servers(found, folder))
        asyncio.run(_make_database(fleet))
        fleet.control("migrate")
        fleet.control("keys", "derive-edge", "--output", str(folder / "edge-keys.json"))
        write_geo_database(demo_geo_path(folder))
        begin(fleet, ending, make_processes(fleet, authority))
        yield fleet


def make_servers(found: Network, folder: Path) -> list[Unit]:
    zones = found.zones
    return [
        *make_etcd(zones, folder),
        *make_brokers(zones, folder),
        *make_redis(zones, folder),
        *make_postgres(zones[:2], zones, folder),
    ]


def begin(fleet: Fleet, ending: ExitStack, units: Sequence[Unit]) -> None:
    """Starts *units* together, and returns when all are ready."""
    for unit in units:
        ending.callback(unit.kill)
        unit.start()
        fleet.units[unit.name] = unit
    for unit in units:
        unit.await_ready()


async def _make_database(fleet: Fleet) -> None:
    await fleet.primary("postgres")
    url = fleet.environment["PLACARD_DATABASE_URL"].replace("/placard?", "/postgres?")
    connection = await asyncpg.connect(url)
    await connection.execute("create database placard")
    await connection.close()


def _servers(found: Network) -> dict[str, str]:
    def listed(port: int) -> str:
        return ",".join(f"{one.address}:{port}" for one in found.zones)

    hosts = ",".join(one.address for one in found.zones[:2])
    ports = ",".join(str(POSTGRES) for _ in found.zones[:2])
    return {
        "PLACARD_DATABASE_URL": f"postgresql://placard@/placard?host={hosts}&port={ports}",
        "PLACARD_REDIS_URL": f"redis+sentinel://{listed(SENTINEL)}/0?primary=placard",
        "PLACARD_KAFKA_BOOTSTRAP_SERVERS": listed(KAFKA),
    }


def shared_settings(found: Network, folder: Path) -> dict[str, str]:
    """Those of every process, but for the addresses of servers."""
    return {
        "PLACARD_NAMESPACE": "fleet",
        "PLACARD_KEY_FILE": str(make_key_file(folder)),
        "PLACARD_STATE": str(folder / "state"),
        "PLACARD_ASSETS_STORE": f"file://{folder / 'assets'}",
        "PLACARD_CONTROL_URL": f"http://{found.address}:8000",
        "PLACARD_EDGE_LIVE_URL": f"http://{found.address}:8080",
        "PLACARD_EDGE_TEST_URL": f"http://{found.address}:8080",
        "PLACARD_TRUSTED_PROXIES": "1",
        "PLACARD_MANAGEMENT_PER_KEY_S": "200",
        "PLACARD_CLICK_MIN_DELAY_MS": "0",
        "PLACARD_RECONCILE_EVERY_S": "5",
    }


def make_processes(fleet: Fleet, authority: Authority) -> list[Unit]:
    found, units = fleet.network, []
    for zone in found.zones:
        addresses = (zone.address, found.address)
        certificate, key = authority.issue(f"machine-{zone.name}", addresses=addresses)
        own = {
            **fleet.shared,
            "PLACARD_INTERNAL_HOST": zone.address,
            "PLACARD_INTERNAL_CA_FILE": str(authority.file),
            "PLACARD_INTERNAL_CERTIFICATE_FILE": str(certificate),
            "PLACARD_INTERNAL_CERTIFICATE_KEY_FILE": str(key),
        }
        if zone in found.zones[:2]:
            units += [_control(fleet, zone, name, own) for name in _PROCESSES]
        units.append(_edge(fleet, zone, own))
    for unit in units:
        unit.home = ROOT
    return [*units, make_proxy(found, fleet.state)]


def _control(fleet: Fleet, zone: Zone, name: str, own: dict[str, str]) -> Unit:
    settings = {
        **own,
        "PLACARD_INTERNAL_PORT": str(_INTERNAL[name]),
        "PLACARD_CONTROL_HOST": zone.address,
        "PLACARD_CONTROL_PORT": "8000",
        "PLACARD_SNAPSHOT_HOST": zone.address,
        "PLACARD_SNAPSHOT_PORT": "8090",
    }
    command = [sys.executable, "-m", "control", name]
    folder = fleet.state / f"zone-{zone.name}"
    ready = _Metrics(fleet, f"{name}-{zone.name}")
    return Unit(f"{name}-{zone.name}", zone, command, folder, settings, ready)


def _edge(fleet: Fleet, zone: Zone, own: dict[str, str]) -> Unit:
    folder = fleet.state / f"zone-{zone.name}"
    settings = {name: value for name, value in own.items() if name != "PLACARD_DATABASE_URL"}
    settings |= {
        "PLACARD_INTERNAL_PORT": str(_INTERNAL["edge"]),
        "PLACARD_KEY_FILE": str(fleet.state / "edge-keys.json"),
        "PLACARD_ENVIRONMENT": "live",
        "PLACARD_EDGE_NAME": f"edge-{zone.name}",
        "PLACARD_EDGE_HOST": zone.address,
        "PLACARD_EDGE_PORT": "8080",
        "PLACARD_EDGE_URL": f"http://{fleet.network.address}:8080",
        "PLACARD_EDGE_WORKERS": "1",
        "PLACARD_PROXIES_COUNT": "1",
        "PLACARD_GEO_DATABASE": str(demo_geo_path(fleet.state)),
        "PLACARD_SPOOL_DIR": str(folder / "spool"),
        "PLACARD_SNAPSHOT_DIR": str(folder / "snapshot"),
        "PLACARD_SNAPSHOT_URL": f"https://{fleet.network.address}:8090",
    }
    command = [sys.executable, "-m", "edge"]
    ready = _Metrics(fleet, f"edge-{zone.name}")
    return Unit(f"edge-{zone.name}", zone, command, folder, settings, ready)


class _Metrics:
    """Whether the unit's internal port responds."""

    def __init__(self, fleet: Fleet, name: str) -> None:
        self._fleet = fleet
        self._name = name

    def __call__(self) -> bool:
        return bool(asyncio.run(self._fleet.metrics(self._name)))


def proportional_bytes(units: Sequence[Unit]) -> dict[str, Any]:
    """Memory of *units* by kind: what each process has alone, and its part of what it shares."""
    found: dict[str, int] = {}
    for unit in units:
        kind = unit.name.partition("-")[0]
        for pid in unit.pids:
            try:
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            except OSError:
                continue
            pss = next((int(one.split()[1]) for one in lines if one.startswith("Pss:")), 0)
            found[kind] = found.get(kind, 0) + pss * 1024
    return found
