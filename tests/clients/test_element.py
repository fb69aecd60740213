"""`<service-ad>` in a real browser with a real edge: what a visitor sees, and which events are counted."""

from typing import Any

from playwright.async_api import Page, Route

from common.values.enums import Format
from tests.clients.publisher import BANNER, ROOT, Publisher, reported, until

NATIVE = {"title": "<b>Shoes</b>", "body": "Light.", "cta": "See", "sponsored_by": "Brand"}
_FILM = ROOT / "control" / "dashboard" / "static" / "demo-video.mp4"


async def _scroll_to_end(page: Page) -> None:
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")


async def test_an_ad_is_shown_and_its_impression_counted_once(publisher: Publisher) -> None:
    _, ad = publisher.place("top")

    page = await publisher.open(publisher.element("top"))
    await until(page, "told.length >= 3")

    assert await reported(page, "top") == ["load", "impression", "viewable"]
    assert await page.get_by_role("img", name="Shoes").is_visible()
    assert await page.evaluate("document.querySelector('service-ad').outcome.ad.ad_id") == ad.id
    assert await publisher.kept(2) == [("impression", "ok_test"), ("viewable", "ok_test")]


async def test_a_lazy_ad_loads_only_when_it_comes_near_the_viewport(publisher: Publisher) -> None:
    publisher.place("top")
    publisher.place("end")
    space = '<div id="space"></div><script src="/space.js"></script>'
    publisher.site.page(
        "127.0.0.1/space.js",
        "document.getElementById('space').style.height = '4000px';",
        "Content-Type: text/javascript",
    )

    page = await publisher.open(publisher.element("top") + space + publisher.element("end", "lazy"))
    await until(page, "told.some(([slot, name]) => slot === 'top' && name === 'viewable')")
    assert await reported(page, "end") == []
    assert publisher.edge.counted() == {"fill": 1}

    await _scroll_to_end(page)
    await until(page, "told.some(([slot, name]) => slot === 'end' && name === 'viewable')")
    assert publisher.edge.counted() == {"fill": 2}


async def test_the_impression_of_a_lazy_ad_waits_until_it_is_in_view(
    publisher: Publisher,
) -> None:
    tracker = f"{publisher.origin}/seen.gif"
    publisher.place("end", impression_trackers=(tracker,))
    publisher.site.page(
        "127.0.0.1/below.css", "service-ad { margin-top: 900px }", "Content-Type: text/css"
    )
    below = '<link rel="stylesheet" href="/below.css">'
    page = await publisher.open(below + publisher.element("end", "lazy"))
    await until(page, "told.length > 0")
    await page.wait_for_load_state("networkidle")

    assert await reported(page, "end") == ["load"]
    assert publisher.edge.counted() == {"fill": 1}
    assert not any("GET /seen.gif " in head for head in publisher.site.requests)
    assert await publisher.events() == []

    await page.evaluate(
        """() => { const ad = document.querySelector('service-ad');
        ad.remove(); document.body.append(ad); }"""
    )
    await _scroll_to_end(page)
    await until(page, "told.some(([, name]) => name === 'viewable')")

    assert await reported(page, "end") == ["load", "impression", "viewable"]
    assert [kind for kind, _ in await publisher.kept(2)] == ["impression", "viewable"]
    assert publisher.edge.counted() == {"fill": 1}


async def test_an_empty_key_of_an_element_is_that_of_the_page(publisher: Publisher) -> None:
    publisher.place("top")
    page = await publisher.open("")
    await page.evaluate(
        """async (publisherKey) => {
        const { initialize } = await import("/sdk/placard.js");
        initialize({ publisherKey });
        const ad = document.createElement("service-ad");
        ad.setAttribute("publisher-key", "");
        ad.setAttribute("slot-id", "top");
        document.body.append(ad);
        }""",
        publisher.key,
    )
    await until(page, "told.length >= 3")

    assert await reported(page, "top") == ["load", "impression", "viewable"]


