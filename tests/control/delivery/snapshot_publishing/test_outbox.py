"""Every change that edges need is a step of its own, without gaps, and leads to the state of the head."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.service.secrets import Purpose
from common.snapshot.codec import parse_object
from common.snapshot.model import Budget, Campaign, Key, ObjectType, Property
from common.values.environment import Environment
from control.outbox.changes import Changes
from control.outbox.outbox import NOTIFY_CHANNEL, flush
from control.outbox.state import get_head, load_full
from control.storage.database import Database
from control.storage.tables.accounts import AccountRow
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.outbox import OutboxRow, SnapshotObjectRow
from tests.control.delivery.snapshot_publishing.rows import (
    NOW,
    SECRET,
    a_campaign_row,
    a_key_row,
    a_secret_row,
    an_ad_row,
)
from tests.control.delivery.snapshot_publishing.world import World, replay, touched
from tests.support.builders import KEY_RING
from tests.support.waiting import PATIENCE_S

TEST, LIVE = Environment.TEST, Environment.LIVE


async def test_steps_lead_to_the_state_of_the_head(database: Database) -> None:
    world = await World.make(database)
    await world.save(a_campaign_row(world.account, environment="live"))
    world.campaign.status = "archived"
    await world.save(world.campaign)
    test, live = await replay(database, TEST), await replay(database, LIVE)
    assert [kind for kind, _ in test] == ["account", "property", "slot", "key", "ad"]
    assert [kind for kind, _ in live] == ["account", "property", "slot", "campaign"]


async def test_edges_receive_which_properties_use_server_rendering(database: Database) -> None:
    world = await World.make(database)
    before = (await replay(database, TEST))["property", world.property.id]
    world.property.server_rendering = True
    await world.save(world.property)
    body = (await replay(database, TEST))["property", world.property.id]
    known = [parse_object(ObjectType.PROPERTY, one) for one in (before, body)]
    assert [isinstance(one, Property) and one.server_rendering for one in known] == [False, True]
    assert b"server_rendering" not in before


async def test_full_state_equals_the_replayed_one(database: Database) -> None:
    await World.make(database)
    state = await replay(database, TEST)
    full = await load_full(database, TEST)
    assert {(entry.type, entry.id): entry.body for entry in full.entries} == state


async def test_a_change_that_changes_nothing_makes_no_version(database: Database) -> None:
    world = await World.make(database)
    everything = (world.account, world.property, world.slot, world.key, world.campaign, world.ad)
    assert await world.save(*everything) is None


async def test_a_transaction_without_changes_makes_no_version(database: Database) -> None:
    async with database.service() as session:
        assert await flush(session, Changes(), keys=KEY_RING, now=NOW) is None


async def test_a_transaction_that_fails_leaves_no_gap(database: Database) -> None:
    world = await World.make(database)

    async def break_off() -> None:
        async with database.service() as session:
            await session.execute(update(AccountRow).values(stopped=True))
            await flush(session, touched(world.account), keys=KEY_RING, now=NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await break_off()
    world.slot.floor_cents = 9
    assert await world.save(world.slot) == 2
    await replay(database, TEST)


async def test_a_tenant_makes_a_version_of_its_own_changes(database: Database) -> None:
    world = await World.make(database)

    async def stop(session: AsyncSession) -> None:
        await session.execute(update(AccountRow).values(stopped=True))

    assert await world.as_tenant(stop, world.account) == 2
    state = await replay(database, LIVE)
    assert b'"stopped":true' in state[("account", world.account.id)]


async def test_a_tenant_sees_neither_steps_nor_foreign_objects(database: Database) -> None:
    world, other = await World.make(database), await World.make(database)
    async with database.tenant(world.account.id) as session:
        accounts = await session.scalars(select(col(SnapshotObjectRow.account_id)).distinct())
        assert accounts.all() == [world.account.id]
    with pytest.raises(ProgrammingError, match="permission denied"):
        async with database.tenant(other.account.id) as session:
            await session.scalars(select(OutboxRow))


async def test_parallel_transactions_make_each_version_once(database: Database) -> None:
    worlds = [await World.make(database) for _ in range(4)]

    async def change(world: World, floor: int) -> int | None:
        async with database.tenant(world.account.id) as session:
            slot = await session.merge(world.slot)
            slot.floor_cents = floor
            return await flush(session, touched(world.slot), keys=KEY_RING, now=NOW)

    made = await asyncio.gather(*(change(w, floor) for floor in range(10, 20) for w in worlds))
    assert sorted(version or 0 for version in made) == list(range(5, 45))
    await replay(database, TEST)
    await replay(database, LIVE)


async def test_two_transactions_that_touch_one_property_lose_neither_half(
    database: Database,
) -> None:
    world = await World.make(database)

    async def add_secret(kid: int) -> None:
        async with database.service() as session:
            session.add(a_secret_row(world.property, kid=kid, state="verify"))
            await session.flush()
            await flush(session, touched(world.property), keys=KEY_RING, now=NOW)

    await asyncio.gather(*(add_secret(kid) for kid in range(2, 10)))
    found = (await replay(database, TEST))[("property", world.property.id)]
    item = parse_object(ObjectType.PROPERTY, found)
    assert isinstance(item, Property)
    assert [secret.kid for secret in item.secrets] == list(range(1, 10))


async def test_secrets_reach_edges_under_their_own_seal(database: Database) -> None:
    world = await World.make(database)
    found = (await replay(database, LIVE))[("property", world.property.id)]
    item = parse_object(ObjectType.PROPERTY, found)
    assert isinstance(item, Property)
    sealed = item.secrets[0].sealed
    assert KEY_RING.unseal(Purpose.SNAPSHOT, sealed, bound_to=world.property.id) == SECRET


async def test_objects_of_one_environment_stay_there(database: Database) -> None:
    world = await World.make(database)
    live_key = a_key_row(world.property, world.user, environment="live")
    await world.save(live_key)
    assert ("key", live_key.id) not in await replay(database, TEST)
    item = parse_object(ObjectType.KEY, (await replay(database, LIVE))[("key", live_key.id)])
    assert isinstance(item, Key)
    assert item.hash == live_key.hash.hex()


async def test_an_ad_once_active_keeps_its_destination_when_archived(database: Database) -> None:
    world = await World.make(database)
    world.ad.status = "archived"
    world.campaign.status = "archived"
    await world.save(world.campaign, world.ad)
    state = await replay(database, TEST)
    assert b'"status":"archived"' in state[("ad", world.ad.id)]
    assert ("campaign", world.campaign.id) not in state


async def test_a_draft_of_live_is_not_published(database: Database) -> None:
    world = await World.make(database)
    campaign = a_campaign_row(world.account, environment="live", status="draft")
    await world.save(campaign)
    assert await world.save(an_ad_row(campaign, environment="live", status="draft")) is None
    assert ("campaign", campaign.id) not in await replay(database, LIVE)


async def test_a_draft_of_test_is_published_for_previews_until_it_is_archived(
    database: Database,
) -> None:
    world = await World.make(database)
    campaign = a_campaign_row(world.account, status="draft")
    ad = an_ad_row(campaign, status="draft")
    await world.save(campaign, ad)
    state = await replay(database, TEST)
    assert b'"status":"draft"' in state[("campaign", campaign.id)]
    assert b'"status":"draft"' in state[("ad", ad.id)]

    ad.status = "archived"
    await world.save(ad)

    assert ("ad", ad.id) not in await replay(database, TEST)


@pytest.mark.parametrize(
    ("columns", "budget"),
    [
        ({"pacing": "asap"}, Budget(None, None)),
        ({"end_at": None}, Budget(None, None)),
        ({"pricing_model": "flat_rate"}, None),
        ({"priority": "house"}, None),
        ({"goal": None}, None),
    ],
)
async def test_a_goal_is_leased_where_its_fills_commit_something(
    database: Database, columns: dict[str, Any], budget: Budget | None
) -> None:
    world = await World.make(database)
    goal = {"kind": "impressions", "total": 9}
    row = a_campaign_row(world.account, **{"goal": goal} | columns)
    await world.save(row)
    found = parse_object(ObjectType.CAMPAIGN, (await replay(database, TEST))["campaign", row.id])
    assert isinstance(found, Campaign)
    assert found.budget == budget


async def test_a_row_changed_by_plain_sql_is_read_again(database: Database) -> None:
    world = await World.make(database)
    async with database.service() as session:
        await session.get(CampaignRow, world.campaign.id)
        await session.execute(text("update campaigns set bid_cents = 777"))
        await flush(session, touched(world.campaign), keys=KEY_RING, now=NOW)
    found = (await replay(database, TEST))[("campaign", world.campaign.id)]
    item = parse_object(ObjectType.CAMPAIGN, found)
    assert isinstance(item, Campaign)
    assert item.bid_micros == 7770


async def test_many_objects_make_one_version(database: Database) -> None:
    world = await World.make(database)
    campaign = world.campaign
    async with database.service() as session:
        ads = [an_ad_row(campaign, name=f"Ad {number}") for number in range(2000)]
        session.add_all(ads)
        assert await flush(session, touched(*ads), keys=KEY_RING, now=NOW) == 2
    assert len(await replay(database, TEST)) == 2006


async def test_a_commit_sends_a_notification(database: Database) -> None:
    world = await World.make(database)
    received: asyncio.Queue[str] = asyncio.Queue()

    def hear(*found: Any) -> None:
        received.put_nowait(found[3])

    async with database.service() as session:
        connection = await session.connection()
        raw = (await connection.get_raw_connection()).driver_connection
        assert raw is not None
        await raw.add_listener(NOTIFY_CHANNEL, hear)
        await session.commit()
        world.slot.floor_cents = 7
        version = await world.save(world.slot)
        async with asyncio.timeout(PATIENCE_S):
            assert int(await received.get()) == version
        await raw.remove_listener(NOTIFY_CHANNEL, hear)


async def test_a_deleted_row_is_deleted_at_the_edges(database: Database) -> None:
    world = await World.make(database)
    async with database.service() as session:
        await session.delete(await session.get_one(AdRow, world.ad.id))
        await flush(session, touched(world.ad), keys=KEY_RING, now=NOW)
        assert (await get_head(session)).version == 2
    assert ("ad", world.ad.id) not in await replay(database, TEST)
