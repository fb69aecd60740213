"""The report page: its figures, its address, what it compares, its files."""

from urllib.parse import urlencode

import orjson
import pytest

from common.values.enums import EventKind, Reason
from control.dashboard.reports.metrics import Change, change_of
from control.reporting.reports.metrics import Metric
from tests.control.events.ingest.world import Edge, World
from tests.support.forms import attribute, error_at, sent_of, the, totals_of
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import Visitor, text_of

__all__ = ["edge", "person", "visitor", "world"]


async def test_a_new_account_shows_an_empty_report(visitor: Visitor) -> None:
    page = await visitor.look("/live/reports?group_by=campaign")

    assert "No data" in text_of(page)


async def test_reports_and_new_properties_have_the_time_zone_of_the_browser(
    visitor: Visitor,
) -> None:
    visitor.http.cookies.set("placard_timezone", "America%2FSao_Paulo")

    report = sent_of(await visitor.look("/live/reports"), "form")
    requested = sent_of(await visitor.look("/live/reports?tz=Asia/Tokyo"), "form")
    created = sent_of(await visitor.look("/live/properties/new"), "form")

    assert report["tz"] == ["America/Sao_Paulo"]
    assert requested["tz"] == ["Asia/Tokyo"]
    assert created["timezone"] == ["America/Sao_Paulo"]


