"""What ads cost a page: no layout shift, no long task, and nothing against its policy."""

from typing import Any

import orjson
import pytest
from playwright.async_api import Browser, expect

from common.values.enums import Format
from tests.clients.publisher import BANNER, PUBLIC_EDGE, Publisher, until

_WATCH = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.value)))
  .observe({ type: "layout-shift", buffered: true });
"""
_LONG_TASK_MS = 50
"""Browsers report longer ones: https://www.w3.org/TR/longtasks-1/."""
_TRACED = ["__metadata", "toplevel"]
_ALL_SHOWN = "told.filter(([, name]) => name === 'impression').length === 20"
_TEXT = "<p>" + "Words to read. " * 20 + "</p>"


_HTML = {"html": '<p style="height:99px">Shoes</p>', "width": 300, "height": 250}


async def test_twenty_ads_cause_no_layout_shift_no_long_task_and_no_preflight(
    publisher: Publisher,
) -> None:
    slots = _place_twenty(publisher, Format.BANNER, BANNER)
    await publisher.context.add_init_script(_WATCH)

    await _browser(publisher).start_tracing(categories=_TRACED)
    page = await publisher.open(_with_text(publisher, slots))
    await until(page, _ALL_SHOWN)
    tasks_ms = await _page_tasks_ms(publisher)

    await publisher.kept(20, of="impression")
    assert await page.evaluate("shifts") == []
    assert publisher.preflights == []
    assert publisher.edge.counted() == {"fill": 20}
    assert len(tasks_ms) > 20
    assert max(tasks_ms) <= _LONG_TASK_MS


async def test_twenty_frames_cause_no_layout_shift_and_no_preflight(publisher: Publisher) -> None:
    slots = _place_twenty(publisher, Format.HTML, _HTML)
    await publisher.context.add_init_script(_WATCH)

    page = await publisher.open(_with_text(publisher, slots))
    await until(page, _ALL_SHOWN)
    await publisher.kept(20, of="impression")

    assert await page.evaluate("shifts") == []
    assert publisher.preflights == []


def _browser(publisher: Publisher) -> Browser:
    browser = publisher.context.browser
    assert browser
    return browser


async def _page_tasks_ms(publisher: Publisher) -> list[float]:
    """
    Ends the trace, and returns the processor time of each task of the main threads of pages. By the clock, a busy
    machine would stall them.
    """
    trace = orjson.loads(await _browser(publisher).stop_tracing())["traceEvents"]
    threads = {
        (event["pid"], event["tid"])
        for event in trace
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    return [
        event["tdur"] / 1000  # missing where the trace began or ended within the task
        for event in trace
        if event["name"] == "ThreadControllerImpl::RunTask"
        and "tdur" in event
        and (event["pid"], event["tid"]) in threads
    ]


def _place_twenty(publisher: Publisher, ad_format: Format, content: dict[str, Any]) -> list[str]:
    slots = [f"slot-{number}" for number in range(20)]
    for slot in slots:
        publisher.place(slot, ad_format, content=content)
    return slots


def _with_text(publisher: Publisher, slots: list[str]) -> str:
    return "".join(publisher.element(slot, 'width="300" height="250"') + _TEXT for slot in slots)


async def test_the_observer_sees_layout_shifts_long_tasks_and_preflights(
    publisher: Publisher,
) -> None:
    """The other tests' instruments, on a page that does it wrong."""
    await publisher.context.add_init_script(_WATCH)
    page = await publisher.open(f"<div id='late'></div>{_TEXT}")
    await _browser(publisher).start_tracing(categories=_TRACED)

    await page.evaluate(
        f"""async () => {{
        await fetch("{publisher.edge_url}/v1/features", {{ headers: {{ "X-Service-Key": "{publisher.key}" }} }});
        document.getElementById("late").style.height = "200px";
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const end = performance.now() + 500; while (performance.now() < end);
        }}"""
    )
    await until(page, "shifts.length > 0")

    assert max(await _page_tasks_ms(publisher)) > _LONG_TASK_MS
    assert publisher.preflights == [f"{publisher.edge_url}/v1/features"]


async def test_ads_work_under_a_strict_content_security_policy(publisher: Publisher) -> None:
    publisher.place("top")
    content = {"title": "Shoes", "body": "Light.", "cta": "See", "sponsored_by": "Brand"}
    publisher.place("side", Format.NATIVE, content=content)
    publisher.place("film", Format.VIDEO, content={"media": []})
    publisher.place("frame", Format.HTML, content=_HTML)
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
        f"connect-src {publisher.edge_url}; frame-src {PUBLIC_EDGE}; base-uri 'none'; "
        "require-trusted-types-for 'script'"
    )

    page = await publisher.open(
        "".join(publisher.element(slot) for slot in ("top", "side", "film", "frame")),
        policy=policy,
        query="?service_ad_debug=1",
    )
    await until(page, "told.filter(([, name]) => name === 'impression').length === 4")

    assert await page.evaluate("violations") == []
    assert await page.get_by_role("cell", name="filled").count() == 4


