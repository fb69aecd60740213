"""The events feed over HTTP: every event once, whoever writes meanwhile, and only one's own."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from common.contract.permissions import Permission
from common.values.clock import to_iso
from common.values.enums import EventKind, Reason
from control.events.corrections.retract import Chosen, retract
from control.events.events_api.positions import encode_position, position_below
from control.events.events_api.queries import list_newest_events
from control.outbox.changes import Changes
from tests.control.events.events_api.reader import FEED, Reader
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import ControlApi, MadeKey, Person
from tests.support.resources import params_of


async def test_an_event_carries_every_field(reader: Reader, world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    record = edge.event(
        campaign, kind=EventKind.CONVERSION, value_cents=1250, currency="EUR", order_id="A-1"
    )
    await world.ingest([record])
    (event,) = (await reader.get())["data"]
    body: Any = record.body
    assert event.pop("id")
    assert event == {
        "kind": "conversion",
        "ts": to_iso(world.clock.now() - timedelta(seconds=1)),
        "ad_id": str(body.ad_id),
        "campaign_id": campaign,
        "slot_id": world.slot_id,
        "property_id": world.property_id,
        "source": "auction",
        "surface": "web",
        "is_test": False,
        "valid": True,
        "reason": "ok",
        "live_reason": None,
        "ivt_class": "none",
        "value_cents": 1250,
        "currency": "EUR",
        "order_id": "A-1",
        "attribution": "in_session",
        "event_name": None,
        "corrects": None,
    }


async def test_an_empty_feed_has_a_cursor_to_continue_from(
    reader: Reader, world: World, edge: Edge
) -> None:
    page = await reader.get()
    assert (page["data"], page["has_more"]) == ([], False)
    await world.ingest([edge.event()])
    assert len((await reader.get(cursor=page["next_cursor"]))["data"]) == 1


async def test_without_a_cursor_the_newest_come_first(
    reader: Reader, world: World, edge: Edge
) -> None:
    for _ in range(3):
        await world.ingest([edge.event()])
    ids, _ = await reader.drain()
    newest = await reader.get(limit=2)
    assert [event["id"] for event in newest["data"]] == [ids[2], ids[1]]
    assert (await reader.get(cursor=newest["next_cursor"]))["data"] == []


async def test_pages_follow_each_other_without_gap_or_repetition(
    reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event() for _ in range(7)])
    await world.ingest([edge.event() for _ in range(6)])
    ids, cursor = await reader.drain(limit=4)
    assert len(ids) == len(set(ids)) == 13
    assert (await reader.drain(cursor))[0] == []


async def test_an_event_id_is_a_cursor(reader: Reader, world: World, edge: Edge) -> None:
    for _ in range(4):
        await world.ingest([edge.event()])
    ids, _ = await reader.drain()
    assert (await reader.drain(ids[1]))[0] == ids[2:]


async def test_filters_narrow(reader: Reader, world: World, edge: Edge) -> None:
    other = "01900000-0000-7000-8000-00000000abcd"
    world.property_id, first = other, world.property_id
    await world.add_property(other)
    await world.ingest([edge.event()])
    world.property_id = first
    await world.ingest(
        [
            edge.event(kind=EventKind.CLICK),
            edge.event(is_test=True, reason=Reason.OK_TEST),
            edge.event(reason=Reason.PREFETCH),
        ]
    )
    cases: list[tuple[dict[str, Any], int]] = [
        ({"property_id": other}, 1),
        ({"property_id": first}, 3),
        ({"kind": "click"}, 1),
        ({"kind": "click,impression"}, 4),
        ({"kind": ["click", "conversion"]}, 1),
        ({"property_id": f"{first},{other}"}, 4),
        ({"property_id": [first, other], "kind": ["impression"]}, 3),
        ({"valid": "false"}, 1),
        ({"is_test": "true"}, 1),
        ({"environment": "live"}, 3),
        ({"since": to_iso(world.clock.now())}, 0),
        ({"until": to_iso(world.clock.now())}, 4),
    ]
    for query, count in cases:
        assert len((await reader.get(**query))["data"]) == count, query


async def test_a_cursor_of_other_filters_is_refused(reader: Reader) -> None:
    cursor = (await reader.get(kind="click"))["next_cursor"]
    assert await reader.refused(cursor=cursor) == "400 cursor_invalid"
    assert await reader.refused(cursor=cursor[:-4] + "AAAA", kind="click") == "400 cursor_invalid"
    assert await reader.refused(cursor="nonsense") == "400 cursor_invalid"


async def test_a_cursor_holds_for_its_filters_in_any_order(reader: Reader) -> None:
    cursor = (await reader.get(kind="click,impression"))["next_cursor"]

    assert (await reader.get(cursor=cursor, kind=["impression", "click"]))["data"] == []
    assert await reader.refused(cursor=cursor, kind="click") == "400 cursor_invalid"


async def test_a_cursor_of_a_release_with_one_value_for_each_filter_still_holds(
    api: ControlApi, person: Person, reader: Reader, world: World, edge: Edge
) -> None:
    kind = (
        f'listEvents:{person.account_id}:None:None:{{"property_id":null,"kind":"click",'
        '"valid":null,"is_test":null,"since":null,"until":null}'
    )
    earlier = encode_position(api.control.keys, kind, position_below(1, world.clock.now().date()))
    await world.ingest([edge.event(), edge.event(kind=EventKind.CLICK)])

    assert len((await reader.get(cursor=earlier, kind="click"))["data"]) == 1


async def test_another_accounts_property_among_several_is_not_found(
    reader: Reader, world: World
) -> None:
    theirs = "01900000-0000-7000-8000-00000000abce"

    assert await reader.refused(property_id=f"{world.property_id},{theirs}") == "404 not_found"


async def test_an_unknown_event_is_no_cursor(reader: Reader, world: World, edge: Edge) -> None:
    await world.ingest([edge.event()])
    known = (await reader.get())["data"][0]["id"]
    assert await reader.refused(cursor=known[:-4] + "0000") == "400 cursor_invalid"


async def test_a_cursor_beyond_retention_has_expired(reader: Reader) -> None:
    assert await reader.refused(cursor="01700000-0000-8000-8000-000000000000") == (
        "410 cursor_expired"
    )


@pytest.mark.parametrize(
    "query",
    [
        {"limit": 0},
        {"limit": 101},
        {"kind": "view"},
        {"kind": "click,view"},
        {"kind": "click,click"},
        {"since": "soon"},
        {"until": "2026-03-01_00:00:00Z"},
        {"valid": "1"},
        {"is_test": "yes"},
        {"colour": "red"},
    ],
)
async def test_wrong_parameters_are_refused(reader: Reader, query: dict[str, Any]) -> None:
    answer = await reader.api.http.get(FEED, params=query, headers=reader.headers)

    assert params_of(answer) == list(query)


async def test_another_accounts_events_are_not_to_be_seen(
    api: ControlApi, world: World, edge: Edge, reader: Reader
) -> None:
    await world.ingest([edge.event()])
    event_id = (await reader.get())["data"][0]["id"]
    outsider = Reader(api, (await api.sign_up()).headers)
    assert (await outsider.drain())[0] == []
    assert await outsider.refused(cursor=event_id) == "400 cursor_invalid"
    assert await outsider.refused(property_id=world.property_id) == "404 not_found"


async def test_a_key_sees_its_property_and_environment_only(
    api: ControlApi, person: Person, world: World, edge: Edge, key: MadeKey
) -> None:
    mine = world.property_id
    await world.ingest([edge.event(), edge.event(is_test=True, reason=Reason.OK_TEST)])
    world.property_id = await api.add_property(person)
    await world.ingest([edge.event()])
    reader = Reader(api, key.headers)
    (event,) = (await reader.get())["data"]
    assert (event["property_id"], event["is_test"]) == (mine, False)
    assert (await reader.get(is_test="true"))["data"] == []
    assert await reader.refused(property_id=world.property_id) == "404 not_found"
    assert await reader.refused(environment="test") == "403 wrong_environment"


async def test_a_key_needs_reports_read(api: ControlApi, person: Person) -> None:
    key = await api.add_key(person, scopes=(Permission.CAMPAIGN_READ,))
    assert await Reader(api, key.headers).refused() == "403 insufficient_scope"


async def test_five_clients_see_every_row_once_while_writers_write(
    reader: Reader, world: World
) -> None:
    writers, rounds, each = 12, 8, 5
    writing = True

    async def write(partition: int) -> None:
        edge = Edge(world)
        for _ in range(rounds):
            await world.ingest([edge.event() for _ in range(each)], partition=partition)

    async def read() -> list[str]:
        seen, cursor = await reader.drain()
        while writing:
            more, cursor = await reader.drain(cursor)
            seen += more
        return seen + (await reader.drain(cursor))[0]

    readers = [asyncio.create_task(read()) for _ in range(5)]
    await asyncio.gather(*(write(partition) for partition in range(writers)))
    writing = False
    stored = sorted(str(row.id) for row in await world.events())
    assert len(stored) == writers * rounds * each
    for seen in await asyncio.gather(*readers):
        assert sorted(seen) == stored


async def test_a_transaction_that_is_still_open_hides_what_came_after_it(
    api: ControlApi, reader: Reader, world: World, edge: Edge
) -> None:
    async with api.control.database.service() as session:
        await session.execute(text("select pg_current_xact_id()"))
        await world.ingest([edge.event()])
        assert (await reader.get())["data"] == []
        _, cursor = await reader.drain()
    assert len((await reader.drain(cursor))[0]) == 1


async def test_the_newest_of_a_property_are_listed_for_a_page(
    api: ControlApi, world: World, edge: Edge, reader: Reader
) -> None:
    campaign = await world.add_campaign()
    paid = edge.event(campaign, price_micros=2_500)
    await world.ingest([paid, edge.event(is_test=True, reason=Reason.OK_TEST)])
    async with api.control.database.tenant(world.account_id) as session:
        found = await list_newest_events(
            session, world.account_id, property_id=world.property_id, limit=5
        )
    more = [(UUID(one.pop("decision_id")), one.pop("charged_micros")) for one in found]
    assert found == (await reader.get())["data"]
    assert 2_500 in [micros for _, micros in more]


async def test_a_retraction_is_an_event_that_names_what_it_takes_back(
    reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event(await world.add_campaign())])
    (original,) = await world.events()
    cursor = (await reader.get())["next_cursor"]
    async with world.database.service() as session:
        chosen = [Chosen(original.stored_day, original.id, "asked for")]
        await retract(session, Changes(), chosen, world.clock.now())
    (event,) = (await reader.get(cursor=cursor))["data"]

    assert event["corrects"] == str(original.id)
    assert (event["reason"], event["valid"], event["ivt_class"]) == ("retracted", False, "none")
    assert event["ts"] == to_iso(world.clock.now())
