"""What events keep of a person is found and taken out: events and clicks stay, a view is nothing without its person."""

import uuid
from collections import Counter
from typing import Any

from sqlalchemy.event import listen

from common.privacy.person import hash_person
from common.service.secrets import Purpose
from common.values.enums import EventKind
from control.identity.privacy_requests.people import People
from tests.control.events.ingest.world import Edge, World
from tests.support.builders import KEY_RING

UID = "reader-4711"


async def test_an_event_is_found_by_its_person_and_forgets_them(world: World, edge: Edge) -> None:
    anna, ben = (
        hash_person(KEY_RING.derive(Purpose.PEOPLE), world.property_id, uid)
        for uid in (UID, "another")
    )
    people = (anna.hex(), ben.hex(), None)
    records = [
        edge.event(person=person, kind=kind)
        for person in people
        for kind in (EventKind.IMPRESSION, EventKind.CLICK)
    ]
    await world.ingest(records)
    place = People(KEY_RING)
    async with world.database.service() as session:
        found = await place.find(session, world.account_id, UID)
        foreign = await place.find(session, str(uuid.uuid4()), UID)
        erased = await place.erase(session, world.account_id, UID)
        left = await place.find(session, world.account_id, UID)
    assert {one["person"] for one in found.records} == {"\\x" + anna.hex()}
    tables = sorted(one["table"] for one in found.records)
    assert tables == ["click_touches", "events", "events", "view_touches"]
    assert (foreign.records, erased, left.records) == ([], 4, [])
    assert Counter(row.person for row in await world.events()) == {None: 4, ben: 2}
    touches = "select count(*), count(person) from {} where account_id = :account"
    kept = [
        tuple((await world.rows(touches.format(name), account=world.account_id))[0])
        for name in ("click_touches", "view_touches")
    ]
    assert kept == [(3, 1), (1, 1)]


async def test_events_are_read_a_day_at_a_time(world: World, edge: Edge) -> None:
    """They have no index on the person, so that one statement for all days takes as long as there are events."""
    person = hash_person(KEY_RING.derive(Purpose.PEOPLE), world.property_id, UID).hex()
    for _ in range(3):
        await world.ingest([edge.event(person=person)])
        world.clock.advance(ms=24 * 60 * 60 * 1000)
    place = People(KEY_RING)
    read: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if " events" in statement and "person" in statement:
            read.append(statement)

    async with world.database.service() as session:
        connection = (await session.connection()).sync_connection
        assert connection is not None
        listen(connection, "before_cursor_execute", note)
        found = await place.find(session, world.account_id, UID)
        erased = await place.erase(session, world.account_id, UID)

    days = {row.stored_day for row in await world.events()}
    assert len(days) == 3
    assert [one["table"] for one in found.records].count("events") == 3
    assert erased == len(found.records)
    assert {row.person for row in await world.events()} == {None}
    assert len(read) >= 2 * len(days)
    assert all("stored_day =" in statement for statement in read)
