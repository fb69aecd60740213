"""A person's counts for frequency caps are found and erased, on the account's own properties alone."""

from common.privacy.person import hash_person
from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.service.secrets import Purpose
from common.values.clock import SystemClock
from common.values.environment import Environment
from control.adapters.redis_person_counts import RedisFrequencyCounts
from control.identity.privacy_requests.people import CapCounts
from edge.adapters.redis_caps import RedisCapStore
from edge.ports import Seen
from tests.support.builders import NOW_MS
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer
from tests.support.servers import RedisServer

UID = "reader-4711"
KEY = "01900000-0000-7000-8000-0000000000c1:impression:604800"


async def test_counts_are_shown_and_erased(
    api: ControlApi, owner: Person, redis_server: RedisServer, namespace: str
) -> None:
    channels, keys = Channels(namespace), api.control.keys
    prop = await Customer(api, owner).make_property()
    derived = keys.derive(Purpose.PEOPLE)
    anna = hash_person(derived, prop["id"], UID)
    elsewhere = hash_person(derived, "01900000-0000-7000-8000-0000000000ff", UID)
    redis = patient_redis(redis_server.url, connect_s=30)
    store = RedisCapStore(redis, channels, Environment.LIVE, SystemClock(), call_s=30, wait_s=30)
    await store.add([Seen(person, (KEY,), NOW_MS) for person in (anna, anna, elsewhere)])
    counts = RedisFrequencyCounts(redis_server.url, channels)
    place = CapCounts(counts, keys)
    async with api.control.database.service() as session:
        found = await place.find(session, owner.account_id, UID)
        erased = await place.erase(session, owner.account_id, UID)
        left = await place.find(session, owner.account_id, UID)
    assert found.records == [
        {
            "environment": "live",
            "campaign_or_ad": KEY.split(":", maxsplit=1)[0],
            "event": "impression",
            "window_seconds": "604800",
            "count": "2",
        }
    ]
    assert (erased, left.records) == (1, [])
    assert dict(await store.counts(elsewhere, NOW_MS)) == {KEY: 1}
    await store.close()
    await counts.close()
