"""Making exports: whoever dies, freezes or is in the way, a file is whole or not there, and nothing waits for ever."""

import asyncio
import errno
import os
import signal
import sys
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import pytest
import pytest_asyncio
from sqlalchemy import text

from common.values.errors import Unavailable
from control.foundation.settings import ControlSettings
from control.operations.scheduler.schedule import JOBS
from control.ports.exports import ExportStore, ExportsUnavailable
from control.reporting.exports.job_claims import claim_next
from control.reporting.exports.jobs import make_exports, sweep_exports
from control.reporting.exports.run_export import run_export
from tests.control.events.ingest.world import Edge, World
from tests.control.reporting.exports.conftest import EXPORTS, Exporter
from tests.support.control_api import ControlApi
from tests.support.many_events import add_events
from tests.support.moved_clock import MovedClock
from tests.support.waiting import PATIENCE_S, until
from tests.support.waiting_jobs import work_waits

_LINK = ("url", "url_expires_at")
_MAKE = """
import asyncio, sys
import orjson
from control.reporting.exports.jobs import make_exports
from control.foundation.settings import ControlSettings
from control.wiring import open_control
async def stay(name, file, *, media_type):
    (control.settings.state / name.replace("/", ".")).write_bytes(b"the file is written")
    await asyncio.Event().wait()
async def main():
    global control
    async with open_control(ControlSettings(**orjson.loads(sys.argv[1]))) as control:
        control.exports.put = stay
        await make_exports(control)
asyncio.run(main())
"""


@pytest_asyncio.fixture(autouse=True)
async def alone(api: ControlApi) -> AsyncIterator[None]:
    """In the database: the jobs see everybody's. A claim lasts a second, a file a minute."""
    before = api.control.settings, api.control.clock, api.control.exports
    await _execute(api, "delete from exports")
    api.control.settings = before[0].model_copy(
        update={"export_claim_s": 1.0, "export_retention_s": 60}
    )
    yield
    api.control.settings, api.control.clock, api.control.exports = before


class HeldStore:
    """Puts wait until the test lets them; everything else is the real store's."""

    def __init__(self, store: ExportStore) -> None:
        self._store = store
        self.putting: set[str] = set()
        self.may_put = asyncio.Event()

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:
        self.putting.add(name)
        await self.may_put.wait()
        await self._store.put(name, file, media_type=media_type)

    async def remove(self, name: str) -> None:
        await self._store.remove(name)

    async def link(self, name: str, *, filename: str, media_type: str, expires_at: datetime) -> str:
        return await self._store.link(
            name, filename=filename, media_type=media_type, expires_at=expires_at
        )

    async def tidy(self, before: datetime) -> None:
        await self._store.tidy(before)


@pytest.fixture
def held(api: ControlApi) -> HeldStore:
    api.control.exports = HeldStore(api.control.exports)
    return api.control.exports


def test_the_scheduler_makes_and_sweeps_them() -> None:
    assert {make_exports, sweep_exports} <= {job.act for job in JOBS}


async def test_a_dead_scheduler_is_replaced_and_its_return_does_no_harm(
    exporter: Exporter, clock: MovedClock, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event()])
    control = exporter.api.control
    export_id = await exporter.ask()
    assert await work_waits(control, make_exports)
    dead = await claim_next(control)
    assert dead is not None

    await exporter.make()
    waiting = await exporter.get(export_id)
    clock.advance(timedelta(seconds=2))
    await exporter.make()
    ready = await exporter.get(export_id)
    await run_export(control, dead)

    assert (waiting["status"], ready["status"]) == ("running", "ready")
    after = await exporter.get(export_id)
    assert after | dict.fromkeys(_LINK) == ready | dict.fromkeys(_LINK)
    assert (await exporter.download(ready)).status_code == 200
    assert _kept(exporter, export_id) == ["2"]