async def test_an_ad_outside_the_viewport_is_not_viewable(publisher: Publisher) -> None:
    publisher.place("top")
    publisher.place("end")
    style = "display:block;margin-top:700px"
    body = publisher.element("end", f'style="{style}"') + publisher.element("top")

    page = await publisher.open(body)
    await until(page, "told.filter(([, name]) => name === 'impression').length === 2")
    await page.set_viewport_size({"width": 1000, "height": 700})
    await until(page, "document.querySelectorAll('[data-state=filled]').length === 2")
    await page.evaluate("scrollTo(0, 0)")
    await publisher.kept(2)

    assert "viewable" not in await reported(page, "top")
    await _scroll_to_end(page)
    await until(page, "told.some(([slot, name]) => slot === 'top' && name === 'viewable')")


async def test_a_slot_without_an_ad_shows_the_content_of_its_element(publisher: Publisher) -> None:
    page = await publisher.open(
        publisher.element("demo-never-fill", inside="<p>Read our magazine</p>")
    )
    await until(page, "told.length > 0")

    assert await page.evaluate("told") == [["demo-never-fill", "empty", "demo_never_fills"]]
    assert await page.get_by_text("Read our magazine").is_visible()
    assert await page.locator("service-ad").get_attribute("data-state") == "empty"
    assert await publisher.events() == []


async def test_an_ad_replaces_the_children_of_the_element(publisher: Publisher) -> None:
    publisher.place("top")

    page = await publisher.open(publisher.element("top", inside="<p>Read our magazine</p>"))
    await until(page, "told.length > 0")

    assert not await page.get_by_text("Read our magazine").is_visible()


async def test_a_click_goes_through_the_signed_redirect_and_is_counted(
    publisher: Publisher,
) -> None:
    publisher.place("top")
    landed = []

    async def to_our_edge(route: Route) -> None:
        """The edge's public name leads to where it runs."""
        token = route.request.url.partition("/v1/click/")[2]
        answer = await publisher.edge.get(f"/v1/click/{token}", "User-Agent: Chrome/150.0")
        landed.append(answer.headers["location"])
        await route.fulfill(status=200, content_type="text/html", body="<p>Landed")

    await publisher.context.route("https://edge.example/v1/click/**", to_our_edge)
    page = await publisher.open(publisher.element("top"))
    await until(page, "told.some(([, name]) => name === 'impression')")
    await publisher.kept(1)
    async with publisher.context.expect_page() as opened:
        await page.get_by_role("link", name="Shoes").click()
    await (await opened.value).wait_for_load_state()

    assert landed[0].startswith("https://brand.example/landing?sa_click_id=")
    assert "click" in await reported(page, "top")
    assert ("click", "ok_test") in await publisher.events()
    assert await page.evaluate("window.opener === null")


async def test_an_element_removed_and_reinserted_counts_no_second_impression(
    publisher: Publisher,
) -> None:
    publisher.place("top")
    page = await publisher.open(f"<main>{publisher.element('top')}</main><aside></aside>")
    await until(page, "told.some(([, name]) => name === 'impression')")

    await page.evaluate(
        """() => { const ad = document.querySelector('service-ad');
        ad.remove(); document.querySelector('aside').append(ad); }"""
    )
    await until(page, "told.some(([, name]) => name === 'viewable')")

    assert await reported(page, "top") == ["load", "impression", "viewable"]
    assert await page.get_by_role("img", name="Shoes").is_visible()
    assert publisher.edge.counted() == {"fill": 1}
    assert [kind for kind, _ in await publisher.kept(2)] == ["impression", "viewable"]


async def test_an_element_removed_before_its_ad_arrives_counts_nothing(
    publisher: Publisher,
) -> None:
    publisher.place("top")
    page = await publisher.open(publisher.element("top"))
    await until(page, "told.some(([, name]) => name === 'impression')")
    await publisher.kept(1)

    await page.evaluate(
        """() => { const old = document.querySelector('service-ad');
        for (let turn = 0; turn < 5; turn++) {
          const next = old.cloneNode(); document.body.append(next); next.remove();
        } }"""
    )
    another = (
        "const ad = document.querySelector('service-ad').cloneNode(); document.body.append(ad)"
    )
    await page.evaluate(f"() => {{ {another} }}")
    await until(page, "told.filter(([, name]) => name === 'impression').length === 2")

    assert publisher.edge.counted() == {"fill": 2}


