"""Reports over HTTP: what each figure counts, how it is split, and whose it is."""

from datetime import timedelta

from common.clock import to_iso
from common.vocabulary import EventKind, QualitySignal, Reason
from tests.control.ingest.world import Edge, World
from tests.control.integration.reader import Reader

REPORT = "/v1/reports/delivery"
ALL = (
    "requests,fills,no_fills,fill_rate,impressions,viewable_impressions,clicks,conversions,"
    "click_through_conversions,view_through_conversions,invalid_impressions,invalid_clicks,spend_cents,"
    "earnings_cents,conversion_value_cents,ctr,cvr,ecpm_cents"
)


def lately(world: World) -> dict[str, str]:
    hour = world.clock.now().replace(minute=0, second=0, microsecond=0)
    return {
        "from": to_iso(hour - timedelta(hours=2)),
        "to": to_iso(hour + timedelta(hours=1)),
        "environment": "live",
    }


async def test_a_new_account_has_zeros_and_no_rows(reader: Reader, world: World) -> None:
    found = await reader.get(REPORT, **lately(world), metrics=ALL)

    assert found["data"] == []
    totals = found["totals"]
    assert list(totals) == ALL.split(",")
    assert {totals[name] for name in ("fill_rate", "ctr", "cvr", "ecpm_cents")} == {None}
    assert {value for value in totals.values() if value is not None} == {0}


async def test_every_metric_counts_what_it_says(reader: Reader, world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    slot = (world.property_id, world.slot_id)
    asked = ("br", "mobile", "web", "banner")
    await world.ingest(
        [
            *[edge.event(campaign, price_micros=12_345) for _ in range(4)],
            *[edge.event(campaign, kind=QualitySignal.VIEWABLE) for _ in range(3)],
            *[edge.event(campaign, kind=EventKind.CLICK) for _ in range(2)],
            edge.event(campaign, kind=EventKind.CONVERSION, value_cents=1250, currency="EUR"),
            edge.event(campaign, reason=Reason.BOT_USER_AGENT),
            edge.event(campaign, kind=EventKind.CLICK, reason=Reason.PREFETCH),
            edge.event(campaign, kind=QualitySignal.COMPLETE),
            edge.event(campaign, is_test=True, reason=Reason.OK_TEST),
            edge.counter([(*slot, campaign, None, "fill", *asked, 6)]),
            edge.counter([(*slot, None, None, "no_candidates", *asked, 2)]),
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
    }
