"""What the scheduler does about assets: nothing waits for ever, and nothing lies in the store unknown."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import text

from control.demand.assets import jobs, store_asset
from control.demand.assets.inspection import Inspector
from control.operations.scheduler.schedule import JOBS
from control.ports.assets import StoreUnavailable
from tests.control.demand.assets.conftest import Uploader
from tests.control.demand.assets.files import a_sound, an_image
from tests.support.control_api import ControlApi
from tests.support.resources import Customer, made
from tests.support.waiting import until
from tests.support.waiting_jobs import work_waits


@pytest_asyncio.fixture
async def uploader(api: ControlApi) -> AsyncIterator[Uploader]:
    """Alone in the database: the jobs see everybody's."""
    await run(api, "delete from assets")
    await run(api, "update asset_objects set claimed_at = now() - interval '1 year'")
    await jobs.sweep_objects(api.control)
    person = await api.sign_up()
    yield Uploader(Customer(api, person), api.control.settings.state / "assets")


async def run(api: ControlApi, statement: str, **values: Any) -> list[Any]:
    async with api.control.database.service() as session:
        found: Any = await session.execute(text(statement), values)
        return list(found) if found.returns_rows else []


@contextmanager
def away(folder: Path) -> Iterator[None]:
    """A file stands where the store's folder was."""
    hidden = folder.with_name("hidden")
    folder.rename(hidden)
    folder.write_bytes(b"no folder")
    try:
        yield
    finally:
        folder.unlink()
        hidden.rename(folder)


async def age_objects(uploader: Uploader) -> None:
    await run(uploader.api, "update asset_objects set claimed_at = now() - interval '61 minutes'")


async def test_an_unreferenced_file_is_removed_an_hour_later(uploader: Uploader) -> None:
    control = uploader.api.control
    asset = made(await uploader.send(an_image()))
    await run(uploader.api, "delete from assets")

    await jobs.sweep_objects(control)
    young = uploader.kept()
    await age_objects(uploader)
    await jobs.sweep_objects(control)

    assert list(young) == [asset["url"].rpartition("/assets/")[2]]
    assert not uploader.kept()
    assert not await run(uploader.api, "select 1 from asset_objects")


async def test_a_referenced_file_is_kept(uploader: Uploader) -> None:
    image = made(await uploader.send(an_image()))
    sound = made(await uploader.send(a_sound()))
    before = uploader.kept()

    await age_objects(uploader)
    await jobs.sweep_objects(uploader.api.control)

    assert uploader.kept() == before
    assert len(before) == 2
    assert (await uploader.settled(sound))["status"] == "ready"
    assert uploader.served(image)


async def test_shared_bytes_stay_while_one_asset_has_them(uploader: Uploader) -> None:
    first, second = [made(await uploader.send(an_image())) for _ in range(2)]
    await run(uploader.api, "delete from assets where id = :id", id=first["id"])

    await age_objects(uploader)
    await jobs.sweep_objects(uploader.api.control)

    assert uploader.served(second)


async def test_a_name_that_is_being_removed_is_not_put(uploader: Uploader) -> None:
    made(await uploader.send(an_image()))
    await run(uploader.api, "update asset_objects set removing_since = now()")

    answer = await uploader.send(an_image())

    assert answer.status_code == 503
    assert answer.headers["retry-after"]


async def test_a_sweep_that_was_broken_off_is_finished_by_the_next(uploader: Uploader) -> None:
    made(await uploader.send(an_image()))
    await run(uploader.api, "delete from assets")
    await run(uploader.api, "update asset_objects set removing_since = now()")

    await jobs.sweep_objects(uploader.api.control)
    again = await uploader.send(an_image())

    assert again.status_code == 201
    assert uploader.served(again.json())


async def test_an_announced_file_is_waited_for_a_day(uploader: Uploader) -> None:
    control = uploader.api.control
    asset = await uploader.announce(an_image())
    await uploader.put(asset, an_image())

    await jobs.purge_uploads(control)
    assert (await uploader.read(asset))["status"] == "uploading"
    await run(uploader.api, "update assets set updated_at = now() - interval '25 hours'")
    await jobs.purge_uploads(control)
    await age_objects(uploader)
    await jobs.sweep_objects(control)

    assert (await uploader.customer.get(f"/v1/assets/{asset['id']}")).status_code == 404
    assert not uploader.kept()


async def test_archived_files_are_deleted_after_400_days(uploader: Uploader) -> None:
    control = uploader.api.control
    asset = made(await uploader.send(an_image()))
    await uploader.customer.post(f"/v1/assets/{asset['id']}/archive")
    await age_objects(uploader)
    await jobs.purge_archived(control)
    await jobs.sweep_objects(control)
    assert uploader.served(asset)

    await run(uploader.api, "update assets set updated_at = now() - interval '401 days'")
    await jobs.purge_archived(control)
    await jobs.sweep_objects(control)

    assert (await uploader.read(asset))["url"] is None
    assert not uploader.kept()


