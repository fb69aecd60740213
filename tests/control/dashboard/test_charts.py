"""Charts in a real browser: drawn from the page's own figures, again when the theme changes, whole without a script."""

from datetime import UTC, datetime, timedelta

from playwright.async_api import Browser, expect

from control.dashboard.campaigns.chart import ForecastBand, chart_of
from tests.control.events.ingest.world import Edge, World
from tests.support.browser import PHONE, check_width, opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.site_world import edge, person, world
from tests.support.visitor import visiting

__all__ = ["edge", "person", "world"]


async def test_charts_are_drawn_in_both_themes_and_fit_a_phone(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    campaign = await world.add_campaign()
    await world.ingest([edge.event(campaign, price_micros=70_000) for _ in range(5)])
    base_url = str(api.http.base_url).rstrip("/")
    # Without motion: colours that are halfway between two themes have too little contrast.
    async with opened(chromium, width=PHONE, reduced_motion="reduce") as seen:
        await sign_in(seen, base_url, person)
        for path, count in (("/live?range=7d", 2), ("/live/reports?compare=on", 1)):
            await seen.page.goto(f"{base_url}{path}")
            await seen.page.locator("figure[data-chart] canvas").nth(count - 1).wait_for()
            await seen.page.emulate_media(color_scheme="dark")
            await expect(seen.page.locator("figure[data-chart] canvas")).to_have_count(count)
            await check_width(seen)
            await seen.check_axe()
        seen.check()


async def test_a_chart_without_data_has_0_alone_on_its_axis(
    api: ControlApi, person: Person, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE, locale="pt-BR") as seen:
        drawn = "window.drawn = []; const write = CanvasRenderingContext2D.prototype.fillText;"
        keep = (
            "function (text, x) { drawn.push([text, x + this.measureText(text).width / 2]);"
            " return write.apply(this, arguments); }"
        )
        await seen.page.add_init_script(
            f"{drawn} CanvasRenderingContext2D.prototype.fillText = {keep};"
        )
        async with visiting(api, person) as visitor:
            session = visitor.http.cookies["placard_session"]
        await seen.page.context.add_cookies(
            [{"name": "placard_session", "value": session, "url": base_url}]
        )
        await seen.page.goto(f"{base_url}/live/reports")
        await seen.page.wait_for_function("drawn.length > 0")

        words = await seen.page.evaluate("drawn.map(([text]) => text)")
        ends = await seen.page.evaluate("Math.max(...drawn.map(([, end]) => end))")
        width = await seen.page.evaluate("document.querySelector('figure canvas').width")
    assert "0" in words
    assert "1" not in words
    assert not [one for one in words if "," in one]
    assert ends <= width


async def test_without_a_script_the_course_is_a_line_and_a_table(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    await world.ingest([edge.event() for _ in range(5)])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, java_script_enabled=False) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.goto(f"{base_url}/live/reports")

        assert await seen.page.locator("figure[data-chart] svg polyline").count() == 1
        assert await seen.page.locator("#figures-table tbody tr").count() == 7


async def test_new_events_appear_by_themselves(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.goto(f"{base_url}/live/events")
        assert await seen.page.locator("tbody tr").count() == 0

        await world.ingest([edge.event()])

        await seen.page.get_by_role("link", name="Impression").wait_for()
        seen.check()


def test_the_band_of_a_forecast_leads_from_what_is_delivered_to_its_bounds() -> None:
    """Two and a half of five days have passed; the chart ends half a day before the forecast does."""
    start = datetime(2026, 3, 1, tzinfo=UTC)
    now = start + timedelta(days=2, hours=12)
    end = start + timedelta(days=5)
    rows = [
        {
            "period": f"2026-03-0{day}",
            "impressions": 10,
            "clicks": 0,
            "conversions": 0,
            "spend_cents": 0,
        }
        for day in (1, 2, 3)
    ]

    chart = chart_of(
        rows,
        start,
        now,
        measure="impressions",
        done=30,
        total=100,
        plan=lambda at: (at - start) / (end - start),
        forecast_band=ForecastBand(end, low=0.5, high=0.7),
    )

    assert chart.band == "300.0,115.0 540.0,31.0 540.0,55.0"
    assert chart.ahead == [("2026-03-04", 0.8), ("2026-03-05", 1.0)]
    assert chart.reached == "60.0,145.0 180.0,130.0 300.0,115.0"
    assert chart.planned == "60.0,130.0 180.0,100.0 300.0,85.0 420.0,40.0 540.0,10.0"
