"""How far a campaign has come, from what ingest stored."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from common.budget.local_day import day_of, day_start
from common.pacing.curve import HOUR_MS, HOURS, UNIFORM, Curve
from common.values.clock import to_ms
from control.demand.campaigns.delivery_status.delivery import DeliveryContext
from control.demand.campaigns.delivery_status.expected_spend import spend_progress_of
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer
from tests.support.rows import NOW, a_campaign_row

AROUND = DeliveryContext("active", account_stopped=False, property_statuses=("verified",))
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
FLIGHT = {"start_at": NOW - DAY, "end_at": NOW + DAY}
BUDGET = {"budget_total_cents": 1000}


@pytest.mark.parametrize(
    ("columns", "spent_micros", "counted", "expected"),
    [
        ({}, 0, 0, (None, None, None)),
        (BUDGET, 5_000_000, 0, (None, 50.0, None)),
        (BUDGET | FLIGHT, 5_000_000, 0, (50.0, 50.0, "on_track")),
        (BUDGET | FLIGHT, 4_000_000, 0, (50.0, 40.0, "behind")),
        (BUDGET | FLIGHT, 6_000_000, 0, (50.0, 60.0, "ahead")),
        (BUDGET | FLIGHT | {"pacing": "asap"}, 5_000_000, 0, (None, 50.0, None)),
        (BUDGET | FLIGHT | {"pacing": "front_loaded"}, 5_000_000, 0, (61.2, 50.0, "behind")),
        (BUDGET | FLIGHT | {"pricing_model": "flat_rate"}, 5_000_000, 0, (None, 50.0, None)),
        (BUDGET | FLIGHT | {"priority": "house"}, 5_000_000, 0, (None, 50.0, None)),
        (BUDGET | FLIGHT | {"status": "draft"}, 0, 0, (None, 0.0, None)),
        (BUDGET | FLIGHT | {"start_at": NOW}, 0, 0, (0.0, 0.0, "on_track")),
        (
            FLIGHT | {"goal": {"kind": "clicks", "total": 200}},
            0,
            99,
            (50.0, 49.5, "on_track"),
        ),
        (BUDGET | FLIGHT | {"environment": "test"}, 5_000_000, 0, (None, None, None)),
        (
            FLIGHT | {"environment": "test", "goal": {"kind": "clicks", "total": 200}},
            0,
            99,
            (None, 49.5, None),
        ),
        (
            FLIGHT | {"pacing": "asap", "goal": {"kind": "clicks", "total": 200}},
            0,
            99,
            (None, 49.5, None),
        ),
    ],
)
def test_the_progress_of_a_campaign_follows_from_its_plan_and_figures(
    columns: dict[str, Any],
    spent_micros: int,
    counted: int,
    expected: tuple[float | None, float | None, str | None],
) -> None:
    context = DeliveryContext(
        "active",
        account_stopped=False,
        property_statuses=(),
        spent_micros=spent_micros,
        counted=counted,
    )

    found = spend_progress_of(a_campaign_row(**columns), context, NOW, UNIFORM)

    assert (found.expected_percent, found.actual_percent, found.pace) == expected


def test_what_is_expected_follows_the_traffic() -> None:
    row = a_campaign_row(budget_total_cents=1000, start_at=NOW - 12 * HOUR, end_at=NOW + 12 * HOUR)
    context = DeliveryContext("active", account_stopped=False, property_statuses=())
    first = [to_ms(NOW - number * HOUR) // HOUR_MS % HOURS for number in range(1, 13)]
    busy_before = Curve([3 if hour in first else 1 for hour in range(HOURS)])

    assert spend_progress_of(row, context, NOW, UNIFORM).expected_percent == 50.0
    assert spend_progress_of(row, context, NOW, busy_before).expected_percent == pytest.approx(
        75, abs=2
    )


def test_days_that_cannot_spend_the_total_are_not_expected_to() -> None:
    row = a_campaign_row(
        budget_total_cents=1000,
        budget_daily_cents=10,
        start_at=NOW - 5 * DAY,
        end_at=NOW + 5 * DAY,
    )
    context = DeliveryContext("active", account_stopped=False, property_statuses=())

    assert spend_progress_of(row, context, NOW, UNIFORM).expected_percent in {5.0, 5.5}


def test_a_day_begins_at_the_midnight_of_its_zone() -> None:
    at = datetime(2026, 3, 10, 1, 30, tzinfo=UTC)

    assert day_of("America/Sao_Paulo", at).isoformat() == "2026-03-09"
    assert day_start("America/Sao_Paulo", at) == datetime(2026, 3, 9, 3, tzinfo=UTC)
    assert day_start("Asia/Kolkata", at) == datetime(2026, 3, 9, 18, tzinfo=UTC)


async def test_a_new_campaign_has_nothing_and_invents_nothing(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    found = await customer.make_campaign((await customer.make_property())["id"])

    shown = (await customer.get(f"/v1/campaigns/{found['id']}/delivery")).json()

    assert (shown["impressions"], shown["spend_cents"], shown["top_no_serve_reasons"]) == (0, 0, [])
    assert shown["expected_percent"] is shown["max_over_delivery_cents"] is shown["as_of"] is None
    assert shown["delivery_reason"] == "draft: activate the campaign"


@pytest.mark.usefixtures("stopped_clock")
async def test_figures_of_all_time_and_of_today_are_separate(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    found = await customer.make_campaign(
        site["id"], budget={"total_cents": 1000, "daily_cents": 200}
    )
    ad = await customer.make_ad(found["id"])
    now = api.control.clock.now()
    names = {
        "account": owner.account_id,
        "property": site["id"],
        "campaign": found["id"],
        "ad": ad["id"],
        "today": now.replace(minute=0, second=0, microsecond=0),
        "yesterday": now.replace(minute=0, second=0, microsecond=0) - 2 * DAY,
    }
    async with api.control.database.service() as session:
        for statement in _STORED:
            await session.execute(text(statement), names)

    shown = (await customer.get(f"/v1/campaigns/{found['id']}/delivery")).json()

    assert (shown["spend_cents"], shown["remaining_cents"]) == (300, 700)
    assert (shown["impressions"], shown["clicks"], shown["conversions"]) == (70, 5, 1)
    assert shown["today"] == {
        "date": now.date().isoformat(),
        "spend_cents": 100,
        "remaining_cents": 140,
        "impressions": 20,
        "clicks": 0,
        "conversions": 0,
    }
    assert shown["top_no_serve_reasons"] == [{"reason": "size_mismatch", "share": 0.25}]


@pytest.mark.usefixtures("stopped_clock")
async def test_spend_of_today_has_the_days_part_of_a_flat_rate(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    flight = {"start_at": "2026-01-01T00:00:00Z", "end_at": "2126-01-01T00:00:00Z"}
    site = await customer.make_property()
    found = await customer.make_campaign(site["id"], pricing_model="flat_rate", **flight)
    for back, micros in ((0, 70_000), (1, 30_000)):
        await customer.execute(
            "insert into flat_rate_days (campaign_id, day, account_id, micros, charged_at) "
            "values (:campaign, :day, :account, :micros, now())",
            campaign=found["id"],
            day=(api.control.clock.now() - back * DAY).date(),
            account=owner.account_id,
            micros=micros,
        )

    shown = (await customer.get(f"/v1/campaigns/{found['id']}/delivery")).json()

    assert shown["today"]["spend_cents"] == 7


async def test_reasons_come_from_requests_that_the_campaign_could_have_filled(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    slot = await customer.make_slot(site["id"])
    video = await customer.make_slot(site["id"], formats=["video"])
    targeting = {
        "geo": {"include": [{"country": "br"}], "exclude": []},
        "device": {"types": ["mobile"]},
    }
    found = await customer.make_campaign(site["id"], targeting=targeting)
    ad = await customer.make_ad(found["id"])
    assert (await customer.post(f"/v1/ads/{ad['id']}/activate")).status_code == 200
    names = {
        "account": owner.account_id,
        "property": site["id"],
        "slot": slot["id"],
        "video": video["id"],
        "now": api.control.clock.now().replace(minute=0, second=0, microsecond=0),
    }
    async with api.control.database.service() as session:
        await session.execute(text(_DECIDED), names)

    shown = (await customer.get(f"/v1/campaigns/{found['id']}/delivery")).json()

    assert shown["top_no_serve_reasons"] == [{"reason": "below_floor", "share": 0.4}]


_DECIDED = (
    "insert into serve_hourly (account_id, hour, property_id, slot_id, is_test, outcome, country, device, surface, "
    "format, count) select :account, :now, cast(:property as uuid), cast(slot as uuid), false, outcome, country, "
    "device, 'web', '', count from (values (:slot, 'fill', 'br', 'mobile', 3), (:slot, 'below_floor', 'br', "
    "'mobile', 2), (:slot, 'not_in_country', 'de', 'mobile', 9), (:slot, 'no_device', 'br', 'tv', 9), "
    "(:video, 'no_format', 'br', 'mobile', 9)) as told(slot, outcome, country, device, count)"
)
_HOUR = (
    "insert into event_hourly (hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, "
    "is_test, reason, account_id, count, charged_micros, value_cents, last_at) values "
    "(:{hour}, cast(:property as uuid), cast(:property as uuid), cast(:campaign as uuid), cast(:ad as uuid), "
    "'impression', 'banner', 'auction', 'web', false, '{reason}', :account, {count}, {micros}, 0, :{hour})"
)
_STORED = (
    _HOUR.format(hour="today", reason="ok", count=20, micros=1_000_000),
    _HOUR.format(hour="today", reason="bot_user_agent", count=9, micros=0),
    _HOUR.format(hour="yesterday", reason="ok", count=50, micros=2_000_000),
    (
        "insert into campaign_spend (campaign_id, account_id, spent_micros, impressions, clicks, conversions, "
        "updated_at) values (:campaign, :account, 3000000, 70, 5, 1, :today)"
    ),
    (
        "insert into campaign_spend_days (campaign_id, day, account_id, spent_micros) "
        "values (:campaign, cast(cast(:today as timestamptz) at time zone 'UTC' as date), :account, 600000)"
    ),
    (
        "insert into ad_counts (ad_id, account_id, impressions, clicks, conversions) "
        "values (cast(:ad as uuid), :account, 70, 5, 1)"
    ),
    (
        "insert into serve_hourly (account_id, hour, property_id, slot_id, is_test, outcome, count) values "
        "(:account, :today, cast(:property as uuid), cast(:property as uuid), false, 'fill', 75), "
        "(:account, :today, cast(:property as uuid), cast(:property as uuid), false, 'size_mismatch', 25)"
    ),
)
