"""Internal HTTP is for holders of a certificate of one authority, on both sides, and follows renewed files."""

import asyncio
import datetime as dt
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvloop
from pydantic import ValidationError
from sanic import Request

from common.http.app import bare_app
from common.http.listen import listen
from common.http.responses import json_response
from common.service.internal_tls import InternalTls, InternalTlsInvalid, InternalTlsSettings
from common.values.clock import SystemClock
from common.values.environment import Environment
from edge.adapters.http_snapshots import HttpSnapshotPull
from edge.ports import SnapshotSourceUnavailable
from tests.support.builders import KEY_RING
from tests.support.certificates import Authority

_PAST = dt.datetime(2021, 1, 1, tzinfo=dt.UTC)
_PLAIN_GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


@dataclass(frozen=True)
class Trust:
    authority: Authority
    publish: InternalTls
    edge: InternalTls


def files_of(
    authority: Authority, name: str, *, until: dt.datetime | None = None, ca: Path | None = None
) -> InternalTls:
    issued = authority.issue(name) if until is None else authority.issue(name, until=until)
    return InternalTls(ca or authority.file, *issued)


def authority_in(folder: Path) -> Authority:
    folder.mkdir()
    return Authority(folder)


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    authority = authority_in(tmp_path / "own")
    return Trust(authority, files_of(authority, "publish"), files_of(authority, "edge"))


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Iterator[Callable[[Awaitable[None]], None]]:
    """Runs a test on each of the event loops: the programs run on uvloop."""
    with asyncio.Runner(loop_factory=request.param) as runner:

        def run_one(body: Any) -> None:
            runner.run(body)

        yield run_one


@asynccontextmanager
async def serving(files: InternalTls) -> AsyncIterator[str]:
    """Yields the URL of a server that knows no snapshot: it responds to each pull with 404, which is None."""
    app = bare_app("internal", max_body_bytes=1024)

    async def handle(_: Request) -> Any:
        return json_response({"status": "ok"})

    app.add_route(handle, "/livez", methods=["GET"])
    listener = await listen(app, host="127.0.0.1", port=0, tls=files.open_server())
    try:
        yield f"https://127.0.0.1:{listener.port}"
    finally:
        await listener.close(drain_s=0.1)


async def pull(url: str, files: InternalTls | None) -> object:
    client = HttpSnapshotPull(url, KEY_RING, Environment.TEST, SystemClock(), tls=files)
    try:
        return await client.head()
    finally:
        await client.close()


async def refused(url: str, files: InternalTls | None, message: str) -> None:
    with pytest.raises(SnapshotSourceUnavailable, match=message):
        await pull(url, files)


Run = Callable[[Awaitable[None]], None]


def test_both_sides_show_a_certificate(trust: Trust, run: Run) -> None:
    async def body() -> None:
        async with serving(trust.publish) as url:
            assert await pull(url, trust.edge) is None

    run(body())


def test_a_client_of_another_authority_is_refused(trust: Trust, tmp_path: Path, run: Run) -> None:
    foreign = files_of(authority_in(tmp_path / "foreign"), "edge", ca=trust.authority.file)

    async def body() -> None:
        async with serving(trust.publish) as url:
            await refused(url, foreign, "it may refuse .*foreign/edge.pem")

    run(body())


def test_an_expired_client_is_refused(trust: Trust, run: Run) -> None:
    async def body() -> None:
        async with serving(trust.publish) as url:
            old = files_of(trust.authority, "old", until=_PAST)
            await refused(url, old, "it may refuse .*old.pem")

    run(body())


def test_a_client_without_a_certificate_is_refused(trust: Trust, run: Run) -> None:
    async def body() -> None:
        async with serving(trust.publish) as url:
            context = ssl.create_default_context(cafile=trust.authority.file)
            async with httpx.AsyncClient(verify=context) as client:
                with pytest.raises(httpx.TransportError):
                    await client.get(f"{url}/livez")

    run(body())