async def test_another_slot_on_the_same_element_is_another_ad(publisher: Publisher) -> None:
    publisher.place("top")
    publisher.place("side", Format.NATIVE, content=NATIVE)
    page = await publisher.open(publisher.element("top"))
    await until(page, "told.some(([, name]) => name === 'impression')")

    await page.evaluate("document.querySelector('service-ad').setAttribute('slot-id', 'side')")
    await until(page, "told.some(([slot, name]) => slot === 'side' && name === 'impression')")

    # Untrusted input is inserted as text.
    assert await page.get_by_text("<b>Shoes</b>").is_visible()


async def test_an_html_ad_is_shown_in_a_frame_without_the_pages_origin(
    publisher: Publisher,
) -> None:
    html = (
        '<a id="go" href="{click_url}">Go</a><script>'
        "try { parent.document.title = 'taken' } catch { document.body.append('kept out') }</script>"
    )
    publisher.place("top", Format.HTML, content={"html": html, "width": 300, "height": 250})

    page = await publisher.open(publisher.element("top"))
    await until(page, "told.some(([, name]) => name === 'impression')")
    frame = page.frame_locator("service-ad iframe")

    await frame.get_by_text("kept out").wait_for()
    sandbox = await page.locator("service-ad iframe").get_attribute("sandbox") or ""
    assert "allow-scripts" in sandbox.split()
    assert "allow-same-origin" not in sandbox
    assert (await frame.locator("#go").get_attribute("href") or "").startswith(
        "https://edge.example/v1/click/"
    )
    assert await page.title() == "News"


async def test_an_html_ad_without_a_link_of_its_own_is_clickable_as_a_whole(
    publisher: Publisher,
) -> None:
    content = {"html": "<p>Shoes</p>", "width": 300, "height": 250}
    publisher.place("top", Format.HTML, content=content)

    page = await publisher.open(publisher.element("top"))
    await until(page, "told.some(([, name]) => name === 'impression')")

    href = await page.get_by_role("link", name="Advertisement").get_attribute("href")
    assert (href or "").startswith("https://edge.example/v1/click/")


async def test_an_image_that_fails_to_load_counts_no_impression(publisher: Publisher) -> None:
    gone = {"width": 300, "height": 250, "alt": "Shoes", "image_url": f"{publisher.origin}/no"}
    publisher.place("top", content=gone)

    page = await publisher.open(publisher.element("top", inside="<p>Read our magazine</p>"))
    await until(page, "told.length > 0")

    assert await page.evaluate("told") == [["top", "error", "render"]]
    assert await page.get_by_text("Read our magazine").is_visible()
    assert [kind for kind, _ in await publisher.kept(1)] == ["error"]


async def test_a_video_reports_how_far_it_was_watched(publisher: Publisher) -> None:
    publisher.site.page("127.0.0.1/film.mp4", _FILM.read_bytes(), "Content-Type: video/mp4")
    media = [{"url": f"{publisher.origin}/film.mp4", "mime": "video/mp4", "duration_ms": 5000}]
    publisher.place("film", Format.VIDEO, content={"media": media})

    page = await publisher.open(publisher.element("film", 'format="video"'))
    await until(page, "told.some(([, name]) => name === 'impression')")
    await page.evaluate(
        """() => { const film = document.querySelector('service-ad').shadowRoot.querySelector('video');
        film.muted = true; film.playbackRate = 16; return film.play(); }"""
    )

    def received(events: list[tuple[str, str]]) -> list[str]:
        return [kind for kind, _ in events if kind not in ("impression", "viewable")]

    events = await publisher.kept(6)
    while "complete" not in received(events):
        events = await publisher.kept(len(events) + 1)
    assert set(received(events)) == {
        *("start", "first_quartile", "midpoint", "third_quartile", "complete"),
    }


async def test_a_video_shows_its_poster_before_playback(publisher: Publisher) -> None:
    publisher.site.page("127.0.0.1/film.mp4", _FILM.read_bytes(), "Content-Type: video/mp4")
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="36"/>'
    publisher.site.page("127.0.0.1/first.svg", picture, "Content-Type: image/svg+xml")
    media = [{"url": f"{publisher.origin}/film.mp4", "mime": "video/mp4", "duration_ms": 5000}]
    poster = f"{publisher.origin}/first.svg"
    publisher.place("film", Format.VIDEO, content={"media": media, "poster": poster})

    page = await publisher.open(publisher.element("film", 'format="video"'))
    await until(page, "told.some(([, name]) => name === 'impression')")
    await until(page, "performance.getEntriesByName(`${location.origin}/first.svg`).length > 0")

    assert await page.locator("service-ad video").get_attribute("poster") == poster


