"""The doctor names what a failover lacks, one thing at a time, and what to do."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from common.values.clock import SystemClock
from control.foundation.settings import ControlSettings
from control.operations.doctor.finding import Finding, Level
from control.operations.doctor.redis import check_redis
from control.operations.doctor.redundancy import (
    check_certificates,
    check_pooler,
    check_replica,
    check_sentinels,
)
from deploy.standalone.sockets import find_free_ports
from tests.support.certificates import Authority
from tests.support.postgres_servers import PgBouncer, StandbyPostgres
from tests.support.redis_servers import (
    ClusterNode,
    ClusterOfRedis,
    SentinelServer,
    TcpRedis,
)
from tests.support.servers import PostgresServer, started
from tests.support.waiting import until

_CLOCK = SystemClock()


def settings(**changes: Any) -> ControlSettings:
    values: dict[str, Any] = {
        "database_url": "postgresql://nowhere/placard",
        "redis_url": "redis://nowhere",
        "key_file": Path("keys.json"),
        "control_url": "https://control.example",
        "edge_live_url": "https://edge.example",
        "edge_test_url": "https://edge-test.example",
    }
    return ControlSettings(**values | changes)


def only(findings: list[Finding]) -> tuple[str, Level]:
    (found,) = findings
    assert found.remedy or found.level is Level.OK
    return found.check, found.level


@pytest.mark.parametrize(("mode", "level"), [("transaction", Level.OK), ("session", Level.WARNING)])
async def test_a_pooler_in_session_mode_is_noticed(
    servers_folder: Path, postgres_server: PostgresServer, mode: str, level: Level
) -> None:
    folder = servers_folder / f"pgbouncer-{mode}"
    with started(PgBouncer(folder, postgres_server, mode=mode)) as pooler:
        direct = postgres_server.url
        stated = settings(database_url=pooler.url_of(direct), database_direct_url=direct)
        assert only(await check_pooler(stated)) == ("pooler.mode", level)


async def test_a_pooler_that_is_not_there_is_an_error(postgres_server: PostgresServer) -> None:
    stated = settings(
        database_url="postgresql://placard@127.0.0.1:1/placard",
        database_direct_url=postgres_server.url,
    )
    assert only(await check_pooler(stated)) == ("pooler.reachable", Level.ERROR)


async def test_a_replica_that_does_not_follow_is_noticed(servers_folder: Path) -> None:
    with (
        started(PostgresServer(servers_folder / "pg-doctor")) as primary,
        started(StandbyPostgres(servers_folder / "pg-doctor-b", primary)) as replica,
    ):

        async def is_disconnected() -> bool:
            return not replica.is_connected()

        stated = settings(database_read_url=replica.url, database_read_max_lag_s=1e-6)
        as_primary = settings(database_read_url=primary.url)
        assert only(await check_replica(as_primary)) == ("replica.role", Level.WARNING)
        primary.kill()
        await until(is_disconnected)
        assert only(await check_replica(stated)) == ("replica.lag", Level.WARNING)
        replica.kill()
        assert only(await check_replica(stated)) == ("replica.reachable", Level.WARNING)


@pytest.fixture(scope="module")
def primary(servers_folder: Path) -> Iterator[TcpRedis]:
    with started(TcpRedis(servers_folder / "redis-doctor")) as server:
        yield server


async def test_sentinels_without_a_quorum_are_an_error(
    servers_folder: Path, primary: TcpRedis
) -> None:
    with started(SentinelServer(servers_folder / "alone", primary, quorum=2)) as sentinel:
        url = f"redis+sentinel://127.0.0.1:{sentinel.port}?primary=placard"
        assert only(await check_sentinels(url)) == ("redis.sentinels", Level.ERROR)


async def test_one_sentinel_and_one_of_three_away_are_warnings(
    servers_folder: Path, primary: TcpRedis
) -> None:
    with started(SentinelServer(servers_folder / "one", primary, quorum=1)) as sentinel:
        one, away = f"127.0.0.1:{sentinel.port}", f"127.0.0.1:{find_free_ports(1)[0]}"
        alone = f"redis+sentinel://{one}?primary=placard"
        three = f"redis+sentinel://{one},{one},{away}?primary=placard"
        complete = f"redis+sentinel://{one},{one},{one}?primary=placard"
        assert only(await check_sentinels(alone)) == ("redis.sentinels", Level.WARNING)
        assert only(await check_sentinels(three)) == ("redis.sentinels", Level.WARNING)
        assert only(await check_sentinels(complete)) == ("redis.sentinels", Level.OK)


async def test_a_replica_of_a_role_is_refused_by_the_name_of_its_setting(
    servers_folder: Path, primary: TcpRedis
) -> None:
    follows = {"replicaof": f"127.0.0.1 {primary.port}"}
    with started(TcpRedis(servers_folder / "redis-doctor-b", follows)) as replica:
        findings = await check_redis(
            replica.tcp_url, _CLOCK, is_event_log=False, variable="PLACARD_LEASE_REDIS_URL"
        )
    (role,) = [one for one in findings if one.check == "redis.role"]
    assert role.level is Level.ERROR
    assert "PLACARD_LEASE_REDIS_URL" in role.remedy


async def test_a_server_of_a_cluster_is_an_error(servers_folder: Path) -> None:
    own = {"cluster-enabled": "yes", "cluster-port": str(find_free_ports(1)[0])}
    with started(TcpRedis(servers_folder / "redis-doctor-cluster", own)) as server:
        findings = await check_redis(server.tcp_url, _CLOCK, is_event_log=False)
    assert ("redis.cluster", Level.ERROR) in {(one.check, one.level) for one in findings}


async def test_each_primary_of_a_cluster_is_checked(redis_cluster: ClusterOfRedis) -> None:
    node = redis_cluster.primaries[1]

    async def found(level: Level) -> list[str]:
        findings = await check_redis(redis_cluster.url, _CLOCK, is_event_log=True)
        checks = {one.check for one in findings}
        assert {"redis.cluster", "redis.cluster_state", "redis.role"} <= checks
        return [f"{one.check} {one.text[:15]}" for one in findings if one.level is level]

    replicas = sorted(f"redis.replicas {one.tcp_url[8:23]}" for one in redis_cluster.primaries)
    assert await found(Level.ERROR) == []
    assert sorted(await found(Level.WARNING)) == replicas
    for name, kept, changed in (
        ("appendonly", "yes", "no"),
        ("maxmemory-policy", "noeviction", "allkeys-lru"),
    ):
        node.query("CONFIG", "SET", name, changed, "maxmemory", "64mb")
        wrong = await found(Level.ERROR)
        node.query("CONFIG", "SET", name, kept, "maxmemory", "0")
        assert [one.split()[1] for one in wrong] == [node.tcp_url[8:23]]


async def test_slots_that_no_node_has_are_an_error(servers_folder: Path) -> None:
    with started(ClusterNode(servers_folder / "redis-doctor-slots")) as node:
        url = node.tcp_url.replace("redis:", "redis+cluster:")
        unreachable = await check_redis(url, _CLOCK, is_event_log=False)
        assert only(unreachable) == ("redis.reachable", Level.ERROR)
        node.query("CLUSTER ADDSLOTSRANGE", 0, 99)
        findings = await check_redis(url, _CLOCK, is_event_log=False)
    levels = {(one.check, one.level) for one in findings}
    assert ("redis.cluster_state", Level.ERROR) in levels
    assert ("redis.cluster", Level.WARNING) in levels


@pytest.mark.parametrize(
    ("days", "level"), [(15, Level.OK), (13, Level.WARNING), (-1, Level.ERROR)]
)
def test_a_certificate_that_ends_soon_is_noticed(tmp_path: Path, days: int, level: Level) -> None:
    now = dt.datetime.fromtimestamp(_CLOCK.now_ms() / 1000, dt.UTC)
    ends = now + dt.timedelta(days=days, minutes=5)
    certificate, key = Authority(tmp_path).issue("edge", until=ends)
    files = f"certificate_file={certificate}&certificate_key_file={key}"
    stated = settings(redis_url=f"rediss://h?{files}")
    assert only(check_certificates(stated, _CLOCK)) == ("certificate.edge.pem", level)


def test_a_certificate_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    stated = settings(kafka_security_protocol="SSL", kafka_ca_file=tmp_path / "ca.pem")
    assert only(check_certificates(stated, _CLOCK)) == ("certificate.ca.pem", Level.ERROR)
