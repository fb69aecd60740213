"""The summary of a property over HTTP."""

from datetime import timedelta

from common.values.clock import to_iso
from common.values.enums import EventKind, Reason
from common.values.environment import Environment
from common.values.keys import KeyKind
from control.events.corrections.retract import Chosen, retract
from control.outbox.changes import Changes
from tests.control.events.events_api.reader import STATUS, Reader
from tests.control.events.ingest.world import Edge, World, a_count
from tests.support.control_api import ControlApi, MadeKey, Person


async def test_a_new_property_has_an_empty_status(reader: Reader, world: World) -> None:
    status = await reader.get(STATUS)
    assert (status["property_id"], status["environment"]) == (world.property_id, "live")
    assert (status["key"], status["verified"], status["account_status"]) == (None, True, "active")
    assert status["last_impression_at"] is None
    assert status["counts_24h"] == {"impressions": 0, "clicks": 0, "conversions": 0, "invalid": 0}
    assert status["fill_rate_24h"] is None
    assert status["snapshot"]["version"] >= 0


async def test_events_and_counters_show_in_the_status(
    reader: Reader, world: World, edge: Edge
) -> None:
    slot = (world.property_id, world.slot_id)
    await world.ingest(
        [
            edge.event(),
            edge.event(),
            edge.event(kind=EventKind.CLICK),
            edge.event(reason=Reason.BOT_USER_AGENT),
            edge.event(is_test=True, reason=Reason.OK_TEST),
            edge.counter([a_count(*slot, "fill", 3), a_count(*slot, "no_candidates", 1)]),
        ]
    )
    status = await reader.get(STATUS)
    assert status["last_impression_at"] == to_iso(world.clock.now() - timedelta(seconds=1))
    assert status["last_conversion_at"] is None
    assert status["counts_24h"] == {"impressions": 2, "clicks": 1, "conversions": 0, "invalid": 1}
    assert status["fill_rate_24h"] == 0.75
    assert status["events_lag_seconds"] is not None
    test = await reader.get(STATUS, environment="test")
    assert test["counts_24h"]["impressions"] == 1


async def test_conversions_are_counted_by_their_outcome(
    reader: Reader, world: World, edge: Edge
) -> None:
    conversion = edge.event(kind=EventKind.CONVERSION)
    await world.ingest([conversion])
    now = world.clock.now()
    states = ["held", "unattributed", "unattributed", "repeated", "surplus", "attributed"]
    for state in states:
        await world.rows(
            "insert into conversions (id, account_id, property_id, is_test, door, event_name, occurred_at, heard_at, "
            "reason, judge_version, state, try_at) values (gen_random_uuid(), :account, :property, false, 'pixel', "
            "'lead', :now, :now, 'ok', 1, :state, :try_at) returning 1",
            account=world.account_id,
            property=world.property_id,
            now=now,
            state=state,
            try_at=now if state == "held" else None,
        )
    status = await reader.get(STATUS)
    assert status["conversions_24h"] == {
        "click_through": 0,
        "view_through": 0,
        "in_session": 1,
        "waiting": 1,
        "unattributed": 2,
        "repeated": 1,
    }
    assert status["last_conversion_at"] == to_iso(now - timedelta(seconds=1))


async def test_a_retracted_conversion_is_not_counted(
    reader: Reader, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    await world.ingest([edge.event(campaign, kind=EventKind.CONVERSION) for _ in range(2)])
    (row, _) = await world.events()
    async with world.database.service() as session:
        chosen = [Chosen(row.stored_day, row.id, "fraud")]
        await retract(session, Changes(), chosen, world.clock.now())

    assert (await reader.get(STATUS))["conversions_24h"]["in_session"] == 1


async def test_a_key_sees_its_own_property(api: ControlApi, key: MadeKey) -> None:
    status = await Reader(api, key.headers).get(STATUS)
    assert status["property_id"] == key.property_id
    assert status["key"] == {"id": key.id, "kind": "integration", "last4": key.text.last4}


async def test_a_secret_key_may_ask(api: ControlApi, person: Person, world: World) -> None:
    key = await api.add_key(person, KeyKind.SECRET, Environment.TEST, property_id=world.property_id)
    status = await Reader(api, key.headers).get(STATUS)
    assert (status["environment"], status["key"]["kind"]) == ("test", "secret")


async def test_with_several_properties_one_must_be_named(
    api: ControlApi, person: Person, world: World, reader: Reader
) -> None:
    other = await api.add_property(person)
    assert await reader.refused(STATUS) == "422 validation_failed"
    assert (await reader.get(STATUS, property_id=other))["verified"] is False
    assert world.property_id != other


async def test_a_foreign_property_is_not_there(api: ControlApi, world: World, key: MadeKey) -> None:
    outsider = Reader(api, (await api.sign_up()).headers)
    assert await outsider.refused(STATUS, property_id=world.property_id) == "404 not_found"
    other = await api.add_property(await api.sign_up())
    assert await Reader(api, key.headers).refused(STATUS, property_id=other) == "404 not_found"
