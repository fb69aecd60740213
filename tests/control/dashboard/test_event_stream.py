"""The live tail of the events page as a stream: rows as events come, for as long as the session may see them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from playwright.async_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from common.values.enums import EventKind
from tests.control.events.ingest.world import Edge, World
from tests.support.browser import opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.forms import attribute
from tests.support.http_client import http_client
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import Visitor

__all__ = ["edge", "person", "visitor", "world"]


@asynccontextmanager
async def _followed(
    visitor: Visitor, page: str = "/live/events", **headers: str
) -> AsyncIterator[AsyncIterator[dict[str, str]]]:
    """The blocks of the stream that the page names, opened."""
    address = attribute(await visitor.look(page), "[data-stream]", "data-stream")
    async with visitor.http.stream("GET", address, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        blocks = _blocks(answer)
        assert "retry" in await anext(blocks)
        yield blocks


async def _blocks(answer: httpx.Response) -> AsyncIterator[dict[str, str]]:
    """The fields of each; of several lines of data, all."""
    block: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if not line:
            yield block
            block = {}
            continue
        name, _, value = line.partition(": ")
        block[name] = f"{block[name]}\n{value}" if name in block else value


async def _next(blocks: AsyncIterator[dict[str, str]], name: str) -> dict[str, str]:
    async for block in blocks:
        if name in block:
            return block
    raise AssertionError(f"the stream ended without {name}")


def _ids(rows: str) -> list[str]:
    page = LexborHTMLParser(f"<table>{rows}</table>")
    return [(row.attributes["id"] or "").removeprefix("event-") for row in page.css("tr")]


async def _change(api: ControlApi, statement: str, person: Person) -> None:
    async with api.control.database.service() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(statement, (person.user_id,))


async def test_events_come_as_rows_of_the_page(visitor: Visitor, world: World, edge: Edge) -> None:
    async with _followed(visitor) as blocks:
        await world.ingest([edge.event()])
        block = await _next(blocks, "data")

    [stored] = await world.events()
    assert _ids(block["data"]) == [str(stored.id)]
    assert f"/live/events/{stored.id}" in block["data"]


async def test_filters_and_the_environment_hold_in_the_stream(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    async with _followed(visitor, "/live/events?kind=click") as blocks:
        await world.ingest([edge.event(), edge.event(kind=EventKind.CLICK, is_test=True)])
        await world.ingest([edge.event(kind=EventKind.CLICK)])
        block = await _next(blocks, "data")

    wanted = [one for one in await world.events() if one.kind == "click" and not one.is_test]
    assert _ids(block["data"]) == [str(one.id) for one in wanted]


async def test_a_client_that_reconnects_with_the_last_id_misses_nothing(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    async with _followed(visitor) as blocks:
        await world.ingest([edge.event()])
        last = (await _next(blocks, "data"))["id"]
    await world.ingest([edge.event()])
    async with _followed(visitor, **{"Last-Event-ID": last}) as blocks:
        block = await _next(blocks, "data")

    assert _ids(block["data"]) == [str((await world.events())[-1].id)]


_ENDS = {
    "invalid_key": "update sessions set revoked_at = now() where user_id = $1",
    "permission_denied": "update memberships set role = 'finance' where user_id = $1",
    "tenant_suspended": (
        "update accounts a set state = 'suspended' from memberships m "
        "where m.account_id = a.id and m.user_id = $1"
    ),
}


@pytest.mark.parametrize("code", _ENDS)
async def test_a_stream_ends_with_an_end_event_when_permission_is_lost(
    api: ControlApi, visitor: Visitor, code: str
) -> None:
    async with _followed(visitor) as blocks:
        await _change(api, _ENDS[code], visitor.person)
        block = await _next(blocks, "event")
        assert block["event"] == "end"
        assert f'"code":"{code}"' in block["data"]
        assert [rest async for rest in blocks] == []


async def test_a_stream_needs_a_session_and_a_valid_cursor(
    api: ControlApi, visitor: Visitor
) -> None:
    page = await visitor.look("/live/events")
    address = attribute(page, "[data-stream]", "data-stream")

    async with http_client(base_url=api.http.base_url) as outsider:
        answer = await outsider.get(address)
    assert (answer.status_code, answer.headers["location"][:8]) == (303, "/sign-in")
    forged = await visitor.http.get("/live/events/stream?after=abc")
    assert forged.status_code == 400
    other = await visitor.http.get(address.replace("/live/", "/test/"))
    assert other.status_code == 400


async def test_in_a_browser_rows_appear_live_and_a_revoked_session_is_shown(
    api: ControlApi, chromium: Browser, person: Person, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event()])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.goto(f"{base_url}/live/events")
        await expect(seen.page.locator("#events:not([data-every])")).to_be_visible()
        await world.ingest([edge.event(kind=EventKind.CLICK)])
        await expect(seen.page.locator("tbody tr")).to_have_count(2)
        await expect(seen.page.locator("tbody tr").first).to_contain_text("Click")
        await seen.check_axe()
        await _change(api, _ENDS["invalid_key"], person)
        await expect(seen.page.locator("#following")).to_contain_text("Sign in again")
        seen.check()