def test_plain_http_is_refused(trust: Trust, run: Run) -> None:
    async def body() -> None:
        async with serving(trust.publish) as url:
            host, port = url.removeprefix("https://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(_PLAIN_GET)
            assert not (await reader.read()).startswith(b"HTTP")
            writer.close()

    run(body())


@pytest.mark.parametrize(
    ("server", "message"),
    [("foreign", "certificate verify failed"), ("expired", "certificate has expired")],
)
def test_a_wrong_server_is_refused(
    trust: Trust, tmp_path: Path, run: Run, server: str, message: str
) -> None:
    if server == "foreign":
        shown = files_of(authority_in(tmp_path / "foreign"), "publish")
    else:
        shown = files_of(trust.authority, "expired", until=_PAST)

    async def body() -> None:
        async with serving(shown) as url:
            await refused(url, trust.edge, message)

    run(body())


def test_a_server_of_another_name_is_refused(trust: Trust, run: Run) -> None:
    async def body() -> None:
        async with serving(trust.publish) as url:
            other = url.replace("127.0.0.1", "localhost")
            await refused(other, trust.edge, "certificate is not valid for 'localhost'")

    run(body())


def copy_to(files: InternalTls, place: InternalTls) -> None:
    """Renames new files over the former ones, as tools that renew certificates do."""
    for name in ("ca_file", "certificate_file", "certificate_key_file"):
        new = getattr(place, name).with_suffix(".new")
        new.write_bytes(getattr(files, name).read_bytes())
        new.rename(getattr(place, name))


def test_a_server_uses_renewed_files_and_another_authority_without_a_restart(
    trust: Trust, tmp_path: Path, run: Run
) -> None:
    own = replace(trust.publish, ca_file=tmp_path / "ca.pem")
    copy_to(trust.publish, own)
    next_authority = authority_in(tmp_path / "next")
    next_edge = files_of(next_authority, "edge")

    async def body() -> None:
        async with serving(own) as url:
            assert await pull(url, trust.edge) is None
            copy_to(files_of(next_authority, "publish"), own)
            assert await pull(url, next_edge) is None
            former = replace(trust.edge, ca_file=next_authority.file)
            await refused(url, former, "it may refuse")

    run(body())


def test_a_server_keeps_its_certificate_while_the_new_files_are_unusable(
    trust: Trust, tmp_path: Path, run: Run
) -> None:
    own = replace(trust.publish, ca_file=tmp_path / "ca.pem")
    copy_to(trust.publish, own)

    async def body() -> None:
        async with serving(own) as url:
            own.certificate_file.write_text("half of a certificate")
            assert await pull(url, trust.edge) is None
            own.certificate_file.unlink()
            assert await pull(url, trust.edge) is None

    run(body())


def test_a_client_uses_renewed_files_without_a_restart(
    trust: Trust, tmp_path: Path, run: Run
) -> None:
    foreign = authority_in(tmp_path / "foreign")
    own = files_of(foreign, "edge")

    async def body() -> None:
        async with serving(trust.publish) as url:
            client = HttpSnapshotPull(url, KEY_RING, Environment.TEST, SystemClock(), tls=own)
            with pytest.raises(SnapshotSourceUnavailable):
                await client.head()
            copy_to(trust.edge, own)
            assert await client.head() is None
            await client.close()

    run(body())


def test_files_that_cannot_be_used_are_named(trust: Trust, tmp_path: Path) -> None:
    for files in (
        replace(trust.publish, certificate_file=tmp_path / "absent.pem"),
        replace(trust.publish, certificate_key_file=trust.edge.certificate_key_file),
    ):
        with pytest.raises(InternalTlsInvalid, match=r"PLACARD_INTERNAL_CA_FILE.*cannot be used"):
            files.open_server()


def test_one_file_without_the_others_is_refused(trust: Trust) -> None:
    with pytest.raises(ValidationError, match="belong together"):
        InternalTlsSettings(internal_ca_file=trust.authority.file)
    assert InternalTlsSettings().internal_tls() is None