async def test_the_figures_of_a_week_are_shown_as_totals_and_a_row_a_day(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    await world.ingest(
        [
            *[edge.event(campaign, price_micros=70_000) for _ in range(4)],
            edge.event(campaign, kind=EventKind.CLICK),
            edge.event(campaign, reason=Reason.PREFETCH),
        ]
    )
    metrics = "impressions,clicks,ctr,invalid_impressions,spend_cents"

    page = await visitor.look(f"/live/reports?metrics={metrics}")

    assert totals_of(page) == {
        "Impressions": "4",
        "Clicks": "1",
        "Click rate": "25%",
        "Invalid impressions": "1",
        "Spend": "$0.28",
    }
    assert len(page.css("tbody tr")) == 7


async def test_a_breakdown_shows_its_largest_parts_first_and_links_to_each(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    seldom, often = [await world.add_campaign() for _ in range(2)]
    await world.rows("update campaigns set name = '<b>Often' where id = :id returning 1", id=often)
    await world.ingest([edge.event(seldom), *[edge.event(often) for _ in range(3)]])

    page = await visitor.look("/live/reports?group_by=campaign&range=today")

    links = page.css("tbody th a")
    assert [one.text() for one in links] == ["<b>Often", "C"]
    within = await visitor.look(links[0].attributes["href"] or "")
    assert totals_of(within)["Impressions"] == "3"


async def test_a_week_is_compared_with_the_week_before(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    week_ago = {"at_ms": world.clock.now_ms() - 7 * 86_400_000}
    await world.ingest(
        [
            *[edge.event(campaign, country="br") for _ in range(3)],
            edge.event(campaign, country="de"),
            *[edge.event(campaign, country="br", **week_ago) for _ in range(2)],
        ]
    )
    requested = "range=7d&compare=on&metrics=impressions"

    whole = await visitor.look(f"/live/reports?{requested}")
    split = await visitor.look(f"/live/reports?{requested}&group_by=country")

    assert totals_of(whole)["Impressions"] == "4 +100%"
    rows = [" ".join(row.text(separator=" ").split()) for row in split.css("tbody tr")]
    assert rows == ["Brazil 3 +50%", "Germany 1"]


async def test_a_large_growth_is_a_factor_and_nothing_before_is_a_dash(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    week_ago = {"at_ms": world.clock.now_ms() - 7 * 86_400_000}
    await world.ingest(
        [
            *[edge.event(campaign, country="br") for _ in range(24)],
            *[edge.event(campaign, country="br", **week_ago) for _ in range(2)],
            edge.event(campaign, kind=EventKind.CLICK),
        ]
    )

    page = await visitor.look(
        "/live/reports?range=7d&compare=on&metrics=impressions,clicks,conversions"
    )

    assert totals_of(page) == {"Impressions": "24 × 12", "Clicks": "1 –", "Conversions": "0"}


def test_a_change_is_written_with_few_digits() -> None:
    assert change_of(Metric.IMPRESSIONS, 2_466, 1) == Change(1, times=2_466)
    assert change_of(Metric.IMPRESSIONS, 29, 3) == Change(3, share=8.667)
    assert change_of(Metric.SPEND_CENTS, 30, -3) == Change(-3, share=11.0)
    assert change_of(Metric.CTR, 0.100001, 0.1) == Change(0.1, points=0.0)


async def test_by_day_the_largest_parts_are_drawn_and_stand_in_the_table(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    countries = ["ae", "br", "de", "us", "pt", "fr", "gb", "it", "es", "ch"]
    await world.ingest(
        [edge.event(country=one) for number, one in enumerate(countries) for _ in range(number + 1)]
    )

    page = await visitor.look("/live/reports?group_by=country&granularity=day&range=7d")

    assert len(page.css("tbody tr")) == 8
    assert "The 8 largest are shown" in text_of(page)
    assert page.css_matches("figure[data-chart]")


async def test_campaigns_of_one_name_are_drawn_as_lines_of_their_own(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    seldom, often = [await world.add_campaign() for _ in range(2)]
    await world.ingest([edge.event(seldom), *[edge.event(often) for _ in range(3)]])

    page = await visitor.look("/live/reports?group_by=campaign&granularity=day&range=7d")

    drawn = orjson.loads(the(page, "figure[data-chart] script").text())
    lines = [(one["label"], sum(one["values"])) for one in drawn["series"]]
    assert lines == [("C", 3), ("C", 1)]


async def test_an_error_of_the_api_is_shown_above_the_form(visitor: Visitor) -> None:
    page = await visitor.look(
        "/live/reports?from=2024-01-01&to=2026-01-01&granularity=hour", status=422
    )

    assert "A report by hour covers at most 31 days." in text_of(page)
    assert page.css_matches("input[name=from][value='2024-01-01']")


async def test_a_url_with_invalid_parameters_still_shows_a_report(visitor: Visitor) -> None:
    odd = "range=never&from=2026-02-30&to=x&granularity=second&group_by=moon&metrics=luck&tz=Mars&chart=a"
    page = await visitor.look(f"/live/reports?{odd}")

    assert "Impressions" in totals_of(page)


async def test_a_report_is_exported_to_a_file_on_the_list(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event()])

    made = await visitor.act(
        "/live/reports?group_by=device&format=banner", act="export", file_format="parquet"
    )
    assert "Report, PARQUET" in text_of(made)
    assert "Device" in text_of(made)
    listed = await visitor.look("/live/reports/exports")
    link = listed.css_first("tbody a")
    assert link is not None
    gone = await visitor.act(link.attributes["href"] or "", act="delete")
    assert "The export is deleted." in text_of(gone)
    assert "No exports yet" in text_of(gone)


async def test_the_pages_are_in_portuguese(visitor: Visitor, world: World, edge: Edge) -> None:
    await world.ingest([edge.event(reason=Reason.PREFETCH)])

    for path, words in (
        ("/live/reports", "Comparar com o período anterior"),
        ("/live/events", "Pré-carregado"),
        ("/live", "Taxa de preenchimento"),
    ):
        assert words in text_of(await visitor.look(path, language="pt-BR"))


async def test_countries_are_typed_by_name_in_the_readers_language(visitor: Visitor) -> None:
    page = await visitor.look("/live/reports?country=Brasil,+us,+BR", language="pt-BR")

    field = the(page, "[name=country]")
    assert field.attributes["value"] == "Brasil, Estados Unidos"
    known = {one.attributes["value"] for one in page.css(f"#{field.attributes['list']} option")}
    assert "Alemanha" in known
    assert "country=br%2Cus" in attribute(page, "nav.ranges a", "href")


@pytest.mark.parametrize("typed", ["atlantis", "us ca", "br-sp"])
async def test_an_unknown_country_is_refused_at_its_open_field(
    visitor: Visitor, typed: str
) -> None:
    page = await visitor.look(f"/live/reports?{urlencode({'country': typed})}", status=422)

    assert page.css_matches("details.panel[open] [name=country][aria-invalid=true]")
    assert error_at(page, "country").startswith("Enter a country by its name")
    assert attribute(page, "[name=country]", "value") == typed


@pytest.mark.parametrize("path", ["reports", "reports/funnel", "reports/hours"])
async def test_a_time_zone_is_chosen_by_name(visitor: Visitor, path: str) -> None:
    page = await visitor.look(f"/live/{path}?tz=America/Sao_Paulo", language="pt-BR")

    chosen = the(page, "[data-pick] select[name=tz] option[selected]")
    assert chosen.text() == "São Paulo, Brasil"
    assert "Fuso horário: São Paulo, Brasil" in text_of(page)