async def test_a_file_that_repeatedly_kills_its_decoder_is_rejected(uploader: Uploader) -> None:
    asset = made(await uploader.send(a_sound()))
    await run(uploader.api, "update assets set attempts = 3")

    settled = await uploader.settled(asset)

    assert settled["status"] == "rejected"
    assert "in several attempts" in settled["rejection_reason"]


async def test_a_file_that_another_scheduler_inspects_is_left_alone(uploader: Uploader) -> None:
    asset = made(await uploader.send(a_sound()))
    await run(uploader.api, "update assets set claimed_until = now() + interval '1 minute'")
    assert (await uploader.settled(asset))["status"] == "processing"

    await run(uploader.api, "update assets set claimed_until = now() - interval '1 second'")
    assert (await uploader.settled(asset))["status"] == "ready"


async def test_an_upload_that_is_gone_is_rejected(uploader: Uploader) -> None:
    asset = made(await uploader.send(a_sound()))
    await uploader.api.control.assets.remove(store_asset.upload_name(asset["id"]))

    assert (await uploader.settled(asset))["status"] == "rejected"


async def test_an_asset_archived_during_its_inspection_stays_archived(uploader: Uploader) -> None:
    asset = made(await uploader.send(a_sound()))

    archived = (await uploader.customer.post(f"/v1/assets/{asset['id']}/archive")).json()

    assert archived["status"] == "archived"
    assert (await uploader.settled(asset))["status"] == "archived"


async def test_a_file_that_cannot_be_read_does_not_hold_up_the_others(uploader: Uploader) -> None:
    broken, other = [made(await uploader.send(a_sound())) for _ in range(2)]
    upload = uploader.store / store_asset.upload_name(broken["id"])
    content = upload.read_bytes()
    upload.unlink()
    upload.mkdir()
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await jobs.inspect_assets(uploader.api.control)
    assert (await uploader.read(other))["status"] == "ready"

    upload.rmdir()
    upload.write_bytes(content)
    assert (await uploader.settled(broken))["status"] == "ready"


async def test_a_stopped_scheduler_releases_its_asset(uploader: Uploader) -> None:
    control = uploader.api.control
    asset = made(await uploader.send(a_sound()))
    inspector = control.get(Inspector)
    control.put(Inspector(at_once=0))  # its files wait
    inspection = asyncio.create_task(jobs.inspect_assets(control))

    async def is_claimed() -> bool:
        return await run(uploader.api, "select attempts from assets") == [(1,)]

    try:
        await until(is_claimed)
        inspection.cancel()
        with pytest.raises(asyncio.CancelledError):
            await inspection
    finally:
        control.put(inspector)

    assert await run(uploader.api, "select attempts from assets") == [(0,)]
    assert (await uploader.settled(asset))["status"] == "ready"


async def test_a_scheduler_stopped_while_it_writes_its_finding_releases_its_asset(
    uploader: Uploader,
) -> None:
    control = uploader.api.control
    asset = made(await uploader.send(a_sound()))
    inspection = asyncio.create_task(jobs.inspect_assets(control))
    async with control.database.service() as session:

        async def is_claimed_and_locked() -> bool:
            locked = text("select 1 from assets where claimed_until is not null for update")
            return (await session.execute(locked)).first() is not None

        async def write_waits() -> bool:
            return bool(await run(uploader.api, "select 1 from pg_locks where not granted"))

        await until(is_claimed_and_locked)
        await until(write_waits)
        inspection.cancel()
    with pytest.raises(asyncio.CancelledError):
        await inspection

    assert await run(uploader.api, "select attempts from assets") == [(0,)]
    assert (await uploader.settled(asset))["status"] == "ready"


async def test_an_unavailable_store_costs_no_attempt(uploader: Uploader) -> None:
    asset = made(await uploader.send(a_sound()))
    assert await work_waits(uploader.api.control, jobs.inspect_assets)
    with away(uploader.store):
        with pytest.raises(StoreUnavailable):
            await jobs.inspect_assets(uploader.api.control)
        refused = await uploader.send(an_image())

    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "unavailable"
    assert await run(uploader.api, "select attempts from assets") == [(0,)]
    assert (await uploader.settled(asset))["status"] == "ready"


def test_every_job_of_assets_is_scheduled() -> None:

    acts = {job.act for job in JOBS}
    assert acts >= {
        jobs.inspect_assets,
        jobs.purge_uploads,
        jobs.purge_archived,
        jobs.sweep_objects,
    }
