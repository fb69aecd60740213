"""What a poll leaves behind beside the events: dead letters, positions, marks, counters."""

import uuid
from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.tracking.event import LogRecord
from common.values.enums import EventKind
from control.events.ingest.parsed_records import Arrival
from control.events.ingest.positions import PositionMoved
from control.events.ingest.sequences import take_new
from control.events.ingest.store import Store
from control.storage.database import TransactionsClashed
from tests.control.events.ingest.world import Edge, World, a_count, an_event, to_batch


async def test_poison_goes_to_dead_letters_and_the_rest_is_stored(world: World, edge: Edge) -> None:
    foreign = replace(an_event(world), property_id=uuid.uuid4())
    huge = replace(an_event(world), price_micros=2**63)
    nul = replace(an_event(world), kind=EventKind.CONVERSION, order_id="a\0b")
    old = replace(an_event(world), issued_ms=world.clock.now_ms() - 41 * 86_400_000)
    poison: list[LogRecord | bytes] = [b"", b"{}", b"\xff", b'{"v":1,"edge":"e"}']
    poison += [edge.wrap(one) for one in (foreign, huge, nul, old)]
    stored = await world.ingest([edge.event(), *poison, edge.event()])
    letters = await world.rows(
        "select position, reason from dead_letters where source = :source order by position",
        source=world.source,
    )
    assert (stored.events, stored.dead) == (2, 8)
    assert [row.position for row in letters] == list(range(1, 9))
    assert letters[4].reason == "unknown property"


async def test_a_record_that_the_database_refuses_is_found_by_bisection(
    world: World, edge: Edge
) -> None:
    records = [edge.event() for _ in range(9)]
    await world.add_stray_row(records[6])
    stored = await world.ingest(records)
    assert (stored.events, stored.dead) == (8, 1)
    assert await world.store().position(world.source, 0) == 8


async def test_a_consumer_that_lost_its_partition_stores_nothing(world: World, edge: Edge) -> None:
    store = world.store()
    before = await store.position(world.source, 0)
    first, second = edge.event(), edge.event()
    await store.store(world.source, await store.prepare([to_batch([first])]), {0: before})
    with pytest.raises(PositionMoved):
        await store.store(world.source, await store.prepare([to_batch([second])]), {0: before})
    assert len(await world.events()) == 1


async def test_what_is_committed_of_a_writer_has_no_gaps(world: World, edge: Edge) -> None:
    records = [edge.event() for _ in range(6)]
    odd = await world.ingest(records[1::2], partition=1)
    first = await world.ingest(records[0:1])
    rest = await world.ingest([*records[2::2], b"poison"])
    writer = str(edge.writer)
    assert [one.written[writer] for one in (odd, first, rest)] == [0, 2, 6]


async def test_unreadable_bodies_do_not_block_their_writer(world: World, edge: Edge) -> None:
    broken = b'{"v":9,"edge":"%s","boot":"%s","seq":1,"key":"","t":"event","body":{}}' % (
        edge.writer.edge.encode(),
        edge.writer.boot.encode(),
    )
    stored = await world.ingest([broken])
    assert stored.written == {str(edge.writer): 1}


async def test_a_watermark_holds_only_when_all_before_it_is_committed(
    world: World, edge: Edge
) -> None:
    first, second = edge.event(), edge.event()
    counter = edge.counter([])
    through = "select through_ms from writer_marks where writer = :writer"
    await world.ingest([first, counter])
    assert (await world.rows(through, writer=str(edge.writer)))[0][0] is None
    await world.ingest([second], partition=1)
    assert (await world.rows(through, writer=str(edge.writer)))[0][0] == world.clock.now_ms()


async def test_serve_counters_add_up_and_count_once(world: World, edge: Edge) -> None:
    campaign, ad = str(uuid.uuid4()), str(uuid.uuid4())
    fill = a_count(world.property_id, world.slot_id, "fill", 5, campaign, ad)
    empty = a_count(world.property_id, world.slot_id, "no_candidates", 2)
    unknown = a_count(str(uuid.uuid4()), world.slot_id, "no_candidates", 2)
    one, two = edge.counter([fill, empty, unknown]), edge.counter([fill, empty])
    await world.ingest([one, two, one])
    rows = await world.rows(
        "select outcome, count from serve_hourly where account_id = :account order by outcome",
        account=world.account_id,
    )
    assert [tuple(row) for row in rows] == [("fill", 10), ("no_candidates", 4)]


async def test_calls_by_key_add_up_by_the_minute_and_count_once(world: World, edge: Edge) -> None:
    key = str(uuid.uuid4())
    known, unknown = (world.property_id, key, 3), (str(uuid.uuid4()), str(uuid.uuid4()), 2)
    one, two = edge.counter([], keys=(known, unknown)), edge.counter([], keys=(known,))
    await world.ingest([one, two, one])
    rows = await world.rows(
        "select key_id, count from key_minutes where account_id = :account",
        account=world.account_id,
    )
    assert [tuple(row) for row in rows] == [(key, 6)]


async def test_look_ups_of_caps_add_up_by_the_hour_and_count_once(world: World, edge: Edge) -> None:
    known, unknown = (world.property_id, 5, 1), (str(uuid.uuid4()), 2, 2)
    one, two = edge.counter([], caps=(known, unknown)), edge.counter([], caps=(known,))
    await world.ingest([one, two, one])
    rows = await world.rows(
        "select lookups, unknown from cap_lookups where account_id = :account",
        account=world.account_id,
    )
    assert [tuple(row) for row in rows] == [(10, 2)]


_DEADLOCK = text(
    "do $$ begin raise exception 'as PostgreSQL would' using errcode = '40P01'; end $$"
)


class Deadlocks:
    """Takes new records; a deadlock ends the first *count* transactions after that."""

    def __init__(self, count: int) -> None:
        self.left = count

    async def take(self, session: AsyncSession, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
        found = await take_new(session, arrivals)
        if self.left:
            self.left -= 1
            await session.execute(_DEADLOCK)
        return found


async def test_a_poll_that_ended_in_a_deadlock_is_stored_again_at_once(
    world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    stored = await world.ingest([edge.event(campaign)], store=_clashing(world, Deadlocks(3)))
    assert (stored.events, len(await world.events())) == (1, 1)
    assert await world.spent_micros(campaign) == 1000


async def test_a_poll_that_always_ends_in_a_deadlock_is_given_up(world: World, edge: Edge) -> None:
    with pytest.raises(TransactionsClashed):
        await world.ingest([edge.event()], store=_clashing(world, Deadlocks(100)))
    assert await world.events() == []


class Unforeseen:
    """Takes new records, and fails where *sequence* is among them."""

    def __init__(self, sequence: int) -> None:
        self.sequence = sequence

    async def take(self, session: AsyncSession, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
        if any(one.sequence == self.sequence for one in arrivals):
            raise KeyError("a zone that this machine lacks")
        return await take_new(session, arrivals)


async def test_a_record_that_code_did_not_foresee_is_found_by_bisection(
    world: World, edge: Edge
) -> None:
    records = [edge.event() for _ in range(9)]
    store = Store(world.database, world.clock, world.flush, take=Unforeseen(4).take)
    stored = await world.ingest(records, store=store)
    letters = await world.rows(
        "select position, reason from dead_letters where source = :source", source=world.source
    )
    assert (stored.events, stored.dead) == (8, 1)
    assert [tuple(row) for row in letters] == [
        (3, "refused: KeyError('a zone that this machine lacks')")
    ]


def _clashing(world: World, deadlocks: Deadlocks) -> Store:
    return Store(world.database, world.clock, world.flush, take=deadlocks.take)