async def test_a_page_that_allows_neither_the_frame_nor_its_markup_keeps_its_content(
    publisher: Publisher,
) -> None:
    publisher.place("top", Format.HTML, content=_HTML)
    faults: list[str] = []
    publisher.context.on("weberror", lambda one: faults.append(str(one.error)))

    page = await publisher.open(
        publisher.element("top", inside="<p>Ours</p>"),
        policy="frame-src 'none'; require-trusted-types-for 'script'",
    )
    await until(page, "told.length > 0")

    assert await page.evaluate("told") == [["top", "error", "render"]]
    assert await page.get_by_text("Ours").is_visible()
    assert [kind for kind, _ in await publisher.kept(1)] == ["error"]
    assert faults == []


async def test_an_unreachable_edge_leaves_the_page_unchanged(publisher: Publisher) -> None:
    publisher.place("top")
    faults: list[str] = []

    await publisher.context.route("**/v1/**", lambda route: route.abort("blockedbyclient"))
    page = await publisher.open("<h1>News</h1>")
    page.on("pageerror", lambda error: faults.append(str(error)))
    await page.evaluate(
        f"""() => {{ Math.random = () => -0.5;
        document.body.insertAdjacentHTML("beforeend", `{publisher.element("top", inside="<p>Ours</p>")}`); }}"""
    )
    await until(page, "told.length > 0")

    assert await page.evaluate("told") == [["top", "error", "network"]]
    assert await page.get_by_text("Ours").is_visible()
    assert faults == []


async def test_an_element_without_a_key_reports_it_and_sends_no_request(
    publisher: Publisher,
) -> None:
    page = await publisher.open("<service-ad slot-id=top></service-ad>")
    await until(page, "told.length > 0")

    assert await page.evaluate("told") == [["top", "error", "not_initialized"]]


async def test_a_wrong_slot_is_reported_with_the_message_of_the_edge(publisher: Publisher) -> None:
    page = await publisher.open(publisher.element("nowhere"))
    await until(page, "told.length > 0")

    error = await page.evaluate("document.querySelector('service-ad').outcome.error")
    assert (error["code"], error["status"]) == ("slot_not_found", 404)
    assert error["message"]


async def test_a_page_that_initialized_the_module_needs_no_key_in_its_elements(
    publisher: Publisher,
) -> None:
    publisher.place("top")
    page = await publisher.open("")

    await page.evaluate(
        f"""async () => {{
        const {{ initialize }} = await import("/sdk/placard.js");
        initialize({{ publisherKey: "{publisher.key}", edgeUrl: "{publisher.edge_url}/", consent: {{ npa: true }} }});
        document.body.insertAdjacentHTML("beforeend", "<service-ad slot-id=top></service-ad>"); }}"""
    )
    await until(page, "told.some(([, name]) => name === 'impression')")

    requested = "performance.getEntriesByType('resource').map(({ name }) => name)"
    (serve,) = [url for url in await page.evaluate(requested) if "/v1/serve" in url]
    assert "npa=1" in serve


@pytest.mark.parametrize("height", [37, 90, 120, 240, 777])
async def test_the_style_sheet_reserves_any_height_before_the_script_runs(
    publisher: Publisher, height: int
) -> None:
    await publisher.context.route("**/placard.js*", lambda route: route.abort())
    page = await publisher.open(publisher.element("top", f'height="{height}"'))

    box = await page.locator("service-ad").bounding_box()
    assert box is not None
    assert box["height"] == height


async def test_native_ads_and_players_look_like_what_they_are_without_styles_of_the_page(
    publisher: Publisher,
) -> None:
    content = {"title": "Shoes", "body": "Light.", "cta": "See", "sponsored_by": "Brand"}
    publisher.place("side", Format.NATIVE, content=content)
    publisher.place("song", Format.AUDIO, content={"media": []})
    page = await publisher.open(publisher.element("side") + publisher.element("song"))
    button = page.locator("service-ad [part=cta]")
    more = page.locator("service-ad a", has_text="Learn more")

    await expect(button).to_have_css("border-top-style", "solid")
    await expect(button).to_have_css("font-weight", "600")
    await expect(more).to_have_css("text-decoration-line", "underline")
    await expect(more).to_have_css("color", "rgb(0, 0, 238)")
    await page.add_style_tag(content="service-ad::part(cta) { border-top-style: dotted }")
    await expect(button).to_have_css("border-top-style", "dotted")
