"""The jobs of the scheduler, and that their changes reach edges."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import delete, func, select, update
from sqlmodel import col

from common.values.clock import FixedClock
from common.values.environment import Environment
from control.adapters.local_assets import LocalAssets
from control.api.context import ControlContext
from control.api.job_items import delete_where
from control.delivery.snapshot_publishing.replay import COMPILED_AS, replay_after_upgrade
from control.foundation.settings import ControlSettings
from control.foundation.signed_links import UploadLinks
from control.operations.scheduler import jobs
from control.operations.scheduler.schedule import JOBS
from control.storage.database import Database
from control.storage.tables.base import Row
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.events import AdCountRow
from control.storage.tables.idempotency import IdempotencyRow
from control.storage.tables.outbox import OutboxRow, SnapshotHeadRow
from tests.control.delivery.snapshot_publishing.rows import (
    NOW,
    a_campaign_row,
    a_key_row,
    an_ad_row,
)
from tests.control.delivery.snapshot_publishing.world import World, replay
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.waiting_jobs import work_waits

TEST = Environment.TEST
DAY_MS = 86_400_000


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW_MS)


@pytest.fixture
def control(database: Database, clock: FixedClock, tmp_path: Path) -> ControlContext:
    settings = ControlSettings(
        database_url="postgresql://unused",
        redis_url="redis://unused",
        key_file=Path("unused"),
        control_url="http://unused",
        edge_live_url="http://unused",
        edge_test_url="http://unused",
        delta_history=3,
    )
    return ControlContext(
        settings=settings,
        clock=clock,
        database=database,
        keys=KEY_RING,
        assets=LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://unused")),
    )


async def count_of(database: Database, row: type[Row]) -> int:
    async with database.service() as session:
        return await session.scalar(select(func.count()).select_from(row)) or 0


async def status_of(database: Database, campaign_id: str) -> tuple[str, int]:
    async with database.service() as session:
        row = await session.get_one(CampaignRow, campaign_id)
        return row.status, row.version


async def test_a_campaign_whose_flight_is_over_is_completed(
    control: ControlContext, clock: FixedClock
) -> None:
    world = await World.make(control.database)
    endless = a_campaign_row(world.account, end_at=None)
    await world.save(endless)
    clock.advance(ms=DAY_MS)
    assert await work_waits(control, jobs.complete_campaigns)
    await jobs.complete_campaigns(control)
    assert await status_of(control.database, world.campaign.id) == ("completed", 2)
    assert await status_of(control.database, endless.id) == ("active", 1)
    state = await replay(control.database, TEST)
    assert b'"status":"completed"' in state[("campaign", world.campaign.id)]


async def test_a_campaign_in_its_flight_is_left_alone(control: ControlContext) -> None:
    world = await World.make(control.database)
    await jobs.complete_campaigns(control)
    assert await status_of(control.database, world.campaign.id) == ("active", 1)
    assert await count_of(control.database, OutboxRow) == 1


async def test_a_campaign_whose_goal_is_reached_is_completed(control: ControlContext) -> None:
    world = await World.make(control.database)
    goal = {"kind": "clicks", "total": 5}
    terms = {"end_at": None, "goal": goal}
    reached, ahead, none = [a_campaign_row(world.account, **terms) for _ in range(3)]
    paused = a_campaign_row(world.account, status="paused", **terms)
    await world.save(reached, ahead, none, paused)
    for campaign, clicks in ((reached, (2, 3)), (ahead, (2, 2)), (paused, (2, 3))):
        for count in clicks:
            ad = an_ad_row(campaign)
            await world.save(ad)
            async with control.database.service() as session:
                session.add(
                    AdCountRow(
                        ad_id=UUID(ad.id),
                        account_id=world.account.id,
                        impressions=9,
                        clicks=count,
                        conversions=0,
                    )
                )
    assert await work_waits(control, jobs.complete_campaigns)
    await jobs.complete_campaigns(control)
    every = (reached, ahead, none, paused)
    found = [(await status_of(control.database, one.id))[0] for one in every]
    assert found == ["completed", "active", "active", "paused"]


async def test_many_campaigns_are_completed_in_one_run(
    control: ControlContext, clock: FixedClock
) -> None:
    world = await World.make(control.database)
    await world.save(*(a_campaign_row(world.account) for _ in range(600)))
    clock.advance(ms=DAY_MS)
    await jobs.complete_campaigns(control)
    async with control.database.service() as session:
        left = select(func.count()).where(col(CampaignRow.status) == "active")
        assert await session.scalar(left) == 0
    await replay(control.database, TEST)


async def test_old_steps_are_swept_except_those_of_the_ring(
    control: ControlContext, clock: FixedClock
) -> None:
    world = await World.make(control.database)
    for floor in range(10, 19):
        world.slot.floor_cents = floor
        await world.save(world.slot)
    await jobs.sweep_outbox(control)
    assert await count_of(control.database, OutboxRow) == 10
    clock.advance(ms=8 * DAY_MS)
    await jobs.sweep_outbox(control)
    async with control.database.service() as session:
        kept = await session.scalars(
            select(col(OutboxRow.version)).order_by(col(OutboxRow.version))
        )
        assert kept.all() == [8, 9, 10]


def a_stored_answer(number: int) -> IdempotencyRow:
    return IdempotencyRow(
        scope=number.to_bytes(32, "big"),
        account_id=None,
        fingerprint=b"f",
        status=201,
        answer=b"{}",
        is_sealed=False,
        created_at=NOW,
    )


async def test_many_rows_are_deleted_in_parts_the_lowest_first(control: ControlContext) -> None:
    async with control.database.service() as session:
        session.add_all(a_stored_answer(number) for number in range(7))
    scope = col(IdempotencyRow.scope)
    kept = (6).to_bytes(32, "big")
    gone = await delete_where(control.database, IdempotencyRow, scope != kept, first=scope, most=2)
    async with control.database.service() as session:
        left = await session.scalars(select(scope))
        assert (gone, left.all()) == (6, [kept])
        await session.execute(delete(IdempotencyRow))


async def test_stored_answers_are_swept_after_a_day(
    control: ControlContext, clock: FixedClock
) -> None:
    async with control.database.service() as session:
        session.add(a_stored_answer(0))
    await jobs.purge_idempotency_records(control)
    assert await count_of(control.database, IdempotencyRow) == 1
    clock.advance(ms=DAY_MS + 1)
    await jobs.purge_idempotency_records(control)
    assert await count_of(control.database, IdempotencyRow) == 0


async def test_a_revoked_key_is_known_for_ninety_days(
    control: ControlContext, clock: FixedClock
) -> None:
    world = await World.make(control.database)
    world.key.revoked_at = NOW
    other = a_key_row(world.property, world.user)
    await world.save(world.key, other)
    clock.advance(ms=90 * DAY_MS - 1)
    await jobs.purge_revoked_keys(control)
    assert ("key", world.key.id) in await replay(control.database, TEST)
    clock.advance(ms=1)
    await jobs.purge_revoked_keys(control)
    state = await replay(control.database, TEST)
    assert ("key", world.key.id) not in state
    assert ("key", other.id) in state


async def test_click_destinations_stay_for_four_hundred_days_after_the_archive(
    control: ControlContext, clock: FixedClock
) -> None:
    world = await World.make(control.database)
    world.campaign.status = "archived"
    await world.save(world.campaign)
    clock.advance(ms=400 * DAY_MS - 1)
    await jobs.purge_archived_ads(control)
    assert ("ad", world.ad.id) in await replay(control.database, TEST)
    clock.advance(ms=1)
    await jobs.purge_archived_ads(control)
    assert ("ad", world.ad.id) not in await replay(control.database, TEST)


async def test_advertisers_follow_the_suffix_list_of_today(control: ControlContext) -> None:
    world = await World.make(control.database)
    moved = an_ad_row(world.campaign, click_url="https://casa.adv.br/", advertiser_domain="adv.br")
    await world.save(moved)
    steps = await count_of(control.database, OutboxRow)

    await jobs.renew_advertisers(control)
    await jobs.renew_advertisers(control)

    state = await replay(control.database, TEST)
    async with control.database.service() as session:
        assert (await session.get_one(AdRow, moved.id)).version == 2
        assert (await session.get_one(AdRow, world.ad.id)).version == 1
    assert b'"advertiser_domain":"casa.adv.br"' in state[("ad", moved.id)]
    assert b'"advertiser_domain":"advertiser.example"' in state[("ad", world.ad.id)]
    assert await count_of(control.database, OutboxRow) == steps + 1


async def test_after_an_upgrade_every_object_is_compiled_again_once(
    control: ControlContext,
) -> None:
    world = await World.make(control.database)
    goal = {"kind": "clicks", "total": 5}

    async def change_behind_the_outbox(**values: Any) -> bytes:
        """As a migration does; gives the campaign as edges have it, after the scheduler's look."""
        async with control.database.service() as session:
            await session.execute(
                update(CampaignRow).where(col(CampaignRow.id) == world.campaign.id).values(values)
            )
        await replay_after_upgrade(control)
        return (await replay(control.database, TEST))[("campaign", world.campaign.id)]

    upgraded = await change_behind_the_outbox(goal=goal)
    later = await change_behind_the_outbox(goal=goal | {"total": 6})
    async with control.database.service() as session:
        await session.execute(update(SnapshotHeadRow).values(compiled_as=COMPILED_AS - 1))
    upgraded_again = await change_behind_the_outbox(goal=goal | {"total": 7})

    assert b'"total":5' in upgraded
    assert later == upgraded
    assert b'"total":7' in upgraded_again
    assert replay_after_upgrade in {job.act for job in JOBS}
