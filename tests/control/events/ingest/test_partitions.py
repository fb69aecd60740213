"""The daily partitions, and the tables as the models describe them."""

from datetime import timedelta

from common.values.clock import SystemClock
from control.events.ingest.partitions import ensure_partitions
from tests.control.events.ingest.world import Edge, World

CHILDREN = (
    "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid "
    "where i.inhparent = cast(:parent as regclass)"
)


async def children(world: World, parent: str) -> set[str]:
    return {row[0] for row in await world.rows(CHILDREN, parent=parent)}


async def test_partitions_exist_before_and_after_the_current_one(world: World) -> None:
    """Around the day on which the schema was made, which may have been yesterday."""
    keys, events = await children(world, "event_keys"), await children(world, "events")
    today = SystemClock().now().date()
    made = [today - timedelta(days=age) for age in (0, 1)]
    assert any(
        {f"event_keys_{day + timedelta(days=ahead):%Y%m%d}" for ahead in (-40, 0, 2)} <= keys
        and {f"events_{day + timedelta(days=ahead):%Y%m%d}" for ahead in (-1, 0, 7)} <= events
        for day in made
    ), (keys, events)
    assert {"event_keys_default", "events_default"} <= keys | events


async def test_every_partition_refuses_direct_access_by_name(world: World) -> None:
    rows = await world.rows(
        "select c.relname from pg_class c where c.relispartition and c.relkind = 'r' and not "
        "(c.relrowsecurity and c.relforcerowsecurity)"
    )
    assert rows == []


async def test_an_event_before_its_partition_is_moved_into_it(world: World, edge: Edge) -> None:
    """The world's day has no partition of its own until it is asked for."""
    await world.ingest([edge.event()])
    before = await world.events()
    day = world.clock.now().date()
    async with world.database.service() as session:
        await ensure_partitions(session, day, kept_days=36_500)
    assert await world.events() == before
    rows = await world.rows(
        "select cast(tableoid as regclass)::text from events where account_id = :account".replace(
            "::text", ""
        ),
        account=world.account_id,
    )
    assert [str(row[0]) for row in rows] == [f"events_{day:%Y%m%d}"]
    again = await world.ingest([edge.event(), edge.event()])
    assert again.events == 2


async def test_partitions_beyond_retention_are_dropped(world: World) -> None:
    old = SystemClock().now().date() - timedelta(days=400)
    async with world.database.service() as session:
        await ensure_partitions(session, old, kept_days=36_500)
    assert f"events_{old:%Y%m%d}" in await children(world, "events")
    async with world.database.service() as session:
        await ensure_partitions(session, SystemClock().now().date())
    assert f"events_{old:%Y%m%d}" not in await children(world, "events")
