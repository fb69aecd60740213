"""An embedded window in a real browser, inside a page of another origin: what it shows, and what the host receives."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
from playwright.async_api import Browser, FrameLocator, Page, expect

from tests.support.browser import Watched, opened
from tests.support.control_api import ControlApi, MadeKey
from tests.support.embedding import ask
from tests.support.resources import Customer

_HOST = """<!doctype html><html lang="en"><title>Host</title><h1>Host</h1>
<iframe title="Window" width="800" height="600"></iframe>
<script>
window.received = [];
addEventListener("message", (event) => received.push({ origin: event.origin, ...event.data }));
window.embed = (url) => { document.querySelector("iframe").src = url; };
</script></html>"""


@asynccontextmanager
async def _hosting() -> AsyncIterator[str]:
    """The origin of a customer's application; it waits for `embed`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(_HOST)}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n{_HOST}".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://localhost:{server.sockets[0].getsockname()[1]}"


async def _embed(
    api: ControlApi, key: MadeKey, page: Page, *, hosted_at: str, origin: str, **requested: Any
) -> FrameLocator:
    answer = await ask(api, key.headers, origin=origin, **requested)
    url = f"{api.http.base_url}/embed?cs={answer.json()['client_secret']}"
    await page.goto(hosted_at)
    await page.evaluate(f"embed({orjson.dumps(url).decode()})")
    return page.frame_locator("iframe")


async def _hear(page: Page, kind: str) -> dict[str, Any]:
    """The first message of that kind, once it came."""
    found = f"received.find((one) => one.type === '{kind}')"
    await page.wait_for_function(f"Boolean({found})")
    message: dict[str, Any] = await page.evaluate(found)
    return message


async def _fill(frame: FrameLocator) -> None:
    await frame.locator("[name='name']").fill("Mine")
    await (
        frame.locator("details", has=frame.locator("[name='content.image_url']"))
        .locator("summary")
        .click()
    )
    await frame.locator("[name='content.image_url']").fill("https://cdn.example.com/a.png")
    await frame.locator("[name='content.width']").fill("300")
    await frame.locator("[name='content.height']").fill("250")


async def test_a_window_is_opened_used_and_ended_inside_its_host(
    api: ControlApi, chromium: Browser
) -> None:
    owner = await api.sign_up()
    site = await api.add_property(owner)
    campaign = await Customer(api, owner).make_campaign(site, "test", name="Spring sale")
    key = await api.add_key(owner, property_id=site)
    context = {"campaign_id": campaign["id"], "theme": "dark"}
    async with _hosting() as origin, opened(chromium) as seen:
        page = seen.page
        frame = await _embed(api, key, page, hosted_at=origin, origin=origin, context=context)
        ready = await _hear(page, "ready")
        assert ready["origin"] == str(api.http.base_url).rstrip("/")
        assert (await _hear(page, "resize"))["height"] > 0
        await _check_memory_alone(page)
        await seen.check_axe(page.frames[1])

        await frame.get_by_role("link", name="Banner").click()
        await frame.get_by_role("heading", name="New ad").wait_for()
        await seen.check_axe(page.frames[1])
        await frame.locator("body").evaluate("(body) => scrollTo(0, body.scrollHeight)")
        await expect(frame.get_by_role("button", name="Close")).to_be_in_viewport()
        await _fill(frame)
        await frame.get_by_role("button", name="Create ad").click()
        assert (await _hear(page, "saved"))["campaign_id"] == campaign["id"]
        await frame.get_by_role("heading", name="Mine").wait_for()
        await seen.check_axe(page.frames[1])
        await frame.get_by_role("button", name="Close").click()
        await _hear(page, "closed")

        await api.http.post(f"/v1/integration-keys/{key.id}/revoke", headers=owner.headers)
        await frame.get_by_role("link", name="Edit", exact=True).click()
        assert (await _hear(page, "error"))["code"] == "key_revoked"
        await frame.get_by_role("heading", name="This window has expired").wait_for()
        _check_faults(seen)


async def test_a_page_of_another_origin_cannot_frame_it(api: ControlApi, chromium: Browser) -> None:
    key = await api.add_key(await api.sign_up())
    async with _hosting() as origin, _hosting() as elsewhere, opened(chromium) as seen:
        async with seen.page.expect_event("console") as refused:
            await _embed(api, key, seen.page, hosted_at=elsewhere, origin=origin)

        assert "frame-ancestors" in (await refused.value).text


async def _check_memory_alone(page: Page) -> None:
    """Neither the address, nor the page, nor a cookie holds secret or bearer."""
    window = page.frames[1]
    assert window.url.endswith("/embed")
    kept = await window.evaluate(
        "[document.documentElement.outerHTML, document.cookie, JSON.stringify(history.state)].join()"
    )
    assert "es_" not in kept
    assert "cs_" not in kept


def _check_faults(seen: Watched) -> None:
    """But for the picture's host, which is not there, and the call that the revoked key was refused."""
    unexpected = [one for one in seen.faults if "ERR_" not in one and "status of 403" not in one]
    assert unexpected == []
