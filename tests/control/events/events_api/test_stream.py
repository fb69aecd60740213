"""The stream of events over HTTP: what the feed shows, pushed, without loss or repetition."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import text

from common.contract.permissions import Role
from common.values.enums import EventKind
from control.events.events_api.fanout import EventStreams
from tests.control.events.events_api.reader import Reader
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import (
    ControlApi,
    DatabaseTemplate,
    MadeKey,
    Person,
    bearer,
    code_of,
    running_control,
)
from tests.support.event_stream import EventStream, listening

STREAM = "/v1/integration/events/stream"
_MOST = 3


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def api(migrated: DatabaseTemplate, servers_folder: Any) -> AsyncIterator[ControlApi]:
    """A heartbeat every 200 ms, and three streams an account."""
    async with running_control(
        migrated.new_database(),
        servers_folder,
        event_stream_heartbeat_s=0.2,
        event_streams_per_account=_MOST,
    ) as running:
        yield running


@pytest.fixture
def listen(api: ControlApi, person: Person) -> Any:
    def listen(last_id: str = "", **query: Any) -> AbstractAsyncContextManager[EventStream]:
        headers = person.headers | ({"Last-Event-ID": last_id} if last_id else {})
        return listening(api.http, STREAM, headers, **query)

    return listen


async def test_stored_events_are_pushed_as_the_feed_shows_them(
    listen: Any, reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event()])
    async with listen() as stream:
        await stream.opened()
        await world.ingest([edge.event(), edge.event(kind=EventKind.CLICK)])
        pushed = await stream.take(2)

    assert stream.answer.headers["content-type"].startswith("text/event-stream")
    assert stream.answer.headers["cache-control"] == "no-store"
    assert pushed == (await reader.get(cursor="earliest"))["data"][1:]


async def test_a_stream_takes_several_values_of_a_filter(
    listen: Any, world: World, edge: Edge
) -> None:
    async with listen(kind="click,conversion", property_id=world.property_id) as stream:
        await stream.opened()
        kinds = (EventKind.IMPRESSION, EventKind.CLICK, EventKind.CONVERSION)
        await world.ingest([edge.event(kind=one) for one in kinds])
        pushed = await stream.take(2)

    assert {one["kind"] for one in pushed} == {"click", "conversion"}


async def test_a_client_that_reconnects_with_the_last_id_gets_every_event_once(
    listen: Any, reader: Reader, world: World, edge: Edge
) -> None:
    async with listen() as stream:
        await stream.opened()
        await world.ingest([edge.event() for _ in range(3)])
        first = await stream.take(2)
    await world.ingest([edge.event() for _ in range(2)])
    async with listen(last_id=stream.last_id) as stream:
        rest = await stream.take(3)

    seen = [event["id"] for event in first + rest]
    assert seen == (await reader.drain())[0]


async def test_a_client_disconnected_before_the_first_event_loses_none(
    listen: Any, world: World, edge: Edge
) -> None:
    async with listen() as stream:
        await stream.opened()
    await world.ingest([edge.event()])
    async with listen(last_id=stream.last_id) as stream:
        assert len(await stream.take(1)) == 1


async def test_pages_and_stream_share_their_cursors(
    listen: Any, reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event() for _ in range(3)])
    page = await reader.get(cursor="earliest", limit=1)
    async with listen(cursor=page["next_cursor"]) as stream:
        (second,) = await stream.take(1)
    (third,) = (await reader.get(cursor=stream.last_id))["data"]

    assert [page["data"][0]["id"], second["id"], third["id"]] == (await reader.drain())[0]


async def test_from_the_earliest_on_everything_comes_page_after_page(
    listen: Any, reader: Reader, world: World, edge: Edge
) -> None:
    for _ in range(3):
        await world.ingest([edge.event() for _ in range(400)])
    async with listen(cursor="earliest") as stream:
        missed = await stream.take(1200)
        await world.ingest([edge.event()])
        missed += await stream.take(1)

    assert [event["id"] for event in missed] == (await reader.drain())[0]


async def test_streams_of_one_filter_share_what_comes_wherever_they_began(
    listen: Any, reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event() for _ in range(4)])
    ids, _ = await reader.drain()
    async with listen() as live, listen(last_id=ids[1]) as late, listen(cursor="earliest") as whole:
        await live.opened()
        await world.ingest([edge.event() for _ in range(2)])
        seen = [await stream.take(n) for stream, n in ((live, 2), (late, 4), (whole, 6))]

    ids, _ = await reader.drain()
    assert [[event["id"] for event in one] for one in seen] == [ids[4:], ids[2:], ids]


async def test_filters_narrow(listen: Any, world: World, edge: Edge) -> None:
    async with listen(kind="click") as clicks, listen(environment="test") as tests:
        await clicks.opened()
        await tests.opened()
        await world.ingest(
            [edge.event(), edge.event(kind=EventKind.CLICK), edge.event(is_test=True)]
        )
        (click,), (test,) = await clicks.take(1), await tests.take(1)

    assert (click["kind"], click["is_test"], test["is_test"]) == ("click", False, True)


async def test_a_transaction_still_open_hides_what_came_after_it(
    api: ControlApi, listen: Any, world: World, edge: Edge
) -> None:
    async with listen() as stream:
        await stream.opened()
        async with api.control.database.service() as session:
            await session.execute(text("select pg_current_xact_id()"))
            await world.ingest([edge.event()])
            async for message in stream.blocks():
                assert message is None, "a row below an open transaction was shown"
                break
        assert len(await stream.take(1)) == 1


async def test_comments_without_events_advance_the_cursor(
    listen: Any, reader: Reader, world: World, edge: Edge
) -> None:
    async with listen(kind="click") as stream:
        await stream.opened()
        first = stream.last_id
        await world.ingest([edge.event()])
        async for message in stream.blocks():
            assert message is None
            if stream.last_id != first:
                break

    assert set(stream.comments) == {"heartbeat"}
    assert (await reader.get(cursor=stream.last_id, kind="click"))["data"] == []


async def test_the_streams_of_an_account_are_limited(
    api: ControlApi, listen: Any, person: Person
) -> None:
    async with listen() as one, listen(), listen():
        await one.opened()
        refused = await api.http.get(STREAM, headers=person.headers)
        outsider = await api.sign_up()
        async with listening(api.http, STREAM, outsider.headers):
            pass

    assert (refused.status_code, code_of(refused)) == (429, "rate_limited")
    assert int(refused.headers["retry-after"]) >= 1
    async with listen() as again:
        await again.opened()


async def test_a_stream_ends_when_the_session_does(
    api: ControlApi, listen: Any, person: Person
) -> None:
    async with listen() as stream:
        await stream.opened()
        await api.http.post("/v1/auth/sign-out", headers=person.headers)
        ended = await stream.end()

    assert ended["code"] == "invalid_key"


async def test_a_stream_ends_when_the_account_is_suspended(
    api: ControlApi, listen: Any, person: Person
) -> None:
    async with listen() as stream:
        await stream.opened()
        await _execute(
            api, "update accounts set state = 'suspended' where id = :id", id=person.account_id
        )
        ended = await stream.end()

    assert ended["code"] == "tenant_suspended"


async def test_a_stream_ends_when_the_role_loses_the_permission(
    api: ControlApi, listen: Any, person: Person
) -> None:
    async with listen() as stream:
        await stream.opened()
        await _execute(
            api,
            "update memberships set role = :role where user_id = :id",
            role=Role.FINANCE.value,
            id=person.user_id,
        )
        ended = await stream.end()

    assert ended["code"] == "permission_denied"


async def test_a_slow_client_is_disconnected_with_a_reason_and_can_continue(
    api: ControlApi, listen: Any, reader: Reader, world: World, edge: Edge
) -> None:
    """More comes at once than may wait for it."""
    limits = api.control.get(EventStreams).limits
    api.control.get(EventStreams).limits = replace(limits, max_bytes=5000)
    try:
        async with listen() as stream:
            await stream.opened()
            await world.ingest([edge.event() for _ in range(30)])
            seen = []
            async for message in stream.blocks():
                if message is not None and message.event == "end":
                    break
                seen += [message.data["id"]] if message is not None else []
    finally:
        api.control.get(EventStreams).limits = limits
    async with listen(last_id=stream.last_id) as again:
        seen += [event["id"] for event in await again.take(30 - len(seen))]

    assert message is not None
    assert message.data["code"] == "request_timeout"
    assert any("slower than the events" in comment for comment in stream.comments)
    assert seen == (await reader.drain())[0]


async def test_a_key_is_refused_and_a_cursor_of_others_too(
    api: ControlApi, person: Person, key: MadeKey
) -> None:
    outsider = await api.sign_up()
    cases: list[tuple[dict[str, str], dict[str, str], str]] = [
        (key.headers, {}, "403 not_available_to_integration_keys"),
        (bearer("at_" + "x" * 43), {}, "401 invalid_key"),
        ({}, {}, "401 missing_key"),
        (outsider.headers, {"property_id": key.property_id}, "404 not_found"),
        (person.headers, {"cursor": "nonsense"}, "400 cursor_invalid"),
        (person.headers | {"Last-Event-ID": "nonsense"}, {}, "400 cursor_invalid"),
        (person.headers, {"limit": "5"}, "422 validation_failed"),
        (person.headers, {"kind": "view"}, "422 validation_failed"),
    ]
    for headers, query, expected in cases:
        answer = await api.http.get(STREAM, headers=headers, params=query)
        assert f"{answer.status_code} {code_of(answer)}" == expected, query


async def test_only_get_follows(api: ControlApi, person: Person) -> None:
    answer = await api.http.request("POST", STREAM, headers=person.headers)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


async def test_head_returns_the_headers_of_a_stream(
    api: ControlApi, person: Person, listen: Any
) -> None:
    heads = [await api.http.head(STREAM, headers=person.headers) for _ in range(_MOST + 1)]
    refused = await api.http.head(STREAM, params={"kind": "view"}, headers=person.headers)
    async with listen() as stream:
        await stream.opened()

    differs = ("x-request-id", "ratelimit", "connection")
    text = {name: stream.answer.headers[name] for name in heads[0].headers if name not in differs}
    for head in heads:
        assert (head.status_code, head.content) == (200, b"")
        assert text.items() <= dict(head.headers).items()
        assert "content-length" not in head.headers
    assert refused.status_code == 422


async def test_a_stopping_server_announces_it_and_loses_nothing(
    migrated: DatabaseTemplate, servers_folder: Any
) -> None:
    async with running_control(migrated.new_database(), servers_folder) as api:
        person = await api.sign_up()
        stream_of = listening(api.http, STREAM, person.headers)
        async with stream_of as stream:
            await stream.opened()
            api.control.get(EventStreams).stop()
            ended = await stream.end()
        refused = await api.http.get(STREAM, headers=person.headers)

    assert ended["code"] == "unavailable"
    assert (refused.status_code, code_of(refused)) == (503, "unavailable")


async def _execute(api: ControlApi, statement: str, **values: Any) -> None:
    async with api.control.database.service() as session:
        await session.execute(text(statement), values)
