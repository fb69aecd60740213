"""An html ad's frame in a real browser: a document of its own, which the page's policy does not reach."""

import pytest
from playwright.async_api import Page, Route

from common.values.enums import Format
from tests.clients.publisher import PUBLIC_EDGE, Publisher, reported, until

_STYLED = (
    '<p id="text" style="color:rgb(1, 2, 3);margin:0">Shoes</p>'
    "<script>document.body.append('script ran')</script>"
)
_STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src {edge}; "
    "base-uri 'none'"
)
_SHOWN = "told.some(([, name]) => name === 'impression')"


async def _open(publisher: Publisher, html: str, policy: str | None, **ad: object) -> Page:
    content = {"html": html, "width": 300, "height": 250}
    publisher.place("top", Format.HTML, content=content, **ad)
    page = await publisher.open(publisher.element("top"), policy=policy)
    await until(page, _SHOWN)
    return page


def _strict(publisher: Publisher, more: str = "") -> str:
    return _STRICT.format(edge=publisher.edge_url) + more


async def _color(page: Page) -> str:
    text = page.frame_locator("service-ad iframe").locator("#text")
    return str(await text.evaluate("(one) => getComputedStyle(one).color"))


@pytest.mark.parametrize("page_is", ["lax", "strict"])
async def test_an_ad_keeps_its_styles_and_scripts_whatever_the_pages_policy(
    publisher: Publisher, page_is: str
) -> None:
    policy = _strict(publisher, f"; frame-src {PUBLIC_EDGE}") if page_is == "strict" else None
    page = await _open(publisher, _STYLED, policy)
    frame = page.frame_locator("service-ad iframe")

    assert await _color(page) == "rgb(1, 2, 3)"
    await frame.get_by_text("script ran").wait_for()
    body = frame.locator("body")
    assert await body.evaluate("() => document.compatMode") == "CSS1Compat"
    assert await body.evaluate("(one) => getComputedStyle(one).margin") == "0px"
    assert await body.evaluate("() => origin") == "null"
    assert await page.evaluate("violations") == []
    assert [kind for kind, _ in await publisher.kept(2)] == ["impression", "viewable"]


async def test_a_page_that_forbids_frames_of_the_edge_shows_the_ad_as_its_policy_allows(
    publisher: Publisher,
) -> None:
    page = await _open(publisher, _STYLED, _strict(publisher))

    assert await page.frame_locator("service-ad iframe").get_by_text("Shoes").is_visible()
    assert await _color(page) == "rgb(0, 0, 0)"
    assert (await publisher.kept(1))[0] == ("impression", "ok_test")


@pytest.mark.parametrize("fault", ["aborted", "refused", "silent"])
async def test_a_frame_that_does_not_load_is_replaced(publisher: Publisher, fault: str) -> None:
    async def fail(route: Route) -> None:
        if fault == "aborted":
            await route.abort()
        elif fault == "refused":
            await route.fulfill(status=404, content_type="application/json", body="{}")

    await publisher.context.route(f"{PUBLIC_EDGE}/v1/frame/**", fail)
    page = await _open(publisher, _STYLED, None)

    assert await _color(page) == "rgb(1, 2, 3)"
    assert (await reported(page, "top"))[:2] == ["load", "impression"]


async def test_a_moved_frame_requests_its_ad_again_and_counts_once(
    publisher: Publisher,
) -> None:
    page = await _open(publisher, _STYLED, None)

    await page.evaluate(
        "() => { const ad = document.querySelector('service-ad'); ad.remove(); document.body.append(ad); }"
    )
    await until(page, "told.some(([, name]) => name === 'viewable')")

    assert await _color(page) == "rgb(1, 2, 3)"
    assert await reported(page, "top") == ["load", "impression", "viewable"]


async def test_only_the_frame_itself_can_report_that_it_loaded(publisher: Publisher) -> None:
    await publisher.context.route(f"{PUBLIC_EDGE}/v1/frame/**", lambda route: route.abort())
    await publisher.context.add_init_script(
        """setInterval(() => postMessage('{"type":"service-ad"}'), 10)"""
    )

    page = await _open(publisher, _STYLED, None)

    assert await _color(page) == "rgb(1, 2, 3)"


_WAYS = (
    '<a id="link" href="{click_url}?to=1" target="_blank"><b>Link</b></a> '
    '<svg width="50" height="20"><a id="drawn" href="{click_url}" target="_blank">'
    '<rect width="50" height="20"/></a></svg>'
    """<button id="opened" onclick="window.open('{click_url}')">Open</button>"""
    '<a id="other" href="#terms">Terms</a>'
    '<a id="held" href="{click_url}" onclick="return false">Held</a>'
)
_SAID = """'{"type":"service-ad","event":"click"}'"""


async def _open_linked(publisher: Publisher, html: str) -> Page:
    await publisher.context.route(f"{PUBLIC_EDGE}/v1/click/**", lambda route: route.abort())
    page = await _open(publisher, html, None, click_trackers=(f"{publisher.origin}/clicked.gif",))
    await until(page, "told.some(([, name]) => name === 'viewable')")
    return page


@pytest.mark.parametrize("way", ["link", "drawn", "opened"])
async def test_a_followed_click_url_in_a_frame_is_reported_once(
    publisher: Publisher, way: str
) -> None:
    page = await _open_linked(publisher, _WAYS)

    async with publisher.context.expect_page():
        await page.frame_locator("service-ad iframe").locator(f"#{way}").click()
    await until(page, "told.some(([, name]) => name === 'click')")
    await until(page, "performance.getEntriesByName(`${location.origin}/clicked.gif`).length > 0")

    assert await reported(page, "top") == ["load", "impression", "viewable", "click"]


async def test_a_navigation_elsewhere_than_to_the_advertiser_is_not_a_click(
    publisher: Publisher,
) -> None:
    page = await _open_linked(publisher, _WAYS)
    frame = page.frame_locator("service-ad iframe")
    bubbled = "window.bubbled = 0; addEventListener('click', () => window.bubbled++)"
    await page.evaluate(bubbled)

    await frame.locator("#link").click(button="right")
    await frame.locator("#held").click()
    await frame.locator("#other").click()
    await frame.locator("#link").click(button="middle")
    await until(page, "told.some(([, name]) => name === 'click')")

    assert await reported(page, "top") == ["load", "impression", "viewable", "click"]
    assert await page.evaluate("bubbled") == 0


async def test_only_the_frame_itself_can_report_a_click(publisher: Publisher) -> None:
    page = await _open_linked(publisher, _WAYS)
    await page.mouse.click(900, 700)

    await page.evaluate(
        f"""() => new Promise((done) => {{
        const other = document.createElement("iframe");
        other.srcdoc = `<script>parent.postMessage({_SAID}, "*"); parent.postMessage("end", "*")</${{""}}script>`;
        addEventListener("message", ({{ data }}) => data === "end" && done());
        postMessage({_SAID}, "*"); document.body.append(other); }})"""
    )

    assert await reported(page, "top") == ["load", "impression", "viewable"]


async def test_an_ad_cannot_click_itself_without_a_user_gesture(
    publisher: Publisher,
) -> None:
    html = f"""<a href="{{click_url}}">Go</a><script>setInterval(() => parent.postMessage({_SAID}, "*"), 10)</script>"""
    page = await _open_linked(publisher, html)
    received = f"window.heard = 0; addEventListener('message', ({{ data }}) => window.heard += data === {_SAID})"

    await page.evaluate(received)
    await until(page, "heard > 3")

    assert await reported(page, "top") == ["load", "impression", "viewable"]
