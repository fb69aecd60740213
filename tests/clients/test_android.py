"""The Android library: its own tests by Maven, its weight, and eight journeys of its core before a real edge."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from common.snapshot.model import SnapshotObject
from common.tracking.event import EventRecord
from common.values.enums import Surface
from common.values.environment import Environment
from tests.clients import android, libraries
from tests.clients.cases import CASE_FILES, cases
from tests.clients.worlds import stock
from tests.support import waiting
from tests.support.builders import a_key, a_slot, a_snapshot, an_account
from tests.support.edge import RunningEdge, running_edge

pytestmark = pytest.mark.toolchains

_MAX_BYTES = 120_000
_MAX_METHODS = 800
_OF_SERVERS = ("servers",)
"""Files whose cases need a secret key, which no app has."""
_CONSENTED = {"lgpd": True}
_REFUSED = {"lgpd": False}
_passed: list[str] = []
"""Journeys that passed in this run."""


@pytest.fixture(scope="module", autouse=True)
async def build() -> None:
    await asyncio.to_thread(android.build)


class World:
    """A test edge with a slot for each format, and the library before it, its files in *folder*."""

    def __init__(self, edge: RunningEdge, key: str, revoked: str, folder: Path) -> None:
        self.edge = edge
        self.key = key
        self.revoked = revoked
        self._folder = folder

    async def open(self, journey: android.Journey, **changes: Any) -> None:
        """A client of *journey*; *changes*: ``key``, ``edge_url``, ``consent``."""
        usual = {
            "edge_url": f"http://127.0.0.1:{self.edge.port}",
            "key": self.key,
            "folder": str(self._folder),
            "consent": _CONSENTED,
        }
        await journey("open", **(usual | changes))

    async def events(self) -> list[EventRecord]:
        records = await self.edge.context.spool.read(0, 1_000_000)
        return [record.body for record in records if isinstance(record.body, EventRecord)]

    async def counted(self, kind: str) -> EventRecord:
        """The one event of *kind*, once the edge has it."""

        async def is_there() -> bool:
            return any(event.kind.value == kind for event in await self.events())

        await waiting.until(is_there)
        (found,) = [event for event in await self.events() if event.kind.value == kind]
        return found


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    key, known = a_key(environment=Environment.TEST)
    revoked, tombstone = a_key(environment=Environment.TEST, revoked_at_ms=1)
    objects: list[SnapshotObject] = [known, tombstone, *stock(Environment.TEST)]
    async with running_edge(a_snapshot(*objects, environment=Environment.TEST)) as edge:
        yield World(edge, key.text, revoked.text, tmp_path)


async def test_every_conformance_case_passed_in_the_build() -> None:
    passed = android.passed_cases()

    assert {file: sorted(names) for file, names in passed.items()} == {
        file: sorted(case["name"] for case in cases(file))
        for file in CASE_FILES
        if file not in _OF_SERVERS
    }


async def test_the_examples_of_the_readme_compile() -> None:
    compiled = (android.FOLDER / "placard/src/test/kotlin/placard/android/Readme.kt").read_text()
    lines = {line.strip().removeprefix("internal ") for line in compiled.splitlines()}
    blocks = re.findall(
        r"```kotlin\n(.*?)```", (android.FOLDER / "README.md").read_text(), re.DOTALL
    )

    assert len(blocks) == 2
    assert {line.strip() for block in blocks for line in block.splitlines()} <= lines


async def test_the_archives_are_light() -> None:
    weight = android.weigh()

    assert max(weight["views"], weight["core"]) <= _MAX_BYTES
    assert weight["methods"] <= _MAX_METHODS


async def test_a_filled_slot_counts_one_impression_of_an_android_app(world: World) -> None:
    async with android.journey() as journey:
        await world.open(journey)

        served = await journey("serve", slot="banner")
        shown = [await journey("impression"), await journey("impression")]

        assert (served["status"], served["format"]) == ("filled", "banner")
        assert shown == [{"recorded": True}, {"recorded": False}]
        event = await world.counted("impression")
        assert event.surface is Surface.ANDROID
        assert event.reason.value == "ok_test"
    _passed.append("fill")


async def test_no_fill_is_no_error(world: World) -> None:
    async with android.journey() as journey:
        await world.open(journey)

        served = await journey("serve", slot="demo-never-fill")

    assert served == {"status": "no_fill", "reason": "demo_never_fills"}
    _passed.append("no fill")


async def test_a_click_opens_the_signed_url_which_counts_it(world: World) -> None:
    async with android.journey() as journey:
        await world.open(journey)
        await journey("serve", slot="banner")
        await journey("impression")
        await world.counted("impression")

        url = (await journey("click"))["url"]
        opened = await world.edge.get(
            url.removeprefix("https://edge.example"), "User-Agent: Mozilla/5.0 Chrome/150.0"
        )

    assert opened.status == 302
    await world.counted("click")
    _passed.append("click")


async def test_whose_consent_is_refused_is_not_counted_on_the_device(world: World) -> None:
    async with android.journey() as journey:
        await world.open(journey)
        consented = await journey("serve", slot="capped")
        await world.open(journey, consent=_REFUSED)
        refused = await journey("serve", slot="capped")

    assert consented["status"] == "filled"
    assert refused["status"] == "no_fill"
    _passed.append("consent refused")


async def test_events_of_an_offline_app_are_counted_when_it_is_online_again(world: World) -> None:
    async with android.journey() as online:
        await world.open(online)
        token = (await online("serve", slot="banner"))["token"]
    async with android.journey() as offline:
        # Nothing listens on port 9 of this machine.
        await world.open(offline, edge_url="http://127.0.0.1:9")
        tracked = await offline("track", token=token, event="impression")
    before = await world.events()
    async with android.journey() as later:
        await world.open(later)
        await later("flush")
        event = await world.counted("impression")

    assert tracked == {"status": "queued"}
    assert before == []
    assert event.reason.value == "ok_test"
    _passed.append("offline, then online")


async def test_a_stopped_account_is_asked_for_nothing(world: World) -> None:
    key, known = a_key(environment=Environment.LIVE)
    stopped = a_snapshot(known, a_slot(key="banner"), an_account(stopped=True))
    async with running_edge(stopped) as edge, android.journey() as journey:
        await world.open(journey, edge_url=f"http://127.0.0.1:{edge.port}", key=key.text)
        served = await journey("serve", slot="banner")

        assert served == {"status": "no_fill", "reason": "kill_switch"}
        assert edge.counted() == {}
    _passed.append("kill switch")


async def test_a_rotated_key_is_an_error_that_names_it(world: World) -> None:
    async with android.journey() as journey:
        await world.open(journey, key=world.revoked)
        served = await journey("serve", slot="banner")

    assert (served["status"], served["code"], served["http"]) == ("error", "key_revoked", 403)
    assert served["request_id"]
    _passed.append("rotated key")


async def test_a_slot_that_does_not_exist_is_an_error(world: World) -> None:
    async with android.journey() as journey:
        await world.open(journey)
        served = await journey("serve", slot="nowhere")

    assert (served["status"], served["code"], served["http"]) == ("error", "slot_not_found", 404)
    _passed.append("bad slot")


async def test_the_results_are_recorded() -> None:
    """The last of this file: what passed before it is written for docs/libraries.md."""
    weight = android.weigh()
    libraries.write_result(
        {
            "library": "android",
            "language": "Kotlin",
            "ran": "JVM 17; views on Android 14's classes (Robolectric)",
            "cases": android.passed_cases(),
            "journeys": _passed,
            "modules": [
                {"name": "core", "state": "run", "where": "JVM 17"},
                {
                    "name": "placard (views)",
                    "state": "run",
                    "where": "Robolectric, API 34; checked for API 23",
                },
                {
                    "name": "compose",
                    "state": "compiled",
                    "where": "Compose 1.8 for the desktop and one stub",
                },
            ],
            "measured": [
                _figure("views' archive", _kb(weight["views"]), _kb(_MAX_BYTES)),
                _figure("core", _kb(weight["core"]), _kb(_MAX_BYTES)),
                _figure("methods of both", str(weight["methods"]), str(_MAX_METHODS)),
            ],
        }
    )

    assert sorted(_passed) == sorted(libraries.JOURNEYS)


def _kb(size: int) -> str:
    return f"{size / 1000:.0f} kB"


def _figure(what: str, figure: str, limit: str) -> dict[str, Any]:
    command = "pytest -m toolchains tests/clients/test_android.py"
    return {"what": what, "figure": figure, "limit": limit, "command": command}
