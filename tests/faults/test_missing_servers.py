"""A missing server: each program that needs it logs its name, its address and its setting."""

import asyncio
import base64
import json
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from deploy.standalone.child import ROOT
from deploy.standalone.sockets import find_free_ports
from tests.e2e.customer import eventually
from tests.support.control_api import DatabaseTemplate
from tests.support.http_client import http_client
from tests.support.servers import PostgresServer, RedisServer
from tests.support.waiting import PATIENCE_S

NOWHERE = {
    "PLACARD_DATABASE_URL": "postgresql://somebody:hush@127.0.0.1:1/placard",
    "PLACARD_REDIS_URL": "redis://:hush@127.0.0.1:1/0",
    "PLACARD_KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1",
}
SERVERS = {"PLACARD_DATABASE_URL": "PostgreSQL", "PLACARD_REDIS_URL": "Redis"}
NEEDS = [
    ("control api", "PLACARD_DATABASE_URL"),
    ("control ingest", "PLACARD_DATABASE_URL"),
    ("control ingest", "PLACARD_REDIS_URL"),
    ("control ingest", "PLACARD_KAFKA_BOOTSTRAP_SERVERS"),
    ("control publish", "PLACARD_DATABASE_URL"),
    ("control publish", "PLACARD_REDIS_URL"),
    ("control work", "PLACARD_DATABASE_URL"),
    ("edge", "PLACARD_REDIS_URL"),
]


@pytest.fixture(scope="module")
def database_url(migrated: DatabaseTemplate) -> str:
    return migrated.new_database()


@pytest.fixture
def settings(
    database_url: str, redis_server: RedisServer, namespace: str, tmp_path: Path
) -> dict[str, str]:
    """Of any program; each has a port of its own for its readiness."""
    key_file = tmp_path / "keys.json"
    key = base64.b64encode(b"k" * 32).decode()
    key_file.write_text(json.dumps({"active": "k1", "keys": {"k1": key}}), encoding="utf-8")
    (port,) = find_free_ports(1)
    anywhere = "http://127.0.0.1:1"
    return {
        **os.environ,  # noqa: TID251 - a child needs the whole environment
        "PLACARD_DATABASE_URL": database_url,
        "PLACARD_REDIS_URL": redis_server.url,
        "PLACARD_NAMESPACE": namespace,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_STATE": str(tmp_path / "state"),
        "PLACARD_INTERNAL_PORT": str(port),
        "PLACARD_CONTROL_PORT": "0",
        "PLACARD_CONTROL_URL": anywhere,
        "PLACARD_EDGE_LIVE_URL": anywhere,
        "PLACARD_EDGE_TEST_URL": anywhere,
        "PLACARD_EDGE_LIVE_PORT": "0",
        "PLACARD_EDGE_TEST_PORT": "0",
        "PLACARD_ENVIRONMENT": "live",
        "PLACARD_EDGE_URL": anywhere,
        "PLACARD_EDGE_PORT": "0",
        "PLACARD_SPOOL_DIR": str(tmp_path / "spool"),
        "PLACARD_SNAPSHOT_DIR": str(tmp_path / "snapshot"),
    }


@asynccontextmanager
async def running(module: str, settings: dict[str, str]) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *module.split()),
        cwd=ROOT,
        env=settings,
        stdout=PIPE,
        stderr=STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.parametrize(("module", "variable"), NEEDS)
async def test_a_program_waits_and_logs_what_it_waits_for(
    module: str, variable: str, settings: dict[str, str]
) -> None:
    settings[variable] = NOWHERE[variable]
    async with running(module, settings) as process:
        assert process.stdout is not None
        text = b""
        async with asyncio.timeout(PATIENCE_S):
            while not _reports(text, variable):
                line = await process.stdout.readline()
                assert line, text.decode()
                text += line
        status = await eventually(lambda: _readiness(settings))
        process.send_signal(signal.SIGTERM)
        rest, _ = await process.communicate()
    assert status == httpx.codes.SERVICE_UNAVAILABLE
    assert process.returncode == 0
    assert b"Traceback" not in text + rest
    assert b"hush" not in text + rest


@pytest.mark.parametrize("variable", NOWHERE)
async def test_the_stack_does_not_start_and_reports_why(
    variable: str, settings: dict[str, str]
) -> None:
    settings |= {"PLACARD_DATABASE_URL": "", "PLACARD_REDIS_URL": ""}
    settings[variable] = NOWHERE[variable]
    async with running("deploy.standalone", settings) as process:
        text = (await process.communicate())[0]
    assert process.returncode == 1
    assert _reports(text, variable)
    assert f"correct {variable}".encode() in text
    assert b"Traceback" not in text
    assert b"hush" not in text


async def test_a_failed_migration_reports_the_address_it_tried(settings: dict[str, str]) -> None:
    settings["PLACARD_DATABASE_URL"] = NOWHERE["PLACARD_DATABASE_URL"]
    async with running("control migrate", settings) as process:
        text = (await process.communicate())[0]
    assert process.returncode == 1
    assert _reports(text, "PLACARD_DATABASE_URL")
    assert b"Traceback" not in text
    assert b"hush" not in text


async def test_an_unmigrated_database_is_distinguished_from_an_unavailable_one(
    settings: dict[str, str], postgres_server: PostgresServer
) -> None:
    settings["PLACARD_DATABASE_URL"] = postgres_server.new_database()
    async with running("control api", settings):
        message = await eventually(lambda: _refusal(settings), within_s=180)
        assert "python -m control migrate" in message


def _reports(text: bytes, variable: str) -> bool:
    """One line, or one sentence, names the server, the setting and the address."""
    server = SERVERS.get(variable, "Kafka")
    lines = text.decode().splitlines()
    wanted = (server, variable, r"127\.0\.0\.1:1")
    return any(all(re.search(one, line) for one in wanted) for line in lines)


async def _readiness(settings: dict[str, str]) -> int | None:
    answer = await _ask(settings)
    return None if answer is None else answer.status_code


async def _refusal(settings: dict[str, str]) -> str | None:
    """What a first look has found."""
    answer = await _ask(settings)
    if answer is None or answer.status_code == httpx.codes.OK:
        return None
    message = str(answer.json()["error"]["message"])
    return message if "migrate" in message else None


async def _ask(settings: dict[str, str]) -> httpx.Response | None:
    try:
        async with http_client() as client:
            return await client.get(f"http://127.0.0.1:{settings['PLACARD_INTERNAL_PORT']}/readyz")
    except httpx.TransportError:
        return None
