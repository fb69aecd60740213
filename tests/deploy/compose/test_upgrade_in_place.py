"""
The containers of the last recorded release are upgraded to this build on their own volumes and secrets, as
`docs/containers.md` says, and go back. A load goes on meanwhile.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from common.values.clock import SystemClock
from deploy.images.engine import Engine
from deploy.standalone.operate import shell_lines
from tests.deploy.compose.installation import Installation
from tests.deploy.readme_commands import follow_readme
from tests.faults.oracle import Traffic, database
from tests.fleet.load import Load, begin_traffic
from tests.support.printing import say
from tests.support.waiting import PATIENCE_S, until
from tests.upgrade.builds import find_release

pytestmark = pytest.mark.containers

_RATE = 5.0
"""Serves a second. All containers share this machine's cores."""
_BUDGET = {"total_cents": 100_000}
_EVENTS = "/v1/integration/events?cursor=earliest"
_EDGES = ("placard_edge-live_1", "placard_edge-test_1")


@pytest.fixture
def installation(engine: Engine, tmp_path: Path) -> Iterator[Installation]:
    found = Installation.clone(tmp_path, engine)
    yield found
    found.run("deploy.compose", "down", "--volumes")


async def test_an_upgrade_in_place_and_the_way_back_keep_everything(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def timed(what: str) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        say(capsys, f"  {what} in {time.monotonic() - began_s:.0f} s")

    async def run(*arguments: str) -> str:
        return await asyncio.to_thread(installation.run, *arguments)

    release, commit = find_release("")
    newer = installation.read_images()
    installation.check_out(commit)
    with timed(f"images of {release}"):
        older = installation.build_images(release, commit)
    installation.use_images(older)
    with timed(f"{release} is up"):
        await run("deploy.compose", "up")
    monkeypatch.setenv("SSL_CERT_FILE", str(installation.authority))
    with timed("demo"):
        demo = await asyncio.to_thread(installation.make_demo)

    async with httpx.AsyncClient(timeout=PATIENCE_S) as http:
        await _follow_readme(installation, http, demo)
        traffic = await begin_traffic(installation, http, budget=_BUDGET, pacing="asap")
        unused = await traffic.serve(1)
        data = await _read_data(http, demo)
        async with Load(traffic, _RATE) as load:
            installation.check_out_this()
            installation.use_images(newer)
            with timed(f"upgrade from {release}"):
                await run("deploy.compose", "up")
            say(capsys, f"  to {installation.read_revision('api')}, {_describe(load)}")
            assert installation.read_revision("api") != commit
            await _keeps(traffic, unused, http, demo, data)
            await _follow_readme(installation, http, demo)
            assert await asyncio.to_thread(installation.find_errors) == []

            unused, data = await traffic.serve(1), await _read_data(http, demo)
            # As if this build had a migration that the release lacks.
            async with database(installation) as connection:
                await connection.execute("update alembic_version set version_num = 'newer'")
            installation.check_out(commit)
            installation.use_images(older)
            await asyncio.to_thread(installation.prepare_way_back, release)
            with timed("the way back"):
                await asyncio.to_thread(installation.podman, "stop", "--time", "20", *_EDGES)
                await run("deploy.compose", "down")
                await run("deploy.compose", "up")
            say(capsys, f"  to {installation.read_revision('api')}, {_describe(load)}")
            assert installation.read_revision("api") == commit
            await _keeps(traffic, unused, http, demo, data)
            await _follow_readme(installation, http, demo)
        await traffic.check()
        say(capsys, f"  acknowledged {len(traffic.acknowledged)}, stored {await traffic.stored()}")
    async with database(installation) as connection:
        assert await connection.fetch("select reason from dead_letters") == []


def _describe(load: Load) -> str:
    serves, tracks = (
        {int(status): count for status, count in one.items()} for one in (load.serves, load.tracks)
    )
    return f"since the load began: serves {serves}, tracks {tracks}"


async def _follow_readme(
    installation: Installation, http: httpx.AsyncClient, demo: dict[str, Any]
) -> None:
    """Its commands work with the keys of *demo*, and their event is stored."""
    before = len(await _read(http, demo, _EVENTS))
    exports, trust = "\n".join([*shell_lines(demo), ""]), str(installation.authority)
    serve, track, _ = await asyncio.to_thread(follow_readme, exports, CURL_CA_BUNDLE=trust)
    assert '"track_token":' in serve
    assert " 204" in track.splitlines()[0]

    async def is_stored() -> bool:
        return len(await _read(http, demo, _EVENTS)) == before + 1

    await until(is_stored)


async def _keeps(
    traffic: Traffic,
    unused: list[str],
    http: httpx.AsyncClient,
    demo: dict[str, Any],
    data: dict[str, Any],
) -> None:
    """The data is what it was, the password signs in, and a token of before counts."""
    assert _is_kept(data, await _read_data(http, demo))
    grant = {"grant_type": "password", **demo["owner"]}
    signed_in = await traffic.customer.call("POST", "/v1/auth/token", grant, token="")
    assert signed_in["access_token"]
    assert await traffic.track(unused) == {httpx.codes.NO_CONTENT: len(unused)}


async def _read_data(http: httpx.AsyncClient, demo: dict[str, Any]) -> dict[str, Any]:
    """Campaigns, ads, events and figures of the demo's account in test."""
    today = SystemClock().now().date()
    range_ = f"from={today - timedelta(days=1)}&to={today + timedelta(days=2)}"
    report = f"/v1/reports/delivery?{range_}&group_by=campaign"
    paths = ("/v1/campaigns?limit=100", "/v1/ads?limit=100", _EVENTS, report)
    found = {path: await _read(http, demo, path) for path in paths}
    assert all(found.values()), found
    return found


async def _read(http: httpx.AsyncClient, demo: dict[str, Any], path: str) -> list[Any]:
    headers = {"Authorization": f"Bearer {demo['keys']['ak_test']['key']}"}
    answer = await http.get(demo["control_url"] + path, headers=headers)
    assert answer.is_success, answer.text
    found: list[Any] = answer.json()["data"]
    return found


def _is_kept(before: Any, after: Any) -> bool:
    """Every field of *before* has its value in *after*; a newer release may have more fields."""
    match before:
        case dict():
            return all(key in after and _is_kept(one, after[key]) for key, one in before.items())
        case list():
            pairs = zip(before, after, strict=False)
            return len(before) == len(after) and all(_is_kept(*pair) for pair in pairs)
        case _:
            return bool(before == after)
