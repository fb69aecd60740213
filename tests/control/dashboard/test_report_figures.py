"""The pages beside the report: the funnel with its losses, the hours of the week, and saved views."""

import pytest
from playwright.async_api import Browser
from selectolax.lexbor import LexborHTMLParser

from common.decision.rules.outcome import NoFillReason
from common.values.enums import EventKind, QualitySignal, Reason
from control.dashboard.reports.funnel import LOSSES, Cause, steps_of
from control.foundation.languages import ENGLISH, LANGUAGES, translations_of
from control.reporting.reports.metrics import Metric
from tests.control.events.ingest.world import Edge, World, a_count
from tests.support.browser import opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.forms import attribute, sent_of, the
from tests.support.resources import Customer
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import Visitor, text_of

__all__ = ["edge", "person", "visitor", "world"]


def _steps(page: LexborHTMLParser) -> dict[str, str]:
    """The label of each step, and the rest of its text."""
    found = {}
    for one in page.css(".funnel > li"):
        label = one.css_first("button.term")
        assert label is not None
        found[label.text(strip=True)] = " ".join(one.text(separator=" ").split())
    return found


def _tab(page: LexborHTMLParser, label: str) -> str:
    """The address that the tab leads to."""
    (link,) = [one for one in page.css(".tabs a") if one.text(strip=True) == label]
    return link.attributes["href"] or ""


async def _traffic(world: World, edge: Edge) -> str:
    """Ten requests: six fills, of which four were shown, three viewable, one clicked; an invalid click beside."""
    campaign = await world.add_campaign()
    place = (world.property_id, world.slot_id)
    await world.ingest(
        [
            edge.counter(
                [
                    a_count(*place, "fill", 6, campaign),
                    a_count(*place, NoFillReason.SIZE_MISMATCH, 3),
                    a_count(*place, NoFillReason.NO_CANDIDATE, 1),
                ]
            ),
            *[edge.event(campaign) for _ in range(4)],
            *[edge.event(campaign, kind=QualitySignal.VIEWABLE) for _ in range(3)],
            edge.event(campaign, kind=EventKind.CLICK),
            edge.event(campaign, kind=EventKind.CLICK, reason=Reason.PREFETCH),
        ]
    )
    return campaign


