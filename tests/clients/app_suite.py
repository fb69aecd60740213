"""What each library for apps must do: the eight journeys, driven as a process of its own before a real edge."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import orjson
import pytest

from common.snapshot.model import SnapshotObject
from common.tracking.event import EventRecord
from common.values.enums import Surface
from common.values.environment import Environment
from tests.clients.cases import CASE_FILES, cases
from tests.clients.worlds import stock
from tests.support import waiting
from tests.support.builders import a_key, a_slot, a_snapshot, an_account
from tests.support.edge import RunningEdge, running_edge

_OF_SERVERS = ("servers",)
"""Files whose cases need a secret key, which no app has."""
_CONSENTED = {"lgpd": True}
_REFUSED = {"lgpd": False}


def cases_of_apps() -> dict[str, list[str]]:
    """Names of the cases that a library for apps must pass, by file."""
    return {
        file: sorted(case["name"] for case in cases(file))
        for file in CASE_FILES
        if file not in _OF_SERVERS
    }


def sorted_names(passed: dict[str, list[str]]) -> dict[str, list[str]]:
    return {file: sorted(names) for file, names in passed.items()}


class Journey:
    """
    A library in a process of its own, which reads a command a line as JSON and prints its result as a line of JSON; the
    commands are at the top of each library's own program.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    async def __call__(self, do: str, **arguments: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(orjson.dumps({"do": do, **arguments}) + b"\n")
        await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        assert line, "The library's process has ended; its error is above."
        return dict(orjson.loads(line))


@asynccontextmanager
async def started(command: list[str]) -> AsyncIterator[Journey]:
    """A process that is killed, as an app is that the system ends."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield Journey(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


class World:
    """A test edge with a slot for each format, and the library before it, its files in *folder*."""

    def __init__(self, edge: RunningEdge, key: str, revoked: str, folder: Path) -> None:
        self.edge = edge
        self.key = key
        self.revoked = revoked
        self._folder = folder

    async def open(self, journey: Journey, **changes: Any) -> None:
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


class AppLibrarySuite:
    surface: ClassVar[Surface]
    passed: ClassVar[list[str]]
    """Journeys that passed in this run; a list of each library's own."""

    def command(self) -> list[str]:
        """Starts the library's own program."""
        raise NotImplementedError

    @pytest.fixture
    async def world(self, tmp_path: Path) -> AsyncIterator[World]:
        key, known = a_key(environment=Environment.TEST)
        revoked, tombstone = a_key(environment=Environment.TEST, revoked_at_ms=1)
        objects: list[SnapshotObject] = [known, tombstone, *stock(Environment.TEST)]
        async with running_edge(a_snapshot(*objects, environment=Environment.TEST)) as edge:
            yield World(edge, key.text, revoked.text, tmp_path)

    async def test_a_filled_slot_counts_one_impression_of_its_surface(self, world: World) -> None:
        async with started(self.command()) as journey:
            await world.open(journey)

            served = await journey("serve", slot="banner")
            shown = [await journey("impression"), await journey("impression")]

            assert (served["status"], served["format"]) == ("filled", "banner")
            assert shown == [{"recorded": True}, {"recorded": False}]
            event = await world.counted("impression")
            assert event.surface is self.surface
            assert event.reason.value == "ok_test"
        self.passed.append("fill")

    async def test_no_fill_is_no_error(self, world: World) -> None:
        async with started(self.command()) as journey:
            await world.open(journey)

            served = await journey("serve", slot="demo-never-fill")

        assert served == {"status": "no_fill", "reason": "demo_never_fills"}
        self.passed.append("no fill")

    async def test_a_click_opens_the_signed_url_which_counts_it(self, world: World) -> None:
        async with started(self.command()) as journey:
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
        self.passed.append("click")

    async def test_whose_consent_is_refused_is_not_counted_on_the_device(
        self, world: World
    ) -> None:
        async with started(self.command()) as journey:
            await world.open(journey)
            consented = await journey("serve", slot="capped")
            await world.open(journey, consent=_REFUSED)
            refused = await journey("serve", slot="capped")

        assert consented["status"] == "filled"
        assert refused["status"] == "no_fill"
        self.passed.append("consent refused")

    async def test_events_of_an_offline_app_are_counted_when_it_is_online_again(
        self, world: World
    ) -> None:
        async with started(self.command()) as online:
            await world.open(online)
            token = (await online("serve", slot="banner"))["token"]
        async with started(self.command()) as offline:
            # Nothing listens on port 9 of this machine.
            await world.open(offline, edge_url="http://127.0.0.1:9")
            tracked = await offline("track", token=token, event="impression")
        before = await world.events()
        async with started(self.command()) as later:
            await world.open(later)
            await later("flush")
            event = await world.counted("impression")

        assert tracked == {"status": "queued"}
        assert before == []
        assert event.reason.value == "ok_test"
        self.passed.append("offline, then online")

    async def test_a_stopped_account_is_asked_for_nothing(self, world: World) -> None:
        key, known = a_key(environment=Environment.LIVE)
        stopped = a_snapshot(known, a_slot(key="banner"), an_account(stopped=True))
        async with running_edge(stopped) as edge, started(self.command()) as journey:
            await world.open(journey, edge_url=f"http://127.0.0.1:{edge.port}", key=key.text)
            served = await journey("serve", slot="banner")

            assert served == {"status": "no_fill", "reason": "kill_switch"}
            assert edge.counted() == {}
        self.passed.append("kill switch")

    async def test_a_rotated_key_is_an_error_that_names_it(self, world: World) -> None:
        async with started(self.command()) as journey:
            await world.open(journey, key=world.revoked)
            served = await journey("serve", slot="banner")

        assert (served["status"], served["code"], served["http"]) == ("error", "key_revoked", 403)
        assert served["request_id"]
        self.passed.append("rotated key")

    async def test_a_slot_that_does_not_exist_is_an_error(self, world: World) -> None:
        async with started(self.command()) as journey:
            await world.open(journey)
            served = await journey("serve", slot="nowhere")

        assert (served["status"], served["code"], served["http"]) == (
            "error",
            "slot_not_found",
            404,
        )
        self.passed.append("bad slot")
