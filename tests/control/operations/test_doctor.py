"""The doctor names what is wrong, one thing at a time, and what to do."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import asyncpg
import pytest
from redis.asyncio import Redis

from control.foundation.settings import ControlSettings
from control.operations.doctor.examination import examine, has_errors, to_json, to_text
from control.operations.doctor.finding import Finding, Level, compare_clocks
from control.operations.doctor.tracing import check_tracing
from control.storage.leader_election import Leadership
from control.storage.migrate import head_revision
from tests.support.collector import collector
from tests.support.control_api import DatabaseTemplate
from tests.support.mail_server import mail_server
from tests.support.servers import KafkaServer, PostgresServer, RedisServer, started

_NEXT_RELEASE = "9999"


@pytest.fixture(scope="module")
def durable(servers_folder: Path) -> Iterator[PostgresServer]:
    """With the settings of production, unlike the other tests' server."""
    folder = Path(mkdtemp(prefix="doctor-", dir=servers_folder))
    with started(PostgresServer(folder / "postgres", durable=True)) as server:
        yield server


@pytest.fixture(scope="module")
def database_url(durable: PostgresServer) -> str:
    return DatabaseTemplate(durable).new_database()


@pytest.fixture
def values(database_url: str, redis_server: RedisServer, tmp_path: Path) -> dict[str, Any]:
    """Of settings with which nothing is wrong."""
    key_file = tmp_path / "keys.json"
    key_file.touch(mode=0o600)
    key = base64.b64encode(bytes(32)).decode()
    key_file.write_text(json.dumps({"active": "k1", "keys": {"k1": key}}), encoding="utf-8")
    return {
        "database_url": database_url,
        "redis_url": redis_server.url,
        "key_file": key_file,
        "state": tmp_path,
        "control_url": "https://control.example",
        "edge_live_url": "https://edge.example",
        "edge_test_url": "https://edge-test.example",
    }


async def examined(values: dict[str, Any], **changes: Any) -> list[Finding]:
    return await examine(ControlSettings(**values | changes))


async def errors(values: dict[str, Any], **changes: Any) -> list[str]:
    findings = await examined(values, **changes)
    return [one.check for one in findings if one.level is Level.ERROR]


async def of(check: str, values: dict[str, Any], **changes: Any) -> Finding:
    findings = await examined(values, **changes)
    return next(one for one in findings if one.check == check)


