"""How much should be spent by now: never more than the budget, never less than before, and the missed is spread."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.pacing.curve import HOUR_MS, HOURS, UNIFORM, Curve
from common.pacing.plan import LAG_MS, PPB, Plan, Terms, planned_share, rest_share
from common.values.clock import to_ms
from common.values.enums import Pacing

SHARES = st.integers(0, PPB)
PACINGS = st.sampled_from([Pacing.EVEN, Pacing.FRONT_LOADED])
CURVES = st.lists(st.integers(0, 1_000), min_size=HOURS, max_size=HOURS).map(Curve)
START_MS = to_ms(datetime(2027, 3, 1, tzinfo=UTC))
DAY_MS = 24 * HOUR_MS
UNIT = 1_000


def some_terms(
    *, units: int = 100, days: int = 10, pacing: Pacing = Pacing.EVEN, curve: Curve = UNIFORM
) -> Terms:
    return Terms(units * UNIT, UNIT, pacing, START_MS, START_MS + days * DAY_MS, curve)


def begun(terms: Terms) -> Plan:
    return Plan(terms, 0, START_MS)


@given(pacing=st.sampled_from(Pacing), earlier=SHARES, later=SHARES)
def test_a_plan_never_decreases_and_ends_at_the_full_budget(
    pacing: Pacing, earlier: int, later: int
) -> None:
    first, second = sorted((earlier, later))

    assert 0 <= planned_share(pacing, first) <= planned_share(pacing, second) <= PPB
    assert planned_share(pacing, PPB) == PPB


@given(pacing=st.sampled_from(Pacing), since=SHARES, earlier=SHARES, later=SHARES)
def test_the_rest_of_a_plan_never_decreases_and_ends_at_the_full_budget(
    pacing: Pacing, since: int, earlier: int, later: int
) -> None:
    first, second = sorted((earlier, later))

    assert 0 <= rest_share(pacing, since, first) <= rest_share(pacing, since, second) <= PPB
    assert rest_share(pacing, since, PPB) == PPB


def test_front_loaded_runs_ahead_of_even_and_asap_of_both() -> None:
    quarter = PPB // 4

    assert planned_share(Pacing.EVEN, quarter) == 250_000_000
    assert planned_share(Pacing.FRONT_LOADED, quarter) == 328_125_000
    assert planned_share(Pacing.ASAP, quarter) == PPB


@given(
    curve=CURVES,
    pacing=PACINGS,
    units=st.integers(1, 10_000),
    days=st.integers(1, 40),
    moments=st.lists(
        st.tuples(st.integers(-HOUR_MS, 41 * DAY_MS), st.integers(0, 10_000)), max_size=8
    ),
)
def test_whatever_is_spent_a_plan_stays_within_the_budget_and_never_falls(
    curve: Curve, pacing: Pacing, units: int, days: int, moments: list[tuple[int, int]]
) -> None:
    terms = some_terms(units=units, days=days, pacing=pacing, curve=curve)
    plan, used = begun(terms), 0
    for since_ms, spent in sorted(moments):
        now_ms = START_MS + since_ms
        plan.follow(used, now_ms)
        assert 0 <= plan.planned_micros(now_ms) <= plan.planned_micros(now_ms + 1)
        assert plan.planned_micros(now_ms + HOUR_MS) <= terms.limit_micros
        free = plan.free_micros(used, now_ms)
        assert 0 <= free <= terms.limit_micros - used
        used += min(free, spent * UNIT)
    assert plan.planned_micros(terms.end_ms) == terms.limit_micros


def test_half_the_traffic_is_half_the_budget_whatever_the_clock_says() -> None:
    by_day = Curve([3 if hour % 24 >= 12 else 1 for hour in range(HOURS)])
    noon = some_terms(days=1, curve=by_day).planned_micros(START_MS + DAY_MS // 2)

    assert noon == 25 * UNIT


def test_a_few_events_are_served_at_planned_instants() -> None:
    plan, served, used = begun(some_terms(units=4, days=4)), [], 0
    for hour in range(4 * 24):
        free = plan.free_micros(used, START_MS + hour * HOUR_MS + 1_000)
        assert free in {0, UNIT}
        if free:
            served.append(hour)
            used += free
    assert served == [0, 24, 48, 72]


def test_missed_delivery_is_spread_over_the_rest_of_the_flight() -> None:
    plan, used = begun(some_terms(units=1_000, days=10)), 100 * UNIT
    after_ms = START_MS + 5 * DAY_MS
    assert plan.follow(used, after_ms)
    assert plan.free_micros(used, after_ms + 4_000) == UNIT
    assert plan.planned_micros(after_ms + DAY_MS) - used == 180 * UNIT
    assert plan.planned_micros(START_MS + 10 * DAY_MS) == 1_000 * UNIT


def test_a_lag_of_minutes_is_recovered_at_once() -> None:
    terms = some_terms(units=28_800, days=10)
    plan = begun(terms)
    now_ms = START_MS + DAY_MS
    used = plan.planned_micros(now_ms - LAG_MS) - UNIT // 2
    assert not plan.follow(used, now_ms)
    assert plan.free_micros(used, now_ms) == 11 * UNIT


def test_a_small_campaign_makes_up_at_once_for_a_fill_that_nobody_saw() -> None:
    """One fill an hour of a request every 50 minutes; every tenth is not shown: its budget returns after 15 minutes."""
    terms, spent, served, late = some_terms(units=240), 0, 0, []
    plan, in_flight = begun(terms), list[tuple[int, bool]]()
    for now_ms in range(START_MS, START_MS + 5 * DAY_MS, 60_000):
        while in_flight and in_flight[0][0] <= now_ms:
            spent += UNIT * in_flight.pop(0)[1]
        used = spent + UNIT * len(in_flight)
        plan.follow(used, now_ms)
        is_asked = (now_ms - START_MS) % (50 * 60_000) == 0
        if is_asked and plan.free_micros(used, now_ms):
            served += 1
            in_flight.append((now_ms + 15 * 60_000, served % 10 != 0))
        late.append(terms.planned_micros(now_ms - 15 * 60_000) - spent)

    assert max(late) <= 3 * UNIT


def test_hours_without_traffic_are_not_made_up_in_a_burst() -> None:
    """Two events are missing, and no fill came back: what was leased and given back is no fill."""
    terms, after_ms = some_terms(units=240), START_MS + 2 * DAY_MS + 2 * HOUR_MS
    plan, used = begun(terms), terms.planned_micros(START_MS + 2 * DAY_MS)
    plan.follow(used + 3 * UNIT, START_MS + 2 * DAY_MS, 3 * UNIT)

    assert plan.follow(used, after_ms)
    assert plan.free_micros(used, after_ms + 4_000) == UNIT


def test_a_campaign_ahead_of_its_plan_waits() -> None:
    plan = begun(some_terms(units=100, days=10))
    assert plan.free_micros(30 * UNIT, START_MS + 3 * DAY_MS) == 0
    assert plan.free_micros(30 * UNIT, START_MS + 3 * DAY_MS + 1_000) == UNIT


def test_a_lowered_budget_is_spread_from_the_current_point_of_its_plan() -> None:
    plan, now_ms = begun(some_terms(units=1_000, days=10)), START_MS + 5 * DAY_MS
    plan.renew(some_terms(units=600, days=10), now_ms)
    assert plan.planned_micros(now_ms) == 500 * UNIT
    assert plan.planned_micros(now_ms + DAY_MS) == 520 * UNIT


def test_a_newly_learned_curve_frees_nothing_at_once() -> None:
    plan, now_ms = begun(some_terms(units=10, days=1)), START_MS + 10 * HOUR_MS
    before = plan.planned_micros(now_ms)
    plan.renew(some_terms(units=10, days=1, curve=Curve([*([9] * 12), *([1] * 156)])), now_ms)
    assert plan.planned_micros(now_ms) == before


@pytest.mark.parametrize("pacing", [Pacing.EVEN, Pacing.FRONT_LOADED])
def test_a_renewed_plan_frees_at_most_one_event_too_early(pacing: Pacing) -> None:
    terms = some_terms(units=1_000, pacing=pacing)
    now_ms = START_MS + 4 * DAY_MS
    used = terms.planned_micros(now_ms)
    assert Plan(terms, used, now_ms).free_micros(used, now_ms) <= UNIT
    assert Plan(terms, used // 2, now_ms).free_micros(used // 2, now_ms) <= UNIT


def test_a_budget_far_ahead_of_its_plan_continues_from_there() -> None:
    now_ms = START_MS + DAY_MS
    plan = Plan(some_terms(units=100, days=10), 55 * UNIT, now_ms)
    assert plan.planned_micros(now_ms + DAY_MS) == pytest.approx(60 * UNIT, abs=1)


def test_nothing_is_planned_before_a_flight_begins() -> None:
    later = Terms(9 * UNIT, UNIT, Pacing.EVEN, START_MS, START_MS, UNIFORM)
    assert later.planned_micros(START_MS - 1) == 0
    assert later.planned_micros(START_MS) == 9 * UNIT
    assert Plan(some_terms(), 0, START_MS - DAY_MS).free_micros(0, START_MS - 5_000) == 0