async def test_a_process_killed_before_its_file_is_stored_leaves_no_half_file(
    exporter: Exporter, clock: MovedClock, world: World
) -> None:
    control = exporter.api.control
    count = 12_000
    await add_events(control.database, world.account_id, world.property_id, count)
    export_id = await exporter.ask(format="ndjson")
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _MAKE, _settings_text(control.settings)
    )

    async def is_written() -> bool:
        return (control.settings.state / f"{export_id}.1").exists()

    await until(is_written)
    os.kill(child.pid, signal.SIGKILL)
    await child.wait()
    killed = await exporter.get(export_id)
    clock.advance(timedelta(seconds=2))
    await exporter.make()
    file = await exporter.download(await exporter.get(export_id))

    assert (killed["status"], killed["url"], killed["bytes"]) == ("running", None, None)
    ids = {orjson.loads(line)["id"] for line in file.content.splitlines()}
    assert len(ids) == count
    assert _kept(exporter, export_id) == ["2"]


async def test_rows_are_of_one_instant(exporter: Exporter, held: HeldStore, world: World) -> None:
    """What is stored while the file is written is not in it."""
    control = exporter.api.control
    await add_events(control.database, world.account_id, world.property_id, 10_000)
    export_id = await exporter.ask()
    making = asyncio.create_task(exporter.make())

    async def is_put() -> bool:
        await add_events(control.database, world.account_id, world.property_id, 10)
        return bool(held.putting)

    await until(is_put)
    held.may_put.set()
    await making
    rows = (await exporter.get(export_id))["rows"]

    assert rows % 10 == 0
    assert 10_000 <= rows < len(await world.events())


async def test_a_stopping_scheduler_requeues_its_running_export(
    exporter: Exporter, held: HeldStore
) -> None:
    control = exporter.api.control
    # Longer than any pause of the machine: a claim that lapses counts as a failure.
    control.settings = control.settings.model_copy(update={"export_claim_s": 60.0})
    export_id = await exporter.ask()
    making = asyncio.create_task(exporter.make())
    await until(lambda: _is_put(held))
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    given_back = await exporter.get(export_id)
    held.may_put.set()
    await exporter.make()

    assert given_back["status"] == "queued"
    assert (await exporter.get(export_id))["status"] == "ready"
    assert await _failures(exporter.api, export_id) == 0


async def test_an_export_deleted_while_it_runs_is_abandoned(
    exporter: Exporter, held: HeldStore
) -> None:
    export_id = await exporter.ask()
    making = asyncio.create_task(exporter.make())
    await until(lambda: _is_put(held))
    await exporter.api.http.delete(f"{EXPORTS}/{export_id}", headers=exporter.headers)
    async with asyncio.timeout(PATIENCE_S):
        await making

    assert _kept(exporter, export_id) == []


async def test_one_of_an_account_is_made_at_a_time_and_others_do_not_wait_for_it(
    exporter: Exporter, api: ControlApi, held: HeldStore
) -> None:
    mine = [await exporter.ask() for _ in range(2)]
    other = Exporter(api, (await api.sign_up()).headers)
    theirs = await other.ask()
    making = asyncio.create_task(exporter.make())

    async def are_two_put() -> bool:
        return len(held.putting) == 2

    await until(are_two_put)
    states = [(await exporter.get(one))["status"] for one in mine]
    held.may_put.set()
    await making

    assert held.putting == {f"{one}/1" for one in (*mine, theirs)}
    assert states == ["running", "queued"]
    assert (await exporter.get(mine[1]))["status"] == "ready"


async def test_while_the_store_is_away_exports_wait(exporter: Exporter) -> None:
    folder = exporter.api.control.settings.state / "exports"
    hidden = folder.with_name("hidden-exports")
    if folder.exists():
        folder.rename(hidden)
    folder.write_bytes(b"no folder")
    export_id = await exporter.ask()
    try:
        with pytest.raises(ExportsUnavailable):
            await exporter.make()
        waiting = await exporter.get(export_id)
    finally:
        folder.unlink()
        if hidden.exists():
            hidden.rename(folder)
    await exporter.make()

    assert waiting["status"] == "queued"
    assert (await exporter.get(export_id))["status"] == "ready"
    assert await _failures(exporter.api, export_id) == 0