async def test_a_variable_that_is_no_setting_is_a_warning_with_its_remedy(
    values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    misspelt = "PLACARD_" + "REDIS_ULR"
    assert (await of("settings.unknown", values)).level is Level.OK
    monkeypatch.setenv(misspelt, "redis://a:hidden@b")
    finding = await of("settings.unknown", values)
    assert finding.level is Level.WARNING
    assert finding.text == f"{misspelt} is no setting, and is ignored."
    assert finding.remedy == "Rename it to PLACARD_REDIS_URL, or remove it."


async def test_a_sound_installation_has_no_warning_and_notes_say_what_production_needs(
    values: dict[str, Any],
) -> None:
    findings = await examined(values)
    assert [one for one in findings if one.level.at_least(Level.WARNING)] == []
    noted = {one.check for one in findings if one.level is Level.NOTE}
    assert {"postgresql.archive", "postgresql.standbys", "edges.present", "mail.server"} <= noted
    assert all(one.remedy for one in findings if one.level is not Level.OK)


async def test_servers_that_are_away_are_named_with_their_setting(values: dict[str, Any]) -> None:
    found = await examined(
        values,
        database_url="postgresql://127.0.0.1:1/placard",
        redis_url="redis://127.0.0.1:1/0",
        kafka_bootstrap_servers="127.0.0.1:1",
    )
    remedies = {one.check: one.remedy for one in found if one.level is Level.ERROR}
    assert "PLACARD_DATABASE_URL" in remedies["postgresql.reachable"]
    assert "PLACARD_REDIS_URL" in remedies["redis.reachable"]
    assert "PLACARD_KAFKA_" in remedies["kafka.reachable"]


async def test_a_database_without_a_schema_is_to_be_migrated(
    values: dict[str, Any], durable: PostgresServer
) -> None:
    finding = await of("postgresql.schema", values, database_url=durable.new_database())
    assert finding.level is Level.ERROR
    assert "control migrate" in finding.remedy


@pytest.mark.parametrize(
    ("revision", "level", "remedy"),
    [
        ("0061", Level.ERROR, "control migrate"),
        # The release before runs on the schema of the next one: it may be started again.
        (_NEXT_RELEASE, Level.WARNING, "directly before"),
    ],
)
async def test_a_schema_of_another_release_is_found(
    values: dict[str, Any], database_url: str, revision: str, level: Level, remedy: str
) -> None:
    database = await asyncpg.connect(database_url)
    try:
        await database.execute("update alembic_version set version_num = $1", revision)
        finding = await of("postgresql.schema", values)
        await database.execute("update alembic_version set version_num = $1", head_revision())
    finally:
        await database.close()
    assert finding.level is level
    assert remedy in finding.remedy


async def test_a_server_that_can_lose_commits_is_an_error(
    values: dict[str, Any], migrated: DatabaseTemplate
) -> None:
    database_url = migrated.new_database()
    assert await errors(values, database_url=database_url) == [
        "postgresql.fsync",
        "postgresql.full_page_writes",
    ]
    migrated.drop(database_url)


async def test_the_process_that_leads_is_found_by_its_lock(
    values: dict[str, Any], database_url: str
) -> None:
    database = await asyncpg.connect(database_url)
    try:
        await database.execute("select pg_advisory_lock($1)", int(Leadership.WORK))
        found = {one.check: one.level for one in await examined(values)}
    finally:
        await database.close()
    assert found["process.work"] is Level.OK
    assert found["process.pace"] is Level.NOTE


async def test_an_edge_that_cannot_adopt_the_snapshot_is_an_error_with_its_reason(
    values: dict[str, Any], database_url: str
) -> None:
    database = await asyncpg.connect(database_url)
    insert = (
        "insert into edge_workers (environment, worker, boot, epoch, version, ok, age_s, seen_at, nack_reason)"
        " values ('live', $1, 'b', 'e', 1, $2, 0, clock_timestamp(), $3)"
    )
    try:
        await database.executemany(insert, [("a/0", True, None)])
        healthy = await of("edges.present", values)
        await database.executemany(insert, [("a/1", False, "unknown object kind")])
        refusing = await of("edges.present", values)
    finally:
        await database.execute("delete from edge_workers")
        await database.close()
    assert (healthy.level, refusing.level) == (Level.OK, Level.ERROR)
    assert "live/a/1: unknown object kind" in refusing.text


async def test_redis_must_neither_forget_nor_evict(
    values: dict[str, Any], servers_folder: Path
) -> None:
    settings = {"appendonly": "no", "maxmemory": "64mb", "maxmemory-policy": "allkeys-lru"}
    with started(RedisServer(servers_folder / "forgetful", settings)) as redis:
        assert await errors(values, redis_url=redis.url) == ["redis.persistence", "redis.eviction"]


async def test_the_user_of_a_role_gets_notes_of_what_it_may_not_read(
    values: dict[str, Any], redis_server: RedisServer
) -> None:
    """As in the containers, where each process has a user with the rights of its role alone."""
    admin: Redis = Redis.from_url(redis_server.url)
    await admin.acl_setuser(
        "doctor-role",
        enabled=True,
        passwords=["+secret"],
        keys=["none"],
        commands=["+auth", "+hello", "+select", "+ping", "+client|setinfo", "+client|setname"],
    )
    as_role = redis_server.url.replace("://", "://doctor-role:secret@")
    try:
        findings = await examined(values, redis_url=as_role)
    finally:
        await admin.acl_deluser("doctor-role")
        await admin.aclose()

    levels = {one.check: one.level for one in findings if one.check.startswith("redis.")}
    assert levels == {
        "redis.reachable": Level.OK,
        "redis.clock": Level.NOTE,
        "redis.info": Level.NOTE,
    }


async def test_a_replica_of_redis_is_refused(values: dict[str, Any], servers_folder: Path) -> None:
    with started(RedisServer(servers_folder / "replica")) as redis:
        client = Redis.from_url(redis.url)
        await client.replicaof("127.0.0.1", "1")
        await client.aclose()
        assert "redis.role" in await errors(values, redis_url=redis.url)


async def test_topics_of_kafka_are_checked(
    values: dict[str, Any], kafka: KafkaServer, namespace: str
) -> None:
    from aiokafka.admin import AIOKafkaAdminClient, NewTopic

    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    try:
        await admin.create_topics(
            [
                NewTopic(f"{namespace}.events", 3, 1, topic_configs={"retention.ms": "60000"}),
                NewTopic(
                    f"{namespace}.decisions", 4, 1, topic_configs={"cleanup.policy": "compact"}
                ),
            ]
        )
    finally:
        await admin.close()
    found = {
        one.check.removeprefix(f"kafka.{namespace}."): one.level
        for one in await examined(
            values, namespace=namespace, kafka_bootstrap_servers=kafka.bootstrap
        )
        if one.check.startswith("kafka.")
    }
    assert found == {
        "kafka.reachable": Level.OK,
        "events.partitions": Level.ERROR,
        "events.replicas": Level.NOTE,
        "events.retention": Level.WARNING,
        "decisions.partitions": Level.OK,
        "decisions.replicas": Level.NOTE,
        "decisions.retention": Level.ERROR,
    }


async def test_this_machines_files_and_addresses_are_checked(values: dict[str, Any]) -> None:
    values["key_file"].chmod(0o644)
    findings = {
        one.check: one
        for one in await examined(
            values,
            control_url="http://control.example",
            assets_url="http://control.example/assets",
        )
    }
    assert findings["machine.key_file"].remedy == f"chmod 600 {values['key_file']}"
    assert findings["machine.key_file"].level is Level.WARNING
    assert findings["address.control_url"].level is Level.ERROR
    assert findings["address.assets_host"].level is Level.ERROR


def test_the_file_limit_must_allow_all_connections() -> None:
    code = (
        "from control.operations.doctor.machine import check_open_files; print(check_open_files())"
    )
    for allowed, level in ((12_499, "warning"), (12_500, "ok")):
        command = f"ulimit -n {allowed} && exec {sys.executable} -c '{code}'"
        printed = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=True
        ).stdout
        assert f"'{level}'" in printed
        assert f"A process may open {allowed} files." in printed


