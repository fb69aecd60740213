"""What was delivered of campaigns, on its way to edges."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from common.budget.local_day import day_of
from common.snapshot.codec import parse_object
from common.snapshot.model import ObjectType, Pace
from common.values.clock import FixedClock
from common.values.environment import Environment
from control.adapters.local_assets import LocalAssets
from control.api.context import ControlContext
from control.delivery.pacing.jobs import publish_minor_paces, publish_paces, reconcile_paces
from control.foundation.settings import ControlSettings
from control.foundation.signed_links import UploadLinks
from control.outbox import outbox
from control.outbox.compile import CompileContext, ObjectName, compile_objects
from control.storage.database import Database, TransactionsClashed
from control.storage.tables.campaigns import CampaignRow
from tests.control.delivery.snapshot_publishing.rows import a_campaign_row
from tests.control.delivery.snapshot_publishing.world import World, replay
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.waiting_jobs import work_waits

CENT = 10_000


@pytest.fixture
def control(database: Database, tmp_path: Path) -> ControlContext:
    settings = ControlSettings(
        database_url="postgresql://unused",
        redis_url="redis://unused",
        key_file=Path("unused"),
        control_url="http://unused",
        edge_live_url="http://unused",
        edge_test_url="http://unused",
    )
    return ControlContext(
        settings=settings,
        clock=FixedClock(NOW_MS),
        database=database,
        keys=KEY_RING,
        assets=LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://unused")),
    )


async def a_running(world: World, **changes: Any) -> CampaignRow:
    """Live, and bounded by what *changes* say."""
    row = a_campaign_row(
        world.account, **{"environment": "live", "property_ids": [world.property.id]} | changes
    )
    await world.save(row)
    return row


async def spent(control: ControlContext, row: CampaignRow, micros: int, **counts: int) -> None:
    """What ingest leaves behind: so much in all, so many events."""
    at = control.clock.now()
    async with control.database.service() as session:
        await session.execute(
            text(
                "insert into campaign_spend (campaign_id, account_id, spent_micros, impressions, clicks, "
                "conversions, updated_at) values (:id, :account, :micros, :impressions, :clicks, 0, :at) "
                "on conflict (campaign_id) do update set spent_micros = excluded.spent_micros, "
                "impressions = excluded.impressions, clicks = excluded.clicks, updated_at = excluded.updated_at"
            ),
            {"id": row.id, "account": row.account_id, "micros": micros, "at": at}
            | {"impressions": 0, "clicks": 0}
            | counts,
        )


async def charged_today(control: ControlContext, row: CampaignRow, micros: int) -> None:
    async with control.database.service() as session:
        await session.execute(
            text(
                "insert into campaign_spend_days (campaign_id, day, account_id, spent_micros) "
                "values (:campaign, :day, :account, :micros)"
            ),
            {
                "campaign": row.id,
                "day": day_of(row.timezone, control.clock.now()),
                "account": row.account_id,
                "micros": micros,
            },
        )


async def paces(control: ControlContext) -> dict[str, Pace]:
    state = await replay(control.database, Environment.LIVE)
    found = {}
    for (kind, name), body in state.items():
        if kind == ObjectType.PACE:
            pace = parse_object(ObjectType.PACE, body)
            assert isinstance(pace, Pace)
            found[name] = pace
    return found


async def test_spend_and_the_days_spend_reach_edges(control: ControlContext) -> None:
    world = await World.make(control.database)
    row = await a_running(world, budget_total_cents=100, budget_daily_cents=50, timezone="UTC")
    await spent(control, row, 30 * CENT)
    await charged_today(control, row, 20 * CENT)
    assert await work_waits(control, publish_paces)
    await publish_paces(control)
    today = control.clock.now().date().isoformat()
    assert await paces(control) == {row.id: Pace(row.id, 30 * CENT, 20 * CENT, today)}


async def test_a_goals_events_reach_edges(control: ControlContext) -> None:
    world = await World.make(control.database)
    row = await a_running(world, goal={"kind": "clicks", "total": 10})
    await spent(control, row, 0, impressions=900, clicks=4)
    await publish_paces(control)
    assert await paces(control) == {row.id: Pace(row.id, counted=4)}


async def test_small_changes_wait_for_the_slower_check(control: ControlContext) -> None:
    world = await World.make(control.database)
    row = await a_running(world, budget_total_cents=1_000)
    for micros, reported in ((100 * CENT, 100), (101 * CENT, 100), (110 * CENT, 110)):
        await spent(control, row, micros)
        await publish_paces(control)
        assert (await paces(control))[row.id].spent_micros == reported * CENT
    await spent(control, row, 111 * CENT)
    await publish_minor_paces(control)
    assert (await paces(control))[row.id].spent_micros == 111 * CENT


async def test_checking_twice_makes_one_version(control: ControlContext) -> None:
    world = await World.make(control.database)
    row = await a_running(world, budget_total_cents=100)
    await spent(control, row, 50 * CENT)
    await publish_paces(control)
    async with control.database.service() as session:
        head = await session.scalar(text("select version from snapshot_head"))
    for job in (publish_paces, publish_minor_paces, reconcile_paces):
        await job(control)
    async with control.database.service() as session:
        assert await session.scalar(text("select version from snapshot_head")) == head


async def test_many_campaigns_travel_in_few_versions(control: ControlContext) -> None:
    world = await World.make(control.database)
    rows = [
        a_campaign_row(
            world.account,
            environment="live",
            property_ids=[world.property.id],
            budget_total_cents=100,
        )
        for _ in range(700)
    ]
    await world.save(*rows)
    async with control.database.service() as session:
        await session.execute(
            text(
                "insert into campaign_spend (campaign_id, account_id, spent_micros, impressions, clicks, "
                "conversions, updated_at) select id, account_id, 5000, 5, 0, 0, :at from campaigns "
                "where environment = 'live'"
            ),
            {"at": control.clock.now()},
        )
        before = await session.scalar(text("select version from snapshot_head"))
    await publish_paces(control)
    async with control.database.service() as session:
        after = await session.scalar(text("select version from snapshot_head"))
    assert len(await paces(control)) == 700
    assert after == before + 2


async def test_campaigns_that_fail_hold_up_no_other(
    control: ControlContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await World.make(control.database)
    lost = await a_running(world, budget_total_cents=100, timezone="Mars/Olympus_Mons")
    rows = [await a_running(world, budget_total_cents=100) for _ in range(5)]
    for row in (lost, *rows):
        await spent(control, row, 50 * CENT)
    publish = compile_objects

    async def refusing(source: CompileContext, touched: Sequence[ObjectName]) -> Any:
        if (ObjectType.PACE, rows[2].id) in touched:
            raise ValueError("a fault")
        return await publish(source, touched)

    monkeypatch.setattr(outbox, "compile_objects", refusing)
    for act in (publish_paces, publish_minor_paces, reconcile_paces):
        with pytest.raises(KeyError):
            await act(control)
        assert set(await paces(control)) == {row.id for row in rows} - {rows[2].id}
    monkeypatch.undo()
    with pytest.raises(KeyError):
        await publish_paces(control)
    assert set(await paces(control)) == {row.id for row in rows}


async def test_a_batch_that_clashes_is_published_in_halves(
    control: ControlContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await World.make(control.database)
    rows = [await a_running(world, budget_total_cents=100) for _ in range(5)]
    for row in rows:
        await spent(control, row, 50 * CENT)
    publish = compile_objects

    async def clashing(source: CompileContext, touched: Sequence[ObjectName]) -> Any:
        if len(touched) > 2:
            raise TransactionsClashed
        return await publish(source, touched)

    monkeypatch.setattr(outbox, "compile_objects", clashing)
    await publish_paces(control)
    assert set(await paces(control)) == {row.id for row in rows}


async def test_campaigns_without_a_budget_and_test_campaigns_need_no_pace(
    control: ControlContext,
) -> None:
    world = await World.make(control.database)
    free = await a_running(world)
    tested = await a_running(world, environment="test", budget_total_cents=10)
    for row in (free, tested):
        await spent(control, row, 5 * CENT)
    await reconcile_paces(control)
    assert await paces(control) == {}


async def test_the_review_publishes_missed_paces_and_removes_ended_ones(
    control: ControlContext,
) -> None:
    world = await World.make(control.database)
    row = await a_running(world, budget_total_cents=100)
    await spent(control, row, 5 * CENT)
    clock = control.clock
    assert isinstance(clock, FixedClock)
    clock.advance(ms=round(timedelta(hours=1).total_seconds() * 1000))
    async with control.database.service() as session:
        await session.execute(
            text("update campaigns set updated_at = updated_at - interval '1 day' where id = :id"),
            {"id": row.id},
        )
    await publish_paces(control)
    assert await paces(control) == {}
    await reconcile_paces(control)
    assert row.id in await paces(control)
    async with control.database.service() as session:
        await session.execute(
            text("update campaigns set status = 'archived' where id = :id"), {"id": row.id}
        )
    await reconcile_paces(control)
    assert await paces(control) == {}
