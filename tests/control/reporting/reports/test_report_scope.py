"""Whose figures a report has: of the caller's account, and of the property and environment of a key."""

from common.contract.permissions import Permission
from common.values.enums import Reason
from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.control.events.events_api.reader import Reader
from tests.control.events.ingest.world import Edge, World
from tests.control.reporting.reports.books import REPORT, lately
from tests.support.control_api import ControlApi, MadeKey, Person


async def test_the_zone_is_the_propertys_where_there_is_one(
    api: ControlApi, person: Person, reader: Reader, world: World
) -> None:
    await world.rows(
        "update properties set timezone = 'America/Sao_Paulo' where id = :id returning 1",
        id=world.property_id,
    )
    key = await _key(api, person, world)
    named = await reader.get(REPORT, **lately(world), property_id=world.property_id)
    keyed = await Reader(api, key.headers).get(REPORT, **{"from": "2026-03-01", "to": "2026-03-02"})

    assert (named["tz"], keyed["tz"]) == ("America/Sao_Paulo", "America/Sao_Paulo")
    assert (await reader.get(REPORT, **lately(world)))["tz"] == "UTC"


async def test_days_are_those_of_the_zone_named_in_the_answer(reader: Reader) -> None:
    requested = {"from": "2026-03-08", "to": "2026-03-09", "environment": "live"}
    plain = await reader.get(REPORT, **requested)
    there = await reader.get(REPORT, **requested, tz="America/New_York")  # of 23 hours
    half = await reader.get(REPORT, **requested, tz="Asia/Kolkata")

    assert (plain["from_at"], plain["to_at"]) == (
        "2026-03-08T00:00:00.000Z",
        "2026-03-09T00:00:00.000Z",
    )
    assert (there["from_at"], there["to_at"]) == (
        "2026-03-08T05:00:00.000Z",
        "2026-03-09T04:00:00.000Z",
    )
    assert (half["from_at"], half["to_at"], half["tz"]) == (
        "2026-03-07T18:00:00.000Z",
        "2026-03-08T18:00:00.000Z",
        "Asia/Kolkata",
    )


async def test_a_user_names_the_environment(reader: Reader) -> None:
    assert await reader.refused(REPORT, **{"from": "2026-03-01"}) == "422 validation_failed"


async def test_a_key_sees_its_property_in_its_environment(
    api: ControlApi, person: Person, world: World, edge: Edge, reader: Reader
) -> None:
    key = await _key(api, person, world)
    mine, site = await world.add_campaign(), world.property_id
    await world.ingest([edge.event(mine), edge.event(mine, is_test=True, reason=Reason.OK_TEST)])
    world.property_id = await api.add_property(person)
    foreign = await world.add_campaign()
    await world.ingest([edge.event(foreign)])
    keyed = Reader(api, key.headers)
    requested = {name: value for name, value in lately(world).items() if name != "environment"}

    found = await keyed.get(REPORT, **requested, group_by="property")
    assert [(row["property_id"], row["impressions"]) for row in found["data"]] == [(site, 1)]
    assert (await reader.get(REPORT, **lately(world)))["totals"]["impressions"] == 2
    for query in (
        {"property_id": world.property_id},
        {"campaign_id": foreign},
        {"slot_id": world.slot_id},
        {"ad_id": world.slot_id},
    ):
        assert await keyed.refused(REPORT, **requested, **query) == "404 not_found"
    assert await keyed.refused(REPORT, **requested, environment="test") == "403 wrong_environment"


async def test_a_campaign_of_the_other_environment_is_not_there(
    reader: Reader, world: World
) -> None:
    campaign = await world.add_campaign(environment="test")
    assert await reader.refused(REPORT, **lately(world), campaign_id=campaign) == "404 not_found"


async def test_another_account_sees_nothing(api: ControlApi, world: World, edge: Edge) -> None:
    await world.ingest([edge.event()])
    outsider = Reader(api, (await api.sign_up()).headers)
    assert (await outsider.get(REPORT, **lately(world)))["data"] == []
    refused = await outsider.refused(REPORT, **lately(world), property_id=world.property_id)
    assert refused == "404 not_found"


async def _key(api: ControlApi, person: Person, world: World) -> MadeKey:
    return await api.add_key(
        person,
        KeyKind.INTEGRATION,
        Environment.LIVE,
        property_id=world.property_id,
        scopes=(Permission.REPORTS_READ,),
    )
