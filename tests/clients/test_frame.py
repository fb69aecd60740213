"""An html ad's frame in a real browser: a document of its own, which the page's policy does not reach."""

import pytest
from playwright.async_api import Page, Route

from common.vocabulary import Format
from tests.clients.publisher import PUBLIC_EDGE, Publisher, told, until

_STYLED = (
    '<p id="said" style="color:rgb(1, 2, 3);margin:0">Shoes</p>'
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
    said = page.frame_locator("service-ad iframe").locator("#said")
    return str(await said.evaluate("(one) => getComputedStyle(one).color"))


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


async def test_a_page_that_allows_no_frame_of_the_edge_shows_the_ad_as_its_policy_lets_it(
    publisher: Publisher,
) -> None:
    page = await _open(publisher, _STYLED, _strict(publisher))

    assert await page.frame_locator("service-ad iframe").get_by_text("Shoes").is_visible()
    assert await _color(page) == "rgb(0, 0, 0)"
    assert [kind for kind, _ in await publisher.kept(1)] == ["impression"]


@pytest.mark.parametrize("fault", ["aborted", "refused", "silent"])
async def test_a_frame_that_does_not_come_is_stood_in_for(publisher: Publisher, fault: str) -> None:
    async def fail(route: Route) -> None:
        if fault == "aborted":
            await route.abort()
        elif fault == "refused":
            await route.fulfill(status=404, content_type="application/json", body="{}")

    await publisher.context.route(f"{PUBLIC_EDGE}/v1/frame/**", fail)
    page = await _open(publisher, _STYLED, None)

    assert await _color(page) == "rgb(1, 2, 3)"
    assert await told(page, "top") == ["load", "impression"]


async def test_a_frame_put_elsewhere_asks_for_its_ad_again_and_counts_once(
    publisher: Publisher,
) -> None:
    page = await _open(publisher, _STYLED, None)

    await page.evaluate(
        "() => { const ad = document.querySelector('service-ad'); ad.remove(); document.body.append(ad); }"
    )
    await until(page, "told.some(([, name]) => name === 'viewable')")

    assert await _color(page) == "rgb(1, 2, 3)"
    assert await told(page, "top") == ["load", "impression", "viewable"]


async def test_nobody_but_the_frame_says_that_it_came(publisher: Publisher) -> None:
    await publisher.context.route(f"{PUBLIC_EDGE}/v1/frame/**", lambda route: route.abort())
    await publisher.context.add_init_script(
        """setInterval(() => postMessage('{"type":"service-ad"}'), 10)"""
    )

    page = await _open(publisher, _STYLED, None)

    assert await _color(page) == "rgb(1, 2, 3)"