async def test_the_funnel_shows_what_each_step_loses_and_why(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await _traffic(world, edge)

    steps = _steps(await visitor.look("/live/reports/funnel"))

    assert list(steps) == [
        "Requests",
        "Fills",
        "Impressions",
        "Viewable impressions",
        "Clicks",
        "Conversions",
    ]
    assert "60% of Requests · Unfilled: 4" in steps["Fills"]
    assert "The ad's size did not fit the slot. 3 75%" in steps["Fills"]
    assert "No eligible ad for this slot. 1 25%" in steps["Fills"]
    assert "66.67% of Fills · Not shown: 2" in steps["Impressions"]
    assert "75% of Impressions · Not reported as viewable: 1" in steps["Viewable impressions"]
    assert "25% of Impressions · Without a click: 3" in steps["Clicks"]
    assert "Not counted: 1 invalid" in steps["Clicks"]


async def test_a_campaigns_funnel_begins_with_its_fills(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    campaign = await _traffic(world, edge)

    page = await visitor.look(f"/live/reports/funnel?campaign_id={campaign}")

    assert next(iter(_steps(page))) == "Fills"
    assert "begins with its fills" in text_of(page)


@pytest.mark.parametrize("also", ["source=auction", "reason=ok"])
async def test_a_campaigns_funnel_of_one_source_or_reason_begins_with_its_impressions(
    visitor: Visitor, world: World, edge: Edge, also: str
) -> None:
    campaign = await _traffic(world, edge)

    page = await visitor.look(f"/live/reports/funnel?campaign_id={campaign}&{also}")

    assert next(iter(_steps(page))) == "Impressions"
    assert "begins with its fills" not in text_of(page)


async def test_the_funnel_of_another_property_is_empty(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await _traffic(world, edge)
    await world.add_property("00000000-0000-7000-8000-00000000abcd")

    page = await visitor.look(
        "/live/reports/funnel?property_id=00000000-0000-7000-8000-00000000abcd"
    )

    assert "No data" in text_of(page)


async def test_no_unfilled_request_of_another_account_is_counted(
    api: ControlApi, visitor: Visitor, world: World, edge: Edge
) -> None:
    await _traffic(world, edge)
    outsider = World(world.database, world.clock)
    outsider.account_id = (await api.sign_up()).account_id
    await outsider.add_property(outsider.property_id)
    place = (outsider.property_id, outsider.slot_id)
    await outsider.ingest([Edge(outsider).counter([a_count(*place, NoFillReason.BELOW_FLOOR, 50)])])

    page = await visitor.look("/live/reports/funnel")

    assert "floor" not in text_of(page)


def test_a_step_that_exceeds_the_one_above_loses_nothing() -> None:
    totals: dict[str, int] = {Metric.IMPRESSIONS: 2, Metric.CLICKS: 3}

    _, clicks = steps_of(
        [Metric.IMPRESSIONS, Metric.CLICKS], totals, {}, {Metric.CLICKS: [Cause("Prefetch", 1)]}
    )

    assert (clicks.lost, clicks.share) == (0, 1.5)
    assert clicks.apart == [Cause("Prefetch", 1)]


def test_a_funnel_without_requests_has_no_shares() -> None:
    steps = (Metric.REQUESTS, Metric.FILLS)
    totals: dict[str, int] = dict.fromkeys(steps, 0)

    assert [one.share for one in steps_of(steps, totals, {}, {})] == [None, None]


async def test_the_heat_map_names_each_hour_of_a_week(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event() for _ in range(3)])

    page = await visitor.look("/live/reports/hours?metric=impressions&tz=UTC")

    now = world.clock.now()
    cells = page.css("table.heat tbody td")
    filled = [one for one in cells if "shade-6" in (one.attributes["class"] or "")]
    assert len(cells) == 7 * 24
    assert [one.text(strip=True) for one in filled] == ["3"]
    assert f"{now:%A}, {now.hour}:00 – 3" in {one.attributes["title"] for one in filled}
    assert "Total: 3" in text_of(page)


async def test_hours_of_more_than_31_days_are_refused_in_words(visitor: Visitor) -> None:
    page = await visitor.look("/live/reports/hours?from=2026-01-01&to=2026-03-01", status=422)

    assert "A report by hour covers at most 31 days." in text_of(page)


@pytest.mark.parametrize("days", ["range=90d", "from=2026-01-01&to=2026-03-01"])
@pytest.mark.parametrize("page", ["reports", "reports/funnel"])
async def test_the_tab_hours_leads_from_a_longer_range_to_28_days(
    visitor: Visitor, page: str, days: str
) -> None:
    tab = _tab(await visitor.look(f"/live/{page}?{days}&device=mobile"), "Hours")

    hours = await visitor.look(tab)

    assert "device=mobile" in tab
    assert the(hours, ".ranges [aria-current=true]").text() == "Last 28 days"


async def test_the_tab_hours_keeps_a_range_of_31_days(visitor: Visitor) -> None:
    tab = _tab(await visitor.look("/live/reports?from=2026-01-01&to=2026-01-31"), "Hours")

    hours = await visitor.look(tab)

    assert attribute(hours, "input[name=from]", "value") == "2026-01-01"
    assert attribute(hours, "input[name=to]", "value") == "2026-01-31"


@pytest.mark.parametrize(
    ("page", "address"),
    [
        ("funnel", "range=28d&device=mobile"),
        ("hours", "range=28d&device=mobile&metric=clicks"),
    ],
)
async def test_a_filter_without_a_chip_of_its_own_is_shown_kept_and_removed(
    visitor: Visitor, page: str, address: str
) -> None:
    path = f"/live/reports/{page}"
    shown = await visitor.look(f"{path}?{address}")

    (pill,) = [one for one in shown.css("form.chips .pill.set") if "Device" in one.text()]
    assert "Mobile" in pill.text()
    assert sent_of(shown, "form.chips")["device"] == ["mobile"]
    without = attribute(pill, "a", "href")
    assert without.partition("?")[0] == path
    assert "device" not in without
    assert ("metric=clicks" in without) == ("metric" in address)
    left = await visitor.look(without)
    assert "device" not in sent_of(left, "form.chips")
    assert the(left, ".ranges [aria-current=true]").text() == "Last 28 days"


async def test_the_presets_of_the_heat_map_keep_its_metric(visitor: Visitor) -> None:
    page = await visitor.look("/live/reports/hours?metric=clicks")

    links = [one.attributes["href"] or "" for one in page.css(".ranges a")]
    assert links
    assert [one for one in links if "metric=clicks" not in one] == []


async def test_a_view_is_saved_opened_renamed_shared_and_deleted(visitor: Visitor) -> None:
    made = await visitor.act(
        "/live/reports?range=28d&group_by=campaign&device=mobile", act="save_view", name="Phones"
    )
    assert "The view is saved." in text_of(made)
    listed = await visitor.look("/live/reports/views")
    link = listed.css_first("tbody th a")
    assert link is not None
    address = link.attributes["href"] or ""
    opened = await visitor.look(address)

    heading = opened.css_first("h1")
    assert heading is not None
    assert heading.text(strip=True) == "Phones"
    assert "range=28d" in address
    assert "device=mobile" in address
    one = {"id": address.rpartition("view=")[2]}
    path = "/live/reports/views"
    renamed = await visitor.act(path, act="rename", version="1", name="Small screens", **one)
    assert "Small screens" in text_of(renamed)
    shared = await visitor.act(path, act="share", version="2", is_shared="on", **one)
    assert "Whole account" in text_of(shared)
    gone = await visitor.act(path, act="delete", **one)
    assert "No saved views" in text_of(gone)


async def test_a_view_without_a_name_is_refused_at_its_field(visitor: Visitor) -> None:
    answer = await visitor.send("/live/reports", act="save_view", name=" ")
    page = LexborHTMLParser(answer.text)

    assert answer.status_code == 422
    assert page.css_matches("details.popover[open] input[name=name][aria-invalid=true]")


async def test_a_refused_name_of_a_view_stays_in_its_open_form(visitor: Visitor) -> None:
    await visitor.act("/live/reports?range=28d", act="save_view", name="Phones")
    listed = await visitor.look("/live/reports/views")
    one = {name: attribute(listed, f"td [name={name}]", "value") for name in ("id", "version")}

    long = "x" * 201
    answer = await visitor.send("/live/reports/views", act="rename", name=long, **one)

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 422
    assert attribute(page, "td details[open] [name=name]", "value") == long
    assert len(page.css("td details[open]")) == 1


async def test_a_view_that_is_open_is_replaced_by_the_report_in_the_address(
    visitor: Visitor,
) -> None:
    await visitor.act("/live/reports?range=28d", act="save_view", name="Devices")
    listed = await visitor.look("/live/reports/views")
    link = listed.css_first("tbody th a")
    assert link is not None
    id_ = (link.attributes["href"] or "").rpartition("view=")[2]

    await visitor.act(
        f"/live/reports?range=7d&group_by=device&view={id_}", act="update_view", id=id_, version="1"
    )

    listed = await visitor.look("/live/reports/views")
    link = listed.css_first("tbody th a")
    assert link is not None
    assert "range=7d" in (link.attributes["href"] or "")


async def test_a_click_on_a_row_leads_deeper_and_the_trail_leads_back(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    await world.rows("update campaigns set name = 'Spring' where id = :id returning 1", id=campaign)
    await world.ingest([edge.event(campaign)])
    whole = await visitor.look("/live/reports?group_by=campaign&range=today")
    row = whole.css_first("tbody th a")
    assert row is not None

    deeper = await visitor.look(row.attributes["href"] or "")
    steps = deeper.css(".trail li")

    assert [one.text(strip=True) for one in steps] == ["All campaigns", "Spring"]
    back = steps[0].css_first("a")
    assert back is not None
    widened = await visitor.look(back.attributes["href"] or "")
    assert not widened.css_matches(".trail")
    assert "Spring" in text_of(widened)


async def test_dates_that_differ_from_the_preset_win(visitor: Visitor) -> None:
    page = await visitor.look("/live/reports?range=7d&from=2026-01-01&to=2026-01-02")

    assert page.css_matches("input[name=from][value='2026-01-01']")
    assert not page.css_matches("input[name=range]")


async def test_a_filter_of_a_report_applies_at_once_and_stands_in_the_address(
    api: ControlApi, person: Person, chromium: Browser
) -> None:
    async with opened(chromium) as seen:
        await sign_in(seen, str(api.http.base_url).rstrip("/"), person)
        await seen.page.goto(f"{str(api.http.base_url).rstrip('/')}/live/reports")
        await seen.page.locator("select[name=device]").select_option("mobile")
        await seen.page.wait_for_url("**/live/reports?*device=mobile*")
        await seen.page.locator("select[name=device]").select_option("tablet")
        await seen.page.wait_for_url("**/live/reports?*device=mobile&device=tablet*")
        assert await seen.page.locator(".without-script").is_hidden()
        await seen.check_axe()
        await seen.page.get_by_label("Remove filter: Device, Mobile").click()
        await seen.page.wait_for_url("**/live/reports?*device=tablet*")
        assert "mobile" not in seen.page.url
        seen.check()


@pytest.mark.parametrize("page", ["", "/funnel", "/hours"])
async def test_each_value_of_a_filter_is_shown_kept_and_removed_alone(
    api: ControlApi, visitor: Visitor, page: str
) -> None:
    customer = Customer(api, visitor.person)
    sites = {name: (await customer.make_property(name=name))["id"] for name in ("East", "West")}
    await customer.make_property(name="South")
    path = f"/live/reports{page}"

    shown = await visitor.look(f"{path}?range=28d&property_id={','.join(sites.values())}")
    pills = [one for one in shown.css("form.chips .pill.set") if "Property" in one.text()]
    without = attribute(pills[0], "a", "href")
    left = await visitor.look(without)

    assert [the(one, "b").text() for one in pills] == ["East", "West"]
    assert sent_of(shown, "form.chips")["property_id"] == [*sites.values(), ""]
    offered = [one.text() for one in shown.css("select[name=property_id] option")]
    assert offered[0] == "Add…"
    assert {"East", "West", "South"} & set(offered) == {"South"}
    assert sent_of(left, "form.chips")["property_id"] == [sites["West"], ""]
    assert the(left, ".ranges [aria-current=true]").text() == "Last 28 days"


async def test_several_values_of_the_form_are_one_filter(visitor: Visitor) -> None:
    page = await visitor.look("/live/reports?device=mobile&device=tablet,desktop&device=")

    pills = [one for one in page.css("form.chips .pill.set") if "Device" in one.text()]
    assert [the(one, "b").text() for one in pills] == ["Mobile", "Tablet", "Desktop"]


def test_what_each_step_loses_has_a_name_in_every_language() -> None:
    for language in LANGUAGES:
        if language != ENGLISH:
            known = translations_of(language)
            assert {loss for loss in LOSSES.values() if known.gettext(loss) == loss} == set()
