"""Forecasts over HTTP, from what ingest stored."""

from datetime import timedelta
from typing import Any

import pytest

from common.values.environment import Environment
from tests.control.reporting.decision_log.world import World
from tests.control.reporting.forecast.traffic import (
    DECISIONS,
    HOURS,
    REQUESTS_AN_HOUR,
    now_of,
    with_traffic,
)
from tests.support.control_api import code_of
from tests.support.resources import Customer, params_of

PATH = "/v1/campaigns/forecast?environment=test"
BID_CENTS = 500
pytestmark = pytest.mark.usefixtures("stopped_clock")


def proposed(world: World, **changes: Any) -> dict[str, Any]:
    body = {
        "property_ids": [world.property_id],
        "name": "Proposed",
        "objective": "traffic",
        "pricing_model": "cpm",
        "bid_cents": BID_CENTS,
        "end_at": (now_of(world) + timedelta(days=1)).isoformat(),
    }
    return body | changes


async def asked(world: World, **changes: Any) -> dict[str, Any]:
    answer = await world.customer.post(PATH, proposed(world, **changes))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_all_traffic_is_available_where_nothing_else_runs(world: World) -> None:
    await with_traffic(world)

    found = await asked(world)

    day = 24 * REQUESTS_AN_HOUR
    assert found["insufficient_traffic"] is False
    assert found["matched"]["low"] <= day <= found["matched"]["high"]
    assert abs(found["delivered"]["likely"] - day) < day / 50
    assert (found["booked"]["likely"], found["contested"]["likely"]) == (0, 0)
    assert found["limited_by"] == "traffic"
    assert found["basis"] == {
        "requests": HOURS * REQUESTS_AN_HOUR,
        "hours": HOURS,
        "decisions": DECISIONS,
        "impressions_a_fill_percent": 100.0,
    }


async def test_higher_ranked_campaigns_are_booked_and_lower_ranked_contested(
    world: World,
) -> None:
    await world.run_campaign(
        bid_cents=2 * BID_CENTS, targeting={"geo": {"include": [{"country": "br"}]}}
    )
    await world.run_campaign(
        bid_cents=BID_CENTS // 2, targeting={"geo": {"include": [{"country": "de"}]}}
    )
    await with_traffic(world)

    found = await asked(world)

    day = 24 * REQUESTS_AN_HOUR
    assert abs(found["booked"]["likely"] - day * 2 / 3) < day / 20
    assert abs(found["available"]["likely"] - day / 3) < day / 20
    assert found["contested"] == found["available"]


async def test_targeting_narrows_the_matched_impressions(world: World) -> None:
    await with_traffic(world)

    found = await asked(world, targeting={"geo": {"include": [{"country": "de"}]}})

    day = 24 * REQUESTS_AN_HOUR
    assert abs(found["matched"]["likely"] - day / 3) < day / 20


async def test_a_budget_limits_delivery_and_spend(world: World) -> None:
    await with_traffic(world)

    found = await asked(world, budget={"total_cents": 1_000})

    assert found["delivered"]["likely"] == 2_000
    assert found["spend_cents"]["likely"] == 1_000
    assert found["delivered"]["high"] == 2_000
    assert found["limited_by"] == "budget"


async def test_without_counted_traffic_the_forecast_reports_it(world: World) -> None:
    found = await asked(world)

    assert found["insufficient_traffic"] is True
    assert found["delivered"] is None
    assert found["basis"]["requests"] == 0


async def test_nothing_is_created(world: World) -> None:
    await with_traffic(world)

    await asked(world)

    listed = await world.customer.get("/v1/campaigns?environment=test")
    assert listed.json()["data"] == []


async def test_a_period_in_the_past_or_too_long_is_refused(world: World) -> None:
    now = now_of(world)
    past = await world.customer.post(
        PATH, proposed(world, to=(now - timedelta(days=1)).isoformat())
    )
    long = await world.customer.post(
        PATH, proposed(world, to=(now + timedelta(days=93)).isoformat())
    )

    assert (past.status_code, params_of(past)) == (422, ["to"])
    assert (long.status_code, params_of(long)) == (422, ["to"])


async def test_the_start_of_the_period_has_one_name(world: World) -> None:
    answer = await world.customer.post(PATH, proposed(world, from_="2026-03-01T00:00:00Z"))

    assert (answer.status_code, params_of(answer)) == (422, ["from_"])


async def test_terms_are_checked_as_at_creation(world: World) -> None:
    answer = await world.customer.post(
        PATH, proposed(world, budget={"total_cents": 100, "daily_cents": 200})
    )

    assert (answer.status_code, params_of(answer)) == (422, ["budget.daily_cents"])


async def test_another_account_s_property_is_not_there(world: World) -> None:
    outsider = Customer(world.api, await world.api.sign_up())

    answer = await outsider.post(PATH, proposed(world))

    assert (answer.status_code, code_of(answer)) == (404, "not_found")


async def test_a_key_that_may_read_campaigns_may_ask(world: World) -> None:
    key = await world.customer.key_headers(world.property_id, Environment.TEST)
    body = proposed(world)
    del body["property_ids"]

    answer = await world.customer.post("/v1/campaigns/forecast", body, key)

    assert answer.status_code == 200, answer.text
    assert answer.json()["is_test"] is True
