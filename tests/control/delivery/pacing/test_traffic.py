"""What is learned of slots' traffic, and which campaigns plan by which of it."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from sqlalchemy import text

from common.pacing.curve import HOUR_MS, HOURS, UNIFORM
from common.values.clock import to_ms
from common.values.enums import Pacing, PricingModel
from common.values.ids import new_id
from control.api.context import ControlContext
from control.delivery.leasing.budget_limits import BudgetFigures
from control.delivery.leasing.budget_limits_query import read_figures
from control.delivery.pacing import traffic
from control.delivery.pacing.traffic import update_traffic_curves
from control.delivery.pacing.traffic_forecast import TrafficForecast, read_forecasts
from tests.control.events.ingest.world import World

DAY = timedelta(days=1)


@pytest.fixture
async def control(world: World) -> ControlContext:
    """As far as the job reaches, which learned nothing yet."""
    async with world.database.service() as session:
        await session.execute(text("delete from slot_hours"))
        await session.execute(text("delete from slot_weeks"))
    context = ControlContext.__new__(ControlContext)
    context.database, context.clock = world.database, world.clock
    return context


async def count_requests(
    world: World, slot_id: str, hours: Mapping[datetime, int], *, is_test: bool = False
) -> None:
    rows = [
        {
            "account": world.account_id,
            "hour": hour,
            "property": uuid.UUID(world.property_id),
            "slot": uuid.UUID(slot_id),
            "test": is_test,
            "count": count,
        }
        for hour, count in hours.items()
    ]
    async with world.database.service() as session:
        await session.execute(
            text(
                "insert into serve_hourly (account_id, hour, property_id, slot_id, is_test, outcome, country, device, "
                "surface, format, count) values (:account, :hour, :property, :slot, :test, 'fill', '', '', '', '', "
                ":count) on conflict on constraint uq_serve_hourly_group do update set count = excluded.count"
            ),
            rows,
        )


async def add_slot(world: World, **changes: Any) -> str:
    slot_id = new_id()
    values = {"formats": ["banner"], "sizes": [], "status": "active"} | changes
    async with world.database.service() as session:
        await session.execute(
            text(
                "insert into slots (id, account_id, property_id, key, name, formats, sizes, floor_cents, "
                "blocked_advertiser_domains, blocked_categories, audio, status, version, created_at, updated_at) "
                "values (:id, :account, :property, :id, 'S', cast(:formats as jsonb), cast(:sizes as jsonb), 0, "
                "'[]', '[]', '{}', :status, 1, :now, :now)"
            ),
            {
                "id": slot_id,
                "account": world.account_id,
                "property": world.property_id,
                "formats": orjson.dumps(values["formats"]).decode(),
                "sizes": orjson.dumps(values["sizes"]).decode(),
                "status": values["status"],
                "now": world.clock.now(),
            },
        )
    return slot_id


async def add_ad(world: World, campaign_id: str, slot_ids: list[str]) -> None:
    async with world.database.service() as session:
        await session.execute(
            text(
                "insert into ads (id, account_id, campaign_id, environment, name, format, content, asset_ids, "
                "categories, tracking, weight, slot_ids, targeting, status, version, created_at, updated_at) values "
                "(:id, :account, :campaign, 'live', 'A', 'banner', '{}', '{}', '[]', '{}', 1, cast(:slots as jsonb), "
                "'{}', 'active', 1, :now, :now)"
            ),
            {
                "id": new_id(),
                "account": world.account_id,
                "campaign": campaign_id,
                "slots": orjson.dumps(slot_ids).decode(),
                "now": world.clock.now(),
            },
        )


async def weights_of(world: World, slot_id: str) -> list[int] | None:
    rows = await world.rows("select weights from slot_weeks where slot_id = :id", id=slot_id)
    return rows[0][0] if rows else None


async def forecast_of(world: World, campaign_id: str) -> TrafficForecast:
    async with world.database.service() as session:
        return (await read_forecasts(session, [campaign_id], world.clock.now()))[campaign_id]


async def figures_of(world: World, campaign_id: str) -> BudgetFigures:
    forecasts = {campaign_id: await forecast_of(world, campaign_id)}
    async with world.database.service() as session:
        found = await read_figures(
            session, forecasts, now=world.clock.now(), settle_ms=11 * 60 * 1000
        )
    return found[campaign_id]


def hours_before(now: datetime, count: int) -> list[datetime]:
    """Whole ones that are over, the newest first."""
    last = now.replace(minute=0, second=0, microsecond=0)
    return [last - timedelta(hours=number + 1) for number in range(count)]


def hour_of_week(at: datetime) -> int:
    return to_ms(at) // HOUR_MS % HOURS


async def test_a_slots_week_is_learned_from_the_requests_of_its_last_four(
    world: World, control: ControlContext
) -> None:
    slot_id, now = await add_slot(world), world.clock.now()
    requests = {hour: 500 if 8 <= hour.hour < 20 else 5 for hour in hours_before(now, 4 * HOURS)}
    await count_requests(world, slot_id, requests)
    await count_requests(world, slot_id, {hours_before(now, 1)[0]: 10**9}, is_test=True)
    await update_traffic_curves(control)
    weights = await weights_of(world, slot_id)
    assert weights is not None
    for hour, count in requests.items():
        assert weights[hour_of_week(hour)] == pytest.approx(count * 1_000_000, rel=0.2, abs=2e6)
    await update_traffic_curves(control)
    assert await weights_of(world, slot_id) == weights


async def test_a_slot_that_fails_holds_up_no_other(
    world: World, control: ControlContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots, now, weigh = (
        [await add_slot(world) for _ in range(3)],
        world.clock.now(),
        traffic._weights,
    )
    for number, slot_id in enumerate(slots):
        await count_requests(world, slot_id, {hours_before(now, 1)[0]: 10 + number})

    def failing(first: datetime, until: datetime, requests: dict[int, int]) -> tuple[int, ...]:
        if 11 in requests.values():
            raise ValueError("a fault")
        return weigh(first, until, requests)

    monkeypatch.setattr(traffic, "_weights", failing)
    monkeypatch.setattr(traffic, "_SLOTS_AT_ONCE", 1)
    with pytest.raises(ValueError, match="a fault"):
        await update_traffic_curves(control)
    learned = [await weights_of(world, slot_id) is not None for slot_id in slots]
    assert learned == [True, False, True]
    monkeypatch.undo()
    await update_traffic_curves(control)
    assert await weights_of(world, slots[1]) is not None


async def test_new_and_late_traffic_is_learned_and_old_traffic_dropped(
    world: World, control: ControlContext
) -> None:
    slot_id, now = await add_slot(world), world.clock.now()
    newest, before = hours_before(now, 2)
    await count_requests(world, slot_id, {before: 10, newest: 10, now - 40 * DAY: 10**6})
    await update_traffic_curves(control)
    first = await weights_of(world, slot_id)
    await count_requests(world, slot_id, {newest: 1_000})
    world.clock.advance(ms=2 * HOUR_MS)
    await update_traffic_curves(control)
    second = await weights_of(world, slot_id)
    assert first is not None
    assert second is not None
    assert second[hour_of_week(newest)] > 5 * first[hour_of_week(newest)]
    world.clock.advance(ms=35 * 24 * HOUR_MS)
    await update_traffic_curves(control)
    assert await weights_of(world, slot_id) is None


async def test_a_campaign_plans_by_the_slots_it_reaches(
    world: World, control: ControlContext
) -> None:
    now = world.clock.now()
    day, night, other = [await add_slot(world) for _ in range(3)]
    hours = hours_before(now, HOURS)
    await count_requests(world, day, {hour: 100 for hour in hours if hour.hour >= 12})
    await count_requests(world, night, {hour: 100 for hour in hours if hour.hour < 12})
    await update_traffic_curves(control)
    by_day, by_both, by_none = [await world.add_campaign(budget_cents=5) for _ in range(3)]
    await add_ad(world, by_day, [day])
    await add_ad(world, by_both, [day, night])
    await add_ad(world, by_none, [other])
    midday = to_ms(now.replace(hour=12, minute=0, second=0, microsecond=0))
    curves = [(await forecast_of(world, name)).curve for name in (by_day, by_both, by_none)]
    halves = [
        (
            curve.until(midday) - curve.until(midday - 12 * HOUR_MS),
            curve.until(midday + 12 * HOUR_MS) - curve.until(midday),
        )
        for curve in curves
    ]
    assert halves[0][1] > 8 * halves[0][0]
    assert halves[1][0] == pytest.approx(halves[1][1], rel=0.3)
    assert curves[2] is UNIFORM


async def test_budgets_are_planned_over_flight_and_day(world: World) -> None:
    now = world.clock.now()
    flight: dict[str, Any] = {"start_at": now - DAY, "end_at": now + 9 * DAY}
    found = await figures_of(
        world, await world.add_campaign(budget_cents=1_000, daily_cents=500, **flight)
    )
    assert found.total is not None
    assert found.total.terms is not None
    assert found.daily is not None
    assert found.daily.terms is not None
    assert found.total.terms.passed(to_ms(now)) == 100_000_000
    assert found.daily.terms.limit_micros == 500 * 10_000
    assert found.daily.terms.start_ms == found.day_start_ms


@pytest.mark.parametrize(
    ("changes", "planned"),
    [
        ({"budget_cents": 1_000}, False),
        ({"budget_cents": 1_000, "pacing": Pacing.ASAP, "end_at": 9}, False),
        ({"budget_cents": 1_000, "end_at": 9}, True),
        ({"budget_cents": 10_000, "daily_cents": 500, "end_at": 9}, False),
    ],
    ids=["without an end", "as soon as possible", "with an end", "the days hold it"],
)
async def test_a_total_has_a_plan_where_there_is_something_to_spread_it_over(
    world: World, changes: dict[str, Any], *, planned: bool
) -> None:
    days = changes.pop("end_at", None)
    end_at = None if days is None else world.clock.now() + days * DAY
    found = await figures_of(world, await world.add_campaign(end_at=end_at, **changes))
    assert found.total is not None
    assert (found.total.terms is not None) == planned


async def test_a_day_in_which_clocks_change_is_planned_as_long_as_it_is(world: World) -> None:
    at = datetime(2027, 3, 28, 12, tzinfo=UTC)
    world.clock.advance(ms=to_ms(at) - world.clock.now_ms())
    found = await figures_of(
        world,
        await world.add_campaign(daily_cents=500, timezone="Europe/Berlin", start_at=at - DAY),
    )
    assert found.daily is not None
    assert found.daily.terms is not None
    assert found.daily.terms.end_ms - found.daily.terms.start_ms == 23 * HOUR_MS


async def test_the_expected_cost_of_a_fill_for_clicks_follows_its_predicted_rate(
    world: World,
) -> None:
    slot_id = await add_slot(world)
    campaign_id = await world.add_campaign(
        pricing_model=PricingModel.CPC, bid_cents=50, budget_cents=1_000
    )
    await add_ad(world, campaign_id, [slot_id])
    assert (await forecast_of(world, campaign_id)).unit_micros == 500


async def test_nothing_is_learned_from_the_traffic_of_a_sample_account(
    world: World, control: ControlContext
) -> None:
    slot_id, now = await add_slot(world), world.clock.now()
    await count_requests(world, slot_id, dict.fromkeys(hours_before(now, HOURS), 100))
    mark = text("update accounts set is_sample = true where id = :id")
    async with world.database.service() as session:
        await session.execute(mark, {"id": world.account_id})

    await update_traffic_curves(control)

    assert await weights_of(world, slot_id) is None
