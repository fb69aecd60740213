"""Flat rates: a part a day, once, only where the campaign could deliver."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from common.decision.rules.feature_support import BUDGET, FLAT_RATE
from common.values.clock import to_ms
from common.values.enums import PricingModel
from common.values.ids import new_id
from control.api.context import ControlContext
from control.billing.invoicing.flat_rate import charge_flat_rates
from control.billing.ledger.check import find_imbalances
from control.billing.ledger.entries import REVENUE, WALLET
from control.demand.campaigns.delivery_status.delivery import delivery_of
from control.demand.campaigns.delivery_status.delivery_context import delivery_context_of
from control.operations.scheduler.jobs import complete_campaigns
from control.storage.tables.campaigns import CampaignRow
from tests.control.billing.ledger.world import Money

WITH_FLAT_RATES = frozenset({BUDGET, FLAT_RATE})
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
    for table in ("accounts", "properties"):
        await money.run(f"update {table} set updated_at = :at", at=START)  # noqa: S608
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
        assert await find_imbalances(session) == []


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


async def test_a_day_costs_no_more_than_the_daily_budget_and_delivers_to_its_end(
    money: Money, control: ControlContext, campaign: str
) -> None:
    await money.run("update campaigns set budget_daily_cents = 20 where id = :id", id=campaign)
    for _ in range(3 * 24):
        await charge_flat_rates(control, WITH_FLAT_RATES)
        money.clock.advance(ms=3_600_000)

    assert [micros for _, micros in await days(money, campaign)] == [200_000] * 3
    spent = "select spent_micros from campaign_spend_days where campaign_id = :id"
    assert [row[0] for row in await money.rows(spent, id=campaign)] == [200_000] * 3
    assert await money.spent_micros(campaign) == 600_000


async def test_a_total_budget_that_pays_nothing_of_a_day_completes_the_campaign(
    money: Money, control: ControlContext, campaign: str
) -> None:
    """A day that it pays in part is the last one."""
    await money.run("update campaigns set budget_total_cents = 40 where id = :id", id=campaign)
    found = []
    for _ in range(3):
        await charge_flat_rates(control, WITH_FLAT_RATES)
        found.append(await state(money, campaign))
        money.clock.advance(ms=24 * 3_600_000)

    assert found == [
        ("active", "delivering"),
        ("active", "delivering"),
        ("completed", "budget_exhausted"),
    ]
    assert [micros for _, micros in await days(money, campaign)] == [333_333, 66_667]
    published = "select body from snapshot_objects where type = 'campaign' and id = :id"
    ((body,),) = await money.rows(published, id=campaign)
    assert orjson.loads(body)["status"] == "completed"


@pytest.mark.parametrize("total_cents", [100, 99])
async def test_the_last_day_delivers_where_the_total_budget_pays_any_of_it(
    money: Money, control: ControlContext, campaign: str, total_cents: int
) -> None:
    await _set_total(money, campaign, total_cents)
    for hours in (24, 24, 0, 0):
        await charge_flat_rates(control, WITH_FLAT_RATES)
        money.clock.advance(ms=hours * 3_600_000)

    assert await money.spent_micros(campaign) == total_cents * 10_000
    assert await state(money, campaign) == ("active", "delivering")


async def test_a_day_without_budget_is_paid_once_the_budget_is_raised(
    money: Money, control: ControlContext, campaign: str
) -> None:
    await money.run("update campaigns set bid_cents = 99 where id = :id", id=campaign)
    await _set_total(money, campaign, 33)
    for _ in range(2):
        await charge_flat_rates(control, WITH_FLAT_RATES)
        money.clock.advance(ms=24 * 3_600_000)
    assert await state(money, campaign) == ("completed", "budget_exhausted")

    money.clock.advance(ms=-24 * 3_600_000)
    await _set_total(money, campaign, 99)
    await money.run("update campaigns set status = 'active' where id = :id", id=campaign)
    for _ in range(2):
        await charge_flat_rates(control, WITH_FLAT_RATES)
        money.clock.advance(ms=24 * 3_600_000)

    assert [micros for _, micros in await days(money, campaign)] == [330_000] * 3


async def _set_total(money: Money, campaign: str, total_cents: int) -> None:
    await money.run(
        "update campaigns set budget_total_cents = :total where id = :id",
        total=total_cents,
        id=campaign,
    )


async def test_a_budget_that_pays_whole_days_ends_with_the_last_of_them(
    money: Money, control: ControlContext, campaign: str
) -> None:
    await money.run(
        "update campaigns set budget_total_cents = 33, bid_cents = 99 where id = :id", id=campaign
    )
    await charge_flat_rates(control, WITH_FLAT_RATES)
    money.clock.advance(ms=23 * 3_600_000)
    await charge_flat_rates(control, WITH_FLAT_RATES)
    before = await state(money, campaign)
    money.clock.advance(ms=3_600_000)
    await charge_flat_rates(control, WITH_FLAT_RATES)

    assert before == ("active", "delivering")
    assert await state(money, campaign) == ("completed", "budget_exhausted")
    charges = "select units, micros from charges where account_id = :account"
    assert [tuple(row) for row in await money.rows(charges, account=money.account_id)] == [
        (1, 330_000)
    ]


@pytest.mark.parametrize("status", ["active", "paused"])
async def test_a_flight_shorter_than_the_pause_of_the_job_is_charged_at_its_end(
    money: Money, control: ControlContext, campaign: str, status: str
) -> None:
    await money.run(
        "update campaigns set end_at = start_at + interval '30 seconds', status = :status where id = :id",
        id=campaign,
        status=status,
    )
    money.clock.advance(ms=60_000)
    for _ in range(2):
        await charge_flat_rates(control, WITH_FLAT_RATES)
        await complete_campaigns(control)

    charged = [("2026-03-01", 1_000_000)] if status == "active" else []
    assert await days(money, campaign) == charged
    assert await state(money, campaign) == ("completed", "ended")


async def test_a_campaign_that_cannot_be_charged_does_not_hold_up_the_others(
    money: Money, control: ControlContext, campaign: str
) -> None:
    failing = await money.add_campaign(pricing_model=PricingModel.FLAT_RATE)
    first = "00000000-0000-7000-8000-000000000000"
    await money.run(
        "update campaigns c set id = :first, timezone = 'Nowhere', start_at = o.start_at, end_at = o.end_at "
        "from campaigns o where c.id = :failing and o.id = :other",
        first=first,
        failing=failing,
        other=campaign,
    )
    await money.run(
        "insert into ads select (jsonb_populate_record(a, "
        "jsonb_build_object('id', cast(:id as text), 'campaign_id', cast(:failing as text)))).* "
        "from ads a where a.campaign_id = :other",
        id=new_id(),
        failing=first,
        other=campaign,
    )
    with pytest.raises(KeyError, match="Nowhere"):
        await charge_flat_rates(control, WITH_FLAT_RATES)
    assert await days(money, campaign) == [("2026-03-01", 333_333)]

    money.clock.advance(ms=3 * 24 * 3_600_000)
    with pytest.raises(KeyError, match="Nowhere"):
        await complete_campaigns(control)
    statuses = await money.rows("select id, status from campaigns order by id")
    assert [tuple(row) for row in statuses] == [(first, "active"), (campaign, "completed")]


async def test_an_end_that_is_set_to_the_past_charges_no_day_of_the_past(
    money: Money, control: ControlContext, campaign: str
) -> None:
    money.clock.advance(ms=24 * 3_600_000)
    await charge_flat_rates(control, WITH_FLAT_RATES)
    await money.run(
        "update campaigns set end_at = start_at + interval '1 hour', updated_at = :now where id = :id",
        id=campaign,
        now=money.clock.now(),
    )
    await complete_campaigns(control)

    assert [day for day, _ in await days(money, campaign)] == ["2026-03-02"]
    assert await state(money, campaign) == ("completed", "ended")


@pytest.mark.parametrize("charged_before", [True, False])
async def test_a_last_day_shorter_than_the_pause_of_the_job_is_charged_at_its_end(
    money: Money, control: ControlContext, campaign: str, *, charged_before: bool
) -> None:
    await money.run(
        "update campaigns set end_at = start_at + interval '1 day 20 seconds' where id = :id",
        id=campaign,
    )
    await charge_flat_rates(control, WITH_FLAT_RATES)
    money.clock.advance(ms=24 * 3_600_000)
    if charged_before:
        await charge_flat_rates(control, WITH_FLAT_RATES)
    money.clock.advance(ms=60_000)
    await complete_campaigns(control)

    assert await days(money, campaign) == [("2026-03-01", 500_000), ("2026-03-02", 500_000)]
    assert await money.spent_micros(campaign) == 1_000_000
    assert await state(money, campaign) == ("completed", "ended")


@pytest.mark.parametrize(
    ("seconds", "column", "late_s", "charged"),
    [
        (30, "start_at", 20, ["2026-03-01", "2026-03-02"]),
        (30, "updated_at", 20, ["2026-03-01", "2026-03-02"]),
        (90, "start_at", 20, ["2026-03-02"]),
        (30, "start_at", 400, ["2026-03-02"]),
        (-10, "updated_at", 20, ["2026-03-02"]),
    ],
    ids=["begun", "activated", "begun earlier", "long over", "activated afterwards"],
)
async def test_the_end_of_a_day_shorter_than_the_pause_of_the_job_is_charged_after_it(  # noqa: PLR0917
    money: Money,
    control: ControlContext,
    campaign: str,
    seconds: int,
    column: str,
    late_s: int,
    charged: list[str],
) -> None:
    """*seconds*: from the event to midnight. The job runs *late_s* after it, and again."""
    await money.run("update campaigns set updated_at = start_at where id = :id", id=campaign)
    await money.run(
        f"update campaigns set {column} = start_at + interval '1 day' - make_interval(secs => :seconds) "  # noqa: S608
        "where id = :id",
        seconds=seconds,
        id=campaign,
    )
    money.clock.advance(ms=24 * 3_600_000 + late_s * 1000)
    for _ in range(2):
        await charge_flat_rates(control, WITH_FLAT_RATES)
        money.clock.advance(ms=60_000)

    assert await days(money, campaign) == [(day, 333_333) for day in charged]


@pytest.mark.parametrize("table", ["ads", "slots", "properties", "accounts"])
async def test_the_end_of_a_day_is_not_charged_where_the_campaign_may_have_become_able_after_it(
    money: Money, control: ControlContext, campaign: str, table: str
) -> None:
    await money.run(
        "update campaigns set updated_at = start_at + interval '1 day' - interval '30 seconds' where id = :id",
        id=campaign,
    )
    money.clock.advance(ms=24 * 3_600_000 + 20_000)
    await money.run(f"update {table} set updated_at = :now", now=money.clock.now())  # noqa: S608
    money.clock.advance(ms=1_000)
    await charge_flat_rates(control, WITH_FLAT_RATES)

    assert [day for day, _ in await days(money, campaign)] == ["2026-03-02"]


async def test_a_flight_of_seconds_around_midnight_is_charged_for_both_days(
    money: Money, control: ControlContext, campaign: str
) -> None:
    await money.run(
        "update campaigns set start_at = start_at + interval '1 day' - interval '20 seconds', "
        "end_at = start_at + interval '1 day 20 seconds', updated_at = start_at where id = :id",
        id=campaign,
    )
    money.clock.advance(ms=24 * 3_600_000 + 30_000)
    await charge_flat_rates(control, WITH_FLAT_RATES)
    await complete_campaigns(control)

    assert await days(money, campaign) == [("2026-03-01", 500_000), ("2026-03-02", 500_000)]
    assert await state(money, campaign) == ("completed", "ended")


async def state(money: Money, campaign: str) -> tuple[str, str]:
    """Status and delivery status."""
    now = money.clock.now()
    async with money.database.service() as session:
        row = await session.get_one(CampaignRow, campaign)
        context = (await delivery_context_of(session, row.account_id, [row], now))[campaign]
        return row.status, delivery_of(row, context, now, honoured=WITH_FLAT_RATES).status
