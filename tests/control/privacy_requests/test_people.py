"""What events keep of a person is found and taken out; the events stay."""

import uuid

from common.privacy.person import hash_person
from common.secrets import Purpose
from control.privacy_requests.people import People
from tests.control.ingest.world import Edge, World
from tests.support.builders import KEY_RING

UID = "reader-4711"


async def test_an_event_is_found_by_its_person_and_forgets_them(world: World, edge: Edge) -> None:
    anna, ben = (
        hash_person(KEY_RING.derive(Purpose.PEOPLE), world.property_id, uid)
        for uid in (UID, "another")
    )
    records = [edge.event(person=person) for person in (anna.hex(), ben.hex(), None)]
    await world.ingest(records)
    place = People(KEY_RING)
    async with world.database.service() as session:
        found = await place.find(session, world.account_id, UID)
        foreign = await place.find(session, str(uuid.uuid4()), UID)
        erased = await place.erase(session, world.account_id, UID)
        left = await place.find(session, world.account_id, UID)
    assert [one["person"] for one in found.records] == ["\\x" + anna.hex()]
    assert (foreign.records, erased, left.records) == ([], 1, [])
    assert sorted(row.person or b"" for row in await world.events()) == sorted([b"", b"", ben])
