"""What events keep of a person is found and taken out: events and clicks stay, a view is nothing without its person."""

import uuid
from collections import Counter

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