async def test_a_video_that_cannot_be_loaded_is_one_error(publisher: Publisher) -> None:
    media = [
        {"url": f"{publisher.origin}/{name}", "mime": "video/mp4", "duration_ms": 5000}
        for name in ("gone.mp4", "gone-too.mp4")
    ]
    publisher.place("film", Format.VIDEO, content={"media": media})

    await publisher.open(publisher.element("film", 'format="video"'))
    events = await publisher.kept(1, "error")

    assert [kind for kind, _ in events].count("error") == 1


async def test_the_advertisers_own_addresses_are_loaded_once_each(publisher: Publisher) -> None:
    seen, clicked = f"{publisher.origin}/seen.gif", f"{publisher.origin}/clicked.gif"
    publisher.place("top", impression_trackers=(seen,), click_trackers=(clicked,))
    await publisher.context.route("https://edge.example/**", lambda route: route.abort())
    page = await publisher.open(publisher.element("top"))
    await until(page, "told.some(([, name]) => name === 'viewable')")

    def loaded(name: str) -> int:
        return sum(f"GET /{name}.gif " in head for head in publisher.site.requests)

    assert (loaded("seen"), loaded("clicked")) == (1, 0)
    await page.get_by_role("link", name="Shoes").click()
    await until(page, "performance.getEntriesByName(`${location.origin}/clicked.gif`).length > 0")
    assert (loaded("seen"), loaded("clicked")) == (1, 1)


async def test_an_element_hidden_while_empty_is_shown_again_for_another_slot(
    publisher: Publisher,
) -> None:
    publisher.place("top")
    publisher.site.page(
        "127.0.0.1/hide.css",
        "service-ad[data-state=empty] { display: none }",
        "Content-Type: text/css",
    )
    hide = '<link rel="stylesheet" href="/hide.css">'
    page = await publisher.open(hide + publisher.element("demo-never-fill", "lazy"))
    await until(page, "told.some(([, name]) => name === 'empty')")
    assert not await page.locator("service-ad").is_visible()

    await page.evaluate("document.querySelector('service-ad').setAttribute('slot-id', 'top')")
    await until(page, "told.some(([slot, name]) => slot === 'top' && name === 'viewable')")

    assert await page.get_by_role("img", name="Shoes").is_visible()


async def test_opening_a_menu_over_an_ad_is_not_a_click(publisher: Publisher) -> None:
    publisher.place("top")
    await publisher.context.route("https://edge.example/**", lambda route: route.abort())
    page = await publisher.open(publisher.element("top"))
    await until(page, "told.some(([, name]) => name === 'viewable')")
    link = page.get_by_role("link", name="Shoes")

    await link.click(button="right")
    assert "click" not in await reported(page, "top")
    await link.click(button="middle")
    await until(page, "told.some(([, name]) => name === 'click')")


async def test_an_ad_without_a_click_url_is_an_image_without_a_link(publisher: Publisher) -> None:
    nowhere: dict[str, Any] = {"click_url": None, "advertiser_domain": None}
    companion = BANNER | {"alt": "Song"}
    publisher.place("top", **nowhere)
    publisher.place("side", Format.NATIVE, content=NATIVE, **nowhere)
    publisher.place("song", Format.AUDIO, content={"media": [], "companion": companion}, **nowhere)
    slots = ("top", "side", "song")

    page = await publisher.open("".join(publisher.element(slot) for slot in slots))
    await until(page, "told.filter(([, name]) => name === 'impression').length === 3")

    assert await page.locator("service-ad a").count() == 0
    assert await page.get_by_role("img", name="Shoes").is_visible()
    assert await page.get_by_text("<b>Shoes</b>").is_visible()
    assert await page.get_by_role("img", name="Song").is_visible()
    assert await page.get_by_text("Learn more").count() == 0
