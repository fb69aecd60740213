"""`openEmbed` on a host's page: which messages it accepts, and which events it emits."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Frame, Page, Route

from tests.clients.publisher import DIST, until
from tests.support import waiting

_HOST = "https://shop.example"
_SCREEN = "https://placard.example"
_OTHER = "https://other.example"
_HOST_PAGE = (
    '<!doctype html><link rel="icon" href="data:,"><script type="module">'
    'import { openEmbed } from "/embed.js"; window.told = [];'
    "const tell = (name) => (detail) => window.told.push([name, detail ?? null]);"
    "window.open_ = (fetchSession) => { window.embed = openEmbed({ fetchSession, onReady: tell('ready'),"
    " onSaved: tell('saved'), onClose: tell('close'), onError: tell('error') }); };"
    "</script>"
)


@pytest.fixture
async def host(chromium: Browser) -> AsyncIterator[Page]:
    """A page with ``open_(fetchSession)``; the screen's page and another site's are empty."""
    context = await chromium.new_context()
    await context.route(re.compile("^https:"), _answer)
    page = await context.new_page()
    await page.goto(_HOST)
    await until(page, "'open_' in window")
    yield page
    await context.close()


async def _answer(route: Route) -> None:
    if route.request.url == f"{_HOST}/embed.js":
        script = (DIST / "embed.js").read_bytes()
        await route.fulfill(status=200, content_type="text/javascript", body=script)
    else:
        body = _HOST_PAGE if route.request.url == f"{_HOST}/" else "<!doctype html>"
        await route.fulfill(status=200, content_type="text/html", body=body)


async def _open(page: Page) -> Frame:
    """The screen's frame, once its page is there."""
    await page.evaluate(f"open_(async () => ({{ url: '{_SCREEN}/embed?cs=cs_1' }}))")

    async def is_there() -> bool:
        return any(frame.url.startswith(_SCREEN) for frame in page.frames)

    await waiting.until(is_there)
    return next(frame for frame in page.frames if frame.url.startswith(_SCREEN))


async def _say(frame: Frame, message: str) -> None:
    await frame.evaluate(f"parent.postMessage({message}, '*')")


async def test_messages_of_the_screen_reach_the_host(host: Page) -> None:
    screen = await _open(host)
    for message in (
        "{ type: 'ready' }",
        "{ type: 'resize', height: 321.4 }",
        "{ type: 'saved', campaign_id: 'c1' }",
        "{ type: 'error', code: 'key_revoked', message: 'Ask anew.' }",
        "{ type: 'of-the-future' }",
        "'anything'",
        "null",
    ):
        await _say(screen, message)
    await _say(screen, "{ type: 'closed' }")
    await until(host, "told.length === 4")

    assert await host.evaluate("told") == [
        ["ready", None],
        ["saved", {"campaign_id": "c1"}],
        ["error", {"code": "key_revoked", "message": "Ask anew."}],
        ["close", None],
    ]
    assert await host.locator("dialog").count() == 0


async def test_the_frame_takes_the_height_that_its_screen_requests(host: Page) -> None:
    await _say(await _open(host), "{ type: 'resize', height: 321.4 }")

    await until(host, "document.querySelector('iframe').offsetHeight === 322")


async def test_a_long_screen_scrolls_in_its_frame_where_its_close_button_stays(host: Page) -> None:
    screen = await _open(host)
    await _say(screen, "{ type: 'resize', height: 5000 }")
    await until(host, "document.querySelector('iframe').style.blockSize === '5000px'")

    dialog = await host.locator("dialog").bounding_box()
    frame = await host.locator("iframe").bounding_box()
    assert dialog is not None
    assert frame is not None
    assert dialog["y"] >= 0
    assert frame["height"] == dialog["height"] < await host.evaluate("innerHeight")


async def test_messages_from_other_origins_are_ignored(host: Page) -> None:
    screen = await _open(host)
    await host.evaluate(
        f"""async () => {{ const frame = document.createElement("iframe"); frame.src = "{_OTHER}/";
        const loaded = new Promise((done) => frame.onload = done); document.body.append(frame); await loaded; }}"""
    )
    other = next(frame for frame in host.frames if frame.url.startswith(_OTHER))
    forged = "{ type: 'saved', campaign_id: 'forged' }"

    await _say(other, forged)
    await host.evaluate(f"postMessage({forged}, '*')")
    # The screen's own window, after it went to another site.
    await screen.evaluate(f"location.href = '{_OTHER}/elsewhere'")
    await until(host, "document.querySelectorAll('dialog iframe').length === 1")

    async def has_left() -> bool:
        return any(frame.url == f"{_OTHER}/elsewhere" for frame in host.frames)

    await waiting.until(has_left)
    await _say(next(f for f in host.frames if f.url == f"{_OTHER}/elsewhere"), forged)
    await host.evaluate("new Promise((done) => setTimeout(done))")

    assert await host.evaluate("told") == []


async def test_the_host_receives_the_reason_why_there_is_no_session(host: Page) -> None:
    await host.evaluate("open_(() => Promise.reject(new Error('Not now.')))")
    await until(host, "told.length === 2")

    assert await host.evaluate("told") == [
        ["error", {"code": "session_failed", "message": "Error: Not now."}],
        ["close", None],
    ]


async def test_escape_closes_the_window_once(host: Page) -> None:
    await _open(host)
    await host.locator("dialog").focus()
    await host.keyboard.press("Escape")
    await until(host, "told.length > 0")
    await host.evaluate("embed.close()")

    assert await host.evaluate("told") == [["close", None]]