class FullDisk(HeldStore):
    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:  # noqa: ARG002 - the port's
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


async def test_while_the_disk_is_full_exports_wait(exporter: Exporter) -> None:
    store = exporter.api.control.exports
    exporter.api.control.exports = FullDisk(store)
    export_id = await exporter.ask()
    with pytest.raises(Unavailable):
        await exporter.make()
    waiting = await exporter.get(export_id)
    exporter.api.control.exports = store
    await exporter.make()

    assert waiting["status"] == "queued"
    assert (await exporter.get(export_id))["status"] == "ready"
    assert await _failures(exporter.api, export_id) == 0


async def test_a_file_that_grows_too_large_fails_and_says_why(
    exporter: Exporter, world: World, edge: Edge
) -> None:
    control = exporter.api.control
    control.settings = control.settings.model_copy(update={"export_bytes": 2000})
    await world.ingest([edge.event() for _ in range(50)])

    export = await exporter.made()

    assert (export["status"], export["url"], export["rows"]) == ("failed", None, None)
    assert "2,000 bytes" in export["error"]
    assert _kept(exporter, export["id"]) == []


async def test_an_export_that_cannot_be_made_fails_and_delays_no_other(exporter: Exporter) -> None:
    broken = await exporter.ask()
    await _execute(exporter.api, "update exports set question = '{}'")
    good = await exporter.ask()

    await exporter.make()

    failed = await exporter.get(broken)
    assert (failed["status"], await _failures(exporter.api, broken)) == ("failed", 3)
    assert "Try" in failed["error"]
    assert (await exporter.get(good))["status"] == "ready"


async def test_files_end_with_their_time_and_the_line_stays(
    exporter: Exporter, clock: MovedClock
) -> None:
    export = await exporter.made()
    control = exporter.api.control
    await sweep_exports(control)
    young = _kept(exporter, export["id"])
    clock.advance(timedelta(seconds=control.settings.export_retention_s + 1))
    await sweep_exports(control)
    expired = await exporter.get(export["id"])

    assert young == ["1"]
    assert _kept(exporter, export["id"]) == []
    assert (expired["status"], expired["url"], expired["rows"]) == ("expired", None, 0)
    clock.advance(timedelta(days=91))
    await sweep_exports(control)
    assert await _execute(exporter.api, "select id from exports") == []


async def test_the_sweep_removes_every_file_of_deleted_exports(
    exporter: Exporter, clock: MovedClock
) -> None:
    export_id = await exporter.ask()
    control = exporter.api.control
    assert await claim_next(control) is not None
    folder = control.settings.state / "exports" / export_id
    folder.mkdir(parents=True)
    (folder / "1").write_bytes(b"of a maker that died before it could say so")
    clock.advance(timedelta(seconds=2))
    await exporter.make()
    await exporter.api.http.delete(f"{EXPORTS}/{export_id}", headers=exporter.headers)

    before = _kept(exporter, export_id)
    await sweep_exports(control)

    assert before == ["1", "2"]
    assert not folder.exists()
    assert await _execute(exporter.api, "select id from exports") == []


async def _is_put(held: HeldStore) -> bool:
    return bool(held.putting)


def _kept(exporter: Exporter, export_id: str) -> list[str]:
    folder: Path = exporter.api.control.settings.state / "exports" / export_id
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def _settings_text(settings: ControlSettings) -> str:
    return orjson.dumps(settings.model_dump(mode="json")).decode()


async def _failures(api: ControlApi, export_id: str) -> int:
    ((count,),) = await _execute(api, "select failures from exports where id = :id", id=export_id)
    return int(count)


async def _execute(api: ControlApi, statement: str, **values: Any) -> list[Any]:
    async with api.control.database.service() as session:
        found: Any = await session.execute(text(statement), values)
        return list(found) if found.returns_rows else []