async def test_a_key_file_that_is_gone_is_an_error(values: dict[str, Any]) -> None:
    values["key_file"].unlink()
    assert await errors(values) == ["machine.key_file"]


async def test_the_mail_server_is_tried_and_the_sender_checked(values: dict[str, Any]) -> None:
    async with mail_server() as server:
        assert await errors(values, mail_url=server.url) == ["mail.sender"]
        sender = {"mail_from": "Placard <placard@example.com>"}
        assert await errors(values, mail_url=server.url, **sender) == []
    assert await errors(values, mail_url="smtp://127.0.0.1:1", **sender) == ["mail.server"]


async def test_a_bucket_that_does_not_respond_is_an_error(values: dict[str, Any]) -> None:
    bucket = "s3://bucket?endpoint=http://127.0.0.1:1&region=x"
    assert await errors(values, assets_store=bucket) == ["stores.assets"]


@pytest.mark.parametrize(
    ("ahead_s", "level"), [(0.4, Level.OK), (-2.0, Level.WARNING), (11.0, Level.ERROR)]
)
def test_clocks_may_differ_by_a_second(ahead_s: float, level: Level) -> None:
    assert compare_clocks("x", "Redis", ahead_s).level is level


def test_findings_are_printed_for_people_and_for_machines() -> None:
    findings = [
        Finding("a.b", Level.OK, "Fine."),
        Finding("c.d", Level.ERROR, "Broken.", "Mend it."),
    ]
    assert to_text(findings, lowest=Level.WARNING).split("\n") == [
        "error    c.d                          Broken.",
        f"{'':37} → Mend it.",
        "1 error, 1 ok",
    ]
    assert json.loads(to_json(findings)) == {
        "ok": False,
        "findings": [
            {"check": "a.b", "level": "ok", "text": "Fine.", "remedy": ""},
            {"check": "c.d", "level": "error", "text": "Broken.", "remedy": "Mend it."},
        ],
    }
    assert has_errors(findings)


def test_the_command_exits_by_what_it_found(values: dict[str, Any]) -> None:
    def doctor(*options: str, **changes: str) -> subprocess.CompletedProcess[str]:
        given = {
            f"PLACARD_{name.upper()}": str(value) for name, value in (values | changes).items()
        }
        inherited = {name: value for name, value in os.environ.items() if "PLACARD_" not in name}  # noqa: TID251 - the child's own
        command = [sys.executable, "-m", "control", "doctor", "--quiet", *options]
        return subprocess.run(
            command, env=inherited | given, capture_output=True, text=True, check=False
        )

    sound, broken = doctor(), doctor(key_file="/nowhere")
    assert (sound.returncode, sound.stdout) == (0, "")
    assert (broken.returncode, "machine.key_file" in broken.stdout) == (1, True)
    away = {"mail_url": "smtp://127.0.0.1:1", "mail_from": "Placard <no-reply@placard.example>"}
    assert doctor(**away).returncode == 1
    starting = doctor("--at-start", **away)
    assert (starting.returncode, "mail.server" in starting.stdout) == (0, True)
    assert doctor("--at-start", key_file="/nowhere").returncode == 1
    unreadable = doctor(control_port="many")
    assert (unreadable.returncode, "PLACARD_CONTROL_PORT" in unreadable.stderr) == (2, True)


async def test_a_trace_collector_that_is_not_there_is_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert await check_tracing() == []
    with collector() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
        (there,) = await check_tracing()
    (gone,) = await check_tracing()

    assert (there.check, there.level) == ("tracing.collector", Level.OK)
    assert (gone.check, gone.level) == ("tracing.collector", Level.WARNING)
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in gone.remedy


async def test_the_doctor_refuses_variables_of_traces_that_cannot_work(
    values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "2")
    findings = await examined(values)

    (wrong,) = [one for one in findings if one.check == "tracing.settings"]
    assert (wrong.level, "OTEL_TRACES_SAMPLER_ARG" in wrong.text) == (Level.ERROR, True)
