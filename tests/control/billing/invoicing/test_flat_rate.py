"""Flat rates: a part a day, once, only where the campaign could deliver."""

from datetime import UTC, datetime
from typing import Any

import pytest

from common.decision.rules.feature_support import FLAT_RATE
from common.values.clock import to_ms
from common.values.enums import PricingModel
from common.values.ids import new_id
from control.api.context import ControlContext
from control.billing.invoicing.flat_rate import charge_flat_rates
from control.billing.ledger.check import find_drift
from control.billing.ledger.entries import REVENUE, WALLET
from tests.control.billing.ledger.world import Money

WITH_FLAT_RATES = frozenset({FLAT_RATE})
START = datetime(2026, 3, 1, 3, tzinfo=UTC)
"""Midnight in São Paulo."""


@pytest.fixture
async def campaign(money: Money) -> str:
    """Buys three days of São Paulo for 100 cents; it is the first of them, a second old."""
    money.clock.advance(ms=to_ms(START) + 1000 - money.clock.now_ms())
    made = await money.add_campaign(pricing_model=PricingModel.FLAT_RATE)
    await money.run(
        "update campaigns set start_at = :start, end_at = cast(:start as timestamptz) "
        "+ interval '3 days', timezone = 'America/Sao_Paulo' where id = :id",
        start=START,
        id=made,
    )
    await money.run(
        "insert into slots (id, account_id, property_id, key, name, formats, sizes, floor_cents, "
        "blocked_advertiser_domains, blocked_categories, audio, status, version, created_at, updated_at) "
        "values (:id, :account, :property, 'top', 'Top', '[\"native\"]', '[]', 0, '[]', '[]', '{}', "
        "'active', 1, :now, :now)",
        id=new_id(),
        account=money.account_id,
        property=money.property_id,
        now=START,
    )
    await money.run(
        "insert into ads (id, account_id, campaign_id, environment, name, format, content, asset_ids, "
        "categories, tracking, weight, slot_ids, targeting, status, version, created_at, updated_at) "
        "values (:id, :account, :campaign, 'live', 'A', 'native', '{}', '{}', '[]', '{}', 1, '[]', '{}', "
        "'active', 1, :now, :now)",
        id=new_id(),
        account=money.account_id,
        campaign=made,
        now=START,
    )
    return made


async def days(money: Money, campaign: str) -> list[tuple[Any, ...]]:
    rows = await money.rows(
        "select cast(day as varchar), micros from flat_rate_days where campaign_id = :id order by day",
        id=campaign,
    )
    return [tuple(row) for row in rows]


async def test_every_day_is_charged_once_and_the_days_sum_to_the_bid(
    money: Money, control: ControlContext, campaign: str
) -> None:
    for _ in range(4 * 24):
        await charge_flat_rates(control, WITH_FLAT_RATES)
        money.clock.advance(ms=3_600_000)
    await money.post_spend()

    assert await days(money, campaign) == [
        ("2026-03-01", 333_333),
        ("2026-03-02", 333_333),
        ("2026-03-03", 333_334),
    ]
    assert await money.spent_micros(campaign) == 1_000_000
    assert await money.balances() == {WALLET: -1_000_000, REVENUE: 1_000_000}
    async with money.database.service() as session:
        assert await find_drift(session) == []


async def test_a_campaign_that_no_edge_supports_is_not_charged(
    money: Money, control: ControlContext, campaign: str
) -> None:
    await charge_flat_rates(control, frozenset())

    assert await days(money, campaign) == []


@pytest.mark.parametrize(
    "obstacle",
    [
        "update campaigns set status = 'paused'",
        "update ads set status = 'paused'",
        "update accounts set stopped = true",
        "update accounts set funded = false",
        "update properties set status = 'unverified'",
        "update campaigns set environment = 'test'",
    ],
)
async def test_a_day_on_which_nothing_could_be_delivered_costs_nothing(
    money: Money, control: ControlContext, campaign: str, obstacle: str
) -> None:
    await money.run(obstacle)
    await charge_flat_rates(control, WITH_FLAT_RATES)

    assert await days(money, campaign) == []
    assert await money.spent_micros(campaign) is None


async def test_a_flight_cut_short_costs_no_more_than_its_bid(
    money: Money, control: ControlContext, campaign: str
) -> None:
    await charge_flat_rates(control, WITH_FLAT_RATES)
    await money.run(
        "update campaigns set bid_cents = 50, end_at = start_at + interval '2 days' where id = :id",
        id=campaign,
    )
    money.clock.advance(ms=24 * 3_600_000)
    await charge_flat_rates(control, WITH_FLAT_RATES)

    assert await money.spent_micros(campaign) == 500_000
