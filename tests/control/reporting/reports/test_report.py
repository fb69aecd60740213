"""Reports over HTTP: what each figure counts, how it is split, and whose it is."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
import pytest

from common.values.clock import to_iso, to_ms
from common.values.enums import EventKind, QualitySignal, Reason
from control.reporting.reports.metrics import Metric
from control.reporting.reports.schemas import ReportPublic
from control.reporting.reports.vocabulary import Dimension
from tests.control.events.events_api.reader import Reader
from tests.control.events.ingest.world import Edge, World
from tests.control.reporting.reports.books import REPORT, lately
from tests.support.control_api import ControlApi

ALL = ",".join(Metric)


async def test_a_new_account_has_zeros_and_no_rows(reader: Reader, world: World) -> None:
    found = await reader.get(REPORT, **lately(world), metrics=ALL)

    assert found["data"] == []
    totals = found["totals"]
    assert list(totals) == list(Metric)
    assert totals == {metric: metric.without_events for metric in Metric}


async def test_every_metric_counts_what_it_names(reader: Reader, world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    slot = (world.property_id, world.slot_id)
    requested = ("br", "mobile", "web", "banner")
    await world.ingest(
        [
            *[edge.event(campaign, price_micros=12_345) for _ in range(4)],
            *[edge.event(campaign, kind=QualitySignal.VIEWABLE) for _ in range(3)],
            *[edge.event(campaign, kind=EventKind.CLICK) for _ in range(2)],
            edge.event(campaign, kind=EventKind.CONVERSION, value_cents=1250, currency="EUR"),
            edge.event(campaign, reason=Reason.BOT_USER_AGENT),
            edge.event(campaign, kind=EventKind.CLICK, reason=Reason.PREFETCH),
            *[edge.event(campaign, kind=QualitySignal.START) for _ in range(5)],
            *[edge.event(campaign, kind=QualitySignal.FIRST_QUARTILE) for _ in range(4)],
            *[edge.event(campaign, kind=QualitySignal.MIDPOINT) for _ in range(3)],
            *[edge.event(campaign, kind=QualitySignal.THIRD_QUARTILE) for _ in range(2)],
            edge.event(campaign, kind=QualitySignal.COMPLETE),
            *[edge.event(campaign, kind=QualitySignal.SKIP) for _ in range(2)],
            *[edge.event(campaign, kind=QualitySignal.ERROR) for _ in range(5)],
            edge.event(campaign, is_test=True, reason=Reason.OK_TEST),
            edge.counter([(*slot, campaign, None, "fill", *requested, 6)]),
            edge.counter([(*slot, None, None, "no_candidates", *requested, 2)]),
        ]
    )

    found = await reader.get(REPORT, **lately(world), metrics=ALL)

    assert found["data"] == [found["totals"]]
    assert found["totals"] == {
        "requests": 8,
        "fills": 6,
        "no_fills": 2,
        "fill_rate": 0.75,
        "impressions": 4,
        "viewable_impressions": 3,
        "clicks": 2,
        "conversions": 1,
        "click_through_conversions": 0,
        "view_through_conversions": 0,
        "invalid_impressions": 1,
        "invalid_clicks": 1,
        "spend_cents": 4,
        "earnings_cents": 0,
        "conversion_value_cents": 1250,
        "ctr": 0.5,
        "cvr": 0.5,
        "ecpm_cents": 1234,
        "starts": 5,
        "first_quartiles": 4,
        "midpoints": 3,
        "third_quartiles": 2,
        "completes": 1,
        "skips": 2,
        "errors": 5,
        "viewable_rate": 0.75,
        "start_rate": 1.25,
        "first_quartile_rate": 0.8,
        "midpoint_rate": 0.6,
        "third_quartile_rate": 0.4,
        "completion_rate": 0.2,
        "skip_rate": 0.4,
        "error_rate": 0.5,
    }


async def test_rows_carry_ids_names_and_nulls_for_what_is_not_known(
    reader: Reader, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    slot = (world.property_id, world.slot_id)
    await world.ingest(
        [
            edge.event(campaign, country="br"),
            edge.event(campaign, country=None),
            edge.counter([(*slot, None, None, "no_candidates", None, None, "web", None, 3)]),
        ]
    )

    found = await reader.get(
        REPORT, **lately(world), group_by="campaign,country", metrics="impressions,no_fills"
    )

    assert found["data"] == [
        {
            "campaign_id": None,
            "campaign_name": None,
            "country": None,
            "impressions": 0,
            "no_fills": 3,
        },
        {
            "campaign_id": campaign,
            "campaign_name": "C",
            "country": None,
            "impressions": 1,
            "no_fills": 0,
        },
        {
            "campaign_id": campaign,
            "campaign_name": "C",
            "country": "BR",
            "impressions": 1,
            "no_fills": 0,
        },
    ]


@pytest.mark.parametrize(
    "lists",
    [
        {"group_by": "country,device", "metrics": "clicks,impressions"},
        {"group_by": ["country", "device"], "metrics": ["clicks", "", "impressions"]},
        {"group_by": ["country,device"], "metrics": ["clicks", "impressions"]},
    ],
)
async def test_lists_come_by_comma_repeated_or_mixed(
    reader: Reader, world: World, edge: Edge, lists: dict[str, Any]
) -> None:
    await world.ingest([edge.event(await world.add_campaign())])

    found = await reader.get(REPORT, **lately(world), **lists)

    assert [set(row) for row in found["data"]] == [{"country", "device", "clicks", "impressions"}]


async def test_duplicates_over_repeated_lists_are_refused(reader: Reader, world: World) -> None:
    for query in ({"group_by": ["ad,slot", "ad"]}, {"tz": ["UTC", "UTC"]}):
        refused = await reader.refused(REPORT, **lately(world), **query)
        assert refused == "422 validation_failed"


async def test_by_dimensions_without_decisions_requests_are_null_except_totals(
    reader: Reader, world: World, edge: Edge
) -> None:
    slot = (world.property_id, world.slot_id)
    await world.ingest(
        [
            edge.event(),
            edge.counter([(*slot, None, None, "fill", None, None, "web", None, 3)]),
        ]
    )
    requested = lately(world) | {"metrics": "requests,fill_rate,impressions"}

    split = await reader.get(REPORT, **requested, group_by="reason")
    assert split["data"] == [
        {"reason": "ok", "requests": None, "fill_rate": None, "impressions": 1}
    ]
    assert split["totals"] == {"requests": 3, "fill_rate": 1.0, "impressions": 1}
    filtered = await reader.get(REPORT, **requested, source="auction")
    assert filtered["totals"] == {"requests": None, "fill_rate": None, "impressions": 1}


async def test_the_largest_rows_come_with_the_totals_of_all(
    reader: Reader, world: World, edge: Edge
) -> None:
    often, seldom = [await world.add_campaign() for _ in range(2)]
    await world.ingest(
        [
            *[edge.event(often) for _ in range(3)],
            *[edge.event(seldom) for _ in range(2)],
            edge.event(seldom, kind=EventKind.CLICK),
        ]
    )
    requested = lately(world) | {"group_by": "campaign", "metrics": "impressions,clicks,ctr"}

    largest = await reader.get(REPORT, **requested, sort="-impressions", limit="2")
    assert [row["campaign_id"] for row in largest["data"]] == [often, seldom]
    assert largest["totals"] == {"impressions": 5, "clicks": 1, "ctr": 0.2}
    by_rate = await reader.get(REPORT, **requested, sort="-ctr", limit="1")
    assert [row["campaign_id"] for row in by_rate["data"]] == [seldom]
    smallest = await reader.get(REPORT, **requested, sort="impressions", limit="1")
    assert [row["campaign_id"] for row in smallest["data"]] == [seldom]
    assert smallest["totals"] == largest["totals"]
    for figure in ("clicks", "ctr"):
        fewest = await reader.get(REPORT, **requested, sort=figure)
        assert [row["campaign_id"] for row in fewest["data"]] == [often, seldom], figure


async def test_rows_are_as_the_operation_describes_them(
    api: ControlApi, reader: Reader, world: World, edge: Edge
) -> None:
    slot = (world.property_id, world.slot_id)
    await world.ingest(
        [
            edge.event(await world.add_campaign()),
            edge.counter([(*slot, *[None] * 2, "fill", *[None] * 2, "web", None, 3)]),
        ]
    )
    for split in ("", "campaign,ad,property,slot", ",".join(Dimension)):
        requested = lately(world) | {"granularity": "hour", "metrics": ALL, "group_by": split}

        answer = await api.http.get(REPORT, params=requested, headers=reader.headers)

        described = ReportPublic.model_validate_json(answer.content).model_dump_json()
        assert answer.json()["data"]
        assert answer.json() == orjson.loads(described)


@pytest.mark.parametrize(
    ("requested", "param"),
    [
        ({"sort": "-clicks", "metrics": "impressions"}, "sort"),
        ({"sort": "requests", "metrics": "requests", "group_by": "reason"}, "sort"),
        ({"sort": "cost"}, "sort"),
        ({"limit": "0"}, "limit"),
        ({"limit": "1_0"}, "limit"),
    ],
)
async def test_rows_are_sorted_by_figures_that_stand_in_them(
    api: ControlApi, reader: Reader, world: World, requested: dict[str, str], param: str
) -> None:
    query = lately(world) | requested
    answer = await api.http.get(REPORT, params=query, headers=reader.headers)

    assert answer.status_code == 422
    assert answer.json()["error"]["param"] == param


async def test_a_retraction_takes_back_in_the_hour_it_is_made(
    reader: Reader, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    earlier = world.clock.now_ms() - 3_600_000
    await world.ingest(
        [edge.event(campaign, at_ms=earlier, issued_ms=earlier, price_micros=70_000)]
    )
    await world.rows(
        "insert into event_hourly select (jsonb_populate_record(h, jsonb_build_object('hour', "
        "h.hour + interval '1 hour', 'reason', 'retracted', 'charged_micros', -h.charged_micros))).* "
        "from event_hourly h where campaign_id = cast(:id as uuid) returning 1",
        id=campaign,
    )

    found = await reader.get(
        REPORT,
        **lately(world),
        granularity="hour",
        metrics="impressions,invalid_impressions,spend_cents",
    )

    assert [(row["impressions"], row["spend_cents"]) for row in found["data"]] == [(1, 7), (-1, -7)]
    assert found["totals"] == {"impressions": 0, "invalid_impressions": 0, "spend_cents": 0}


async def test_earnings_follow_the_share_of_their_hour(
    reader: Reader, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    share = (
        "update properties set payout = jsonb_build_object('share_percent', cast(:percent as integer)) "
        "where id = :id returning 1"
    )
    await world.rows(share, percent=40, id=world.property_id)
    await world.rows(
        "update payout_shares set since_hour = since_hour - interval '10 days' "
        "where property_id = cast(:id as uuid) returning 1",
        id=world.property_id,
    )
    await world.rows(share, percent=70, id=world.property_id)
    ((changed_at,),) = await world.rows(
        "select max(since_hour) from payout_shares where property_id = cast(:id as uuid)",
        id=world.property_id,
    )
    for hours in (2, 1, 0):
        at_ms = to_ms(changed_at - timedelta(hours=hours))
        await world.ingest(
            [edge.event(campaign, at_ms=at_ms, issued_ms=at_ms, price_micros=1_000_000)]
        )

    period = {
        "from": to_iso(changed_at - timedelta(hours=2)),
        "to": to_iso(changed_at + timedelta(hours=1)),
    }
    metrics = "earnings_cents,spend_cents"
    found = await reader.get(REPORT, **lately(world) | period, granularity="hour", metrics=metrics)

    assert [row["earnings_cents"] for row in found["data"]] == [40, 40, 70]
    assert found["totals"] == {"earnings_cents": 150, "spend_cents": 300}


@pytest.mark.parametrize(
    ("query", "params"),
    [
        ({"from": None}, {"from"}),
        (
            {"from": "yesterday", "metrics": "clicks,nothing", "no_such": "1"},
            {"from", "metrics", "no_such"},
        ),
        ({"group_by": "slot,slot"}, {"group_by"}),
        ({"metrics": ""}, {"metrics"}),
        ({"tz": "Mars/Olympus"}, {"tz"}),
        ({"from": "2026-03-02", "to": "2026-03-01T00:30:00Z"}, {"to"}),
        (
            {"from": "2026-01-01T00:10:00Z", "to": "2026-03-01", "granularity": "hour"},
            {"from", "to"},
        ),
        ({"from": "2020-01-01", "to": "2026-03-01"}, {"to"}),
        ({"country": "BRA", "campaign_id": "mine"}, {"country", "campaign_id"}),
    ],
)
async def test_every_error_is_named(
    reader: Reader, query: dict[str, str | None], params: set[str]
) -> None:
    requested = {"from": "2026-03-01", "to": "2026-03-02", "environment": "live"} | query
    given = {name: value for name, value in requested.items() if value is not None}
    answer = await reader.api.http.get(REPORT, params=given, headers=reader.headers)
    assert answer.status_code == 422, answer.text
    assert {detail["param"] for detail in answer.json()["error"]["details"]} >= params


async def test_a_bound_may_be_a_time_of_rfc_3339_in_every_form(reader: Reader) -> None:
    bounds = {"from": "2026-03-08t00:00:00.000000000z", "to": "2026-03-09T00:00:00Z"}
    answer = await reader.get(REPORT, **bounds, environment="live")
    assert answer["from_at"] == "2026-03-08T00:00:00.000Z"


async def test_too_many_rows_are_refused_with_what_to_do(
    reader: Reader, world: World, edge: Edge
) -> None:
    slot = (world.property_id, world.slot_id)
    fills = [
        (*slot, str(UUID(int=number)), None, "fill", None, None, "web", None, 1)
        for number in range(10_001)
    ]
    await world.ingest([edge.counter(fills)])
    requested = lately(world) | {"metrics": "fills", "group_by": "campaign"}
    assert await reader.refused(REPORT, **requested) == "422 validation_failed"
    assert (await reader.get(REPORT, **requested | {"group_by": ""}))["totals"] == {"fills": 10_001}


async def test_conversions_of_clicks_and_of_views_are_counted_separately(
    reader: Reader, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    await world.ingest([edge.event(campaign, kind=EventKind.CONVERSION)])
    await world.rows(
        "insert into event_hourly select (jsonb_populate_record(h, jsonb_build_object("
        "'attribution', told.by, 'count', told.count))).* from event_hourly h, "
        "(values ('click_through', 3), ('view_through', 2)) as told(by, count) "
        "where campaign_id = cast(:id as uuid) returning 1",
        id=campaign,
    )
    metrics = "conversions,click_through_conversions,view_through_conversions"

    found = await reader.get(REPORT, **lately(world), metrics=metrics)

    assert list(found["totals"].values()) == [6, 3, 2]
