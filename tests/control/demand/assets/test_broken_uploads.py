"""Uploads that are cut, stall or die with the process: nothing is left of them, neither row nor file."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest_asyncio
from sqlalchemy import func, select

from control.storage.tables.assets import AssetObjectRow, AssetRow
from deploy.standalone.sockets import find_free_ports
from tests.control.demand.assets.conftest import Uploader
from tests.control.demand.assets.files import an_image
from tests.support.control_api import ControlApi, DatabaseTemplate, running_control
from tests.support.http_client import http_client
from tests.support.raw_http import connection, parse_answers, read_to_end
from tests.support.resources import Customer
from tests.support.waiting import until

BOUNDARY = "b"
FILE = (
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n'
    b"\x00\x00\x00\x18ftypisom" + bytes(8_000_000)
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hasty(migrated: DatabaseTemplate, servers_folder: Path) -> AsyncIterator[ControlApi]:
    """An API that gives an upload half a second, and a second for every 20 MB."""
    folder = servers_folder / f"hasty-{uuid4().hex[:8]}"
    folder.mkdir()
    async with running_control(
        migrated.new_database(), folder, upload_grace_s=0.5, upload_min_bytes_per_s=20_000_000
    ) as running:
        yield running


def head_of(token: str, length: int) -> bytes:
    return (
        "POST /v1/assets?environment=live HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {token}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


async def counts(api: ControlApi) -> tuple[int, int]:
    async with api.control.database.service() as session:
        rows = await session.scalar(select(func.count()).select_from(AssetRow))
        objects = await session.scalar(select(func.count()).select_from(AssetObjectRow))
    return rows or 0, objects or 0


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "keys-" not in path.name]


def open_uploads(pid: int) -> int:
    """Files without a name that the process holds open, so that a test sees them come and go."""
    found = 0
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except OSError:
            continue
        found += "/uploads/" in target and "(deleted)" in target
    return found


@asynccontextmanager
async def half_an_upload(
    port: int, token: str, pid: int
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection on which half of a film was sent, and arrived."""
    async with connection(port) as (reader, writer):
        writer.write(head_of(token, len(FILE) * 2) + FILE)
        await writer.drain()

        async def arrived() -> bool:
            return open_uploads(pid) > 0

        await until(arrived)
        yield reader, writer


async def test_a_cut_connection_leaves_nothing(hasty: ControlApi) -> None:
    owner = await hasty.sign_up()
    pid = os.getpid()

    async with half_an_upload(hasty.port, owner.access_token, pid) as (_, writer):
        writer.transport.abort()

    async def gone() -> bool:
        return open_uploads(pid) == 0

    await until(gone)
    assert await counts(hasty) == (0, 0)
    assert not files_below(hasty.control.settings.state)


async def test_a_sender_that_stalls_is_cut_at_its_deadline(hasty: ControlApi) -> None:
    owner = await hasty.sign_up()

    async with half_an_upload(hasty.port, owner.access_token, os.getpid()) as (reader, _):
        (answer,) = parse_answers(await read_to_end(reader))

    assert (answer.status, answer.code) == (408, "request_timeout")
    assert open_uploads(os.getpid()) == 0
    assert await counts(hasty) == (0, 0)
    assert not files_below(hasty.control.settings.state)


async def test_a_form_of_unknown_length_in_small_pieces_is_taken(uploader: Uploader) -> None:
    content = an_image()

    async def drip() -> AsyncIterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n'
        for start in range(0, len(content), 20):
            await asyncio.sleep(0)
            yield content[start : start + 20]
        yield b"\r\n--b--\r\n"

    headers = {
        **uploader.customer.headers,
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
    }
    answer = await uploader.api.http.post(
        "/v1/assets?environment=live", content=drip(), headers=headers
    )

    assert answer.status_code == 201, answer.text


async def test_a_killed_process_leaves_nothing(
    migrated: DatabaseTemplate, servers_folder: Path
) -> None:
    folder = servers_folder / f"killed-{uuid4().hex[:8]}"
    folder.mkdir()
    async with running_control(migrated.new_database(), folder) as api:
        owner = await api.sign_up()
        (port,) = find_free_ports(1)
        process = await _start_api(api, port)
        try:
            async with half_an_upload(port, owner.access_token, process.pid):
                process.send_signal(signal.SIGKILL)
                await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

        assert await counts(api) == (0, 0)
        assert not files_below(folder)


async def test_the_same_port_still_takes_uploads_afterwards(hasty: ControlApi) -> None:
    uploader = Uploader(Customer(hasty, await hasty.sign_up()), hasty.control.settings.state)

    assert (await uploader.send(an_image())).status_code == 201


async def _start_api(api: ControlApi, port: int) -> asyncio.subprocess.Process:
    """`control api` on the same database and folder, in a process of its own; answers at return."""
    settings = api.control.settings
    own = {
        "PLACARD_DATABASE_URL": settings.database_url,
        "PLACARD_REDIS_URL": settings.redis_url,
        "PLACARD_KEY_FILE": str(settings.key_file),
        "PLACARD_STATE": str(settings.state),
        "PLACARD_CONTROL_PORT": str(port),
        "PLACARD_CONTROL_URL": f"http://127.0.0.1:{port}",
        "PLACARD_EDGE_LIVE_URL": settings.edge_live_url,
        "PLACARD_EDGE_TEST_URL": settings.edge_test_url,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "control", "api", env=own, stdout=asyncio.subprocess.DEVNULL
    )
    async with http_client() as http:

        async def answers() -> bool:
            assert process.returncode is None
            try:
                return (await http.get(f"http://127.0.0.1:{port}/livez")).status_code == 200
            except httpx.TransportError:
                return False

        await until(answers)
    return process
