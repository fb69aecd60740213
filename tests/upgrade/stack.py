"""
Two machines on addresses of the loopback interface, each with an edge and one of each process of the control plane,
on one PostgreSQL, one Redis and one broker of Kafka, behind a proxy. No process needs root.
"""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from common.service.internal_tls import InternalTls
from deploy.debian import install_missing
from deploy.standalone.geo import demo_geo_path, write_geo_database
from tests.fleet.fleet import Fleet, begin, make_processes, shared_settings
from tests.fleet.network import loopback
from tests.fleet.unit import Unit
from tests.support.certificates import Authority
from tests.support.servers import KafkaServer, PostgresServer, RedisServer, started
from tests.support.waiting import until
from tests.upgrade.builds import Build

PUBLIC_PORTS = {"api": 8000, "edge": 8080}
"""Of the processes behind the proxy, which state by ``/readyz`` that they take requests."""
_SHORT = {
    "PLACARD_LEARNING_EVERY_S": "5",
    "PLACARD_RECONCILE_POLL_S": "1",
    "PLACARD_SIGN_UPS_PER_HOUR": "10000",
    "PLACARD_COMPILED": "c",
}
_SEEN_S = 1.5
"""After so long, the proxy has checked a process that is ready again. It checks every half second."""
_LOOK_S = 0.1


@contextmanager
def running_on(build: Build, folder: Path) -> Iterator[Fleet]:
    """Everything of *build*, on its own schema. Everything ends with the body."""
    if shutil.which("haproxy") is None:
        install_missing(["haproxy"], print, otherwise="Install HAProxy.")
    with ExitStack() as ending:
        postgres = ending.enter_context(started(PostgresServer(folder / "postgres")))
        redis = ending.enter_context(started(RedisServer(folder / "redis")))
        kafka = ending.enter_context(started(KafkaServer(folder / "kafka")))
        found = loopback(("a", "b"))
        authority = Authority(folder)
        operator = InternalTls(authority.file, *authority.issue("operator"))
        shared = {
            **shared_settings(found, folder),
            **_SHORT,
            "PLACARD_DATABASE_URL": postgres.new_database(),
            "PLACARD_REDIS_URL": redis.url,
            "PLACARD_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap,
        }
        fleet = Fleet(found, folder, shared, operator.open_client())
        fleet.home, fleet.python = build.tree, build.python
        fleet.control("migrate")
        fleet.control("keys", "derive-edge", "--output", str(folder / "edge-keys.json"))
        write_geo_database(demo_geo_path(folder))
        units = make_processes(fleet, authority)
        for unit in units:
            if unit.zone is not None:
                take(unit, build)
        begin(fleet, ending, units)
        yield fleet


def take(unit: Unit, build: Build) -> None:
    """Its next start is one of *build*."""
    unit.home = build.tree
    unit.command = [build.python, *unit.command[1:]]


async def replace(unit: Unit, build: Build) -> None:
    """As an operator does: SIGTERM, the other build, and on when it is ready and the proxy has seen it."""
    await asyncio.to_thread(unit.stop)
    take(unit, build)
    unit.start()
    await asyncio.to_thread(unit.await_ready)
    port = PUBLIC_PORTS.get(unit.name.partition("-")[0])
    if port is None:
        return

    async def takes_requests() -> bool:
        async with httpx.AsyncClient(timeout=5) as http:
            try:
                return (await http.get(f"{url_of(unit, port)}/readyz")).is_success
            except httpx.TransportError:
                return False

    await until(takes_requests, every_s=_LOOK_S)
    await asyncio.sleep(_SEEN_S)


def url_of(unit: Unit, port: int) -> str:
    assert unit.zone is not None
    return f"http://{unit.zone.address}:{port}"
