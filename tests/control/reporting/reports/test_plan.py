"""How a range is cut into what is rolled up and what is not: nothing twice, nothing left out."""

from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from control.reporting.reports.calendar_spans import Span
from control.reporting.reports.periods import DAY, HOUR, periods_of
from control.reporting.reports.read_plan import ReadPart, ReadPlan, Rolled, plan_of
from control.reporting.reports.vocabulary import Granularity

_START = datetime(2026, 1, 1, tzinfo=UTC)
_HOURS = st.integers(1, 24 * 150)
_DAYS = st.integers(0, 300).map(lambda days: (_START + DAY * days).date())


def on(month: int, day: int) -> datetime:
    return datetime(2026, month, day, tzinfo=UTC)


def rolled_parts(plan: ReadPlan) -> list[ReadPart]:
    whole = [part for parts in plan.spans.values() for part in parts]
    return [*whole, *plan.days, *plan.hours, *plan.hours_off]


def hours_of(part: ReadPart) -> list[datetime]:
    return [part.start + HOUR * number for number in range((part.end - part.start) // HOUR)]


def counted(plan: ReadPlan, periods: Sequence[datetime]) -> Counter[tuple[datetime, datetime]]:
    """Of each hour and the period it counts to, how often it is in; what is taken off counts -1."""
    found = Counter[tuple[datetime, datetime]]()
    every = [
        *((part, 1) for parts in plan.spans.values() for part in parts),
        *((part, 1) for part in (*plan.days, *plan.hours, *plan.live)),
        *((part, -1) for part in (*plan.hours_off, *plan.live_off)),
    ]
    for part, times in every:
        for hour in hours_of(part):
            at = part.counts_at or hour
            found[hour, periods[bisect(periods, at) - 1]] += times
    return found


@settings(deadline=None)
@given(
    hours=st.tuples(_HOURS, _HOURS),
    before=_DAYS,
    late=st.frozensets(_DAYS, max_size=4),
    granularity=st.sampled_from(Granularity),
    timezone=st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata"]),
    has_hours=st.booleans(),
)
def test_a_plan_has_every_hour_once_in_its_period_and_nothing_rolled_that_is_late(
    hours: tuple[int, int],
    before: date,
    late: frozenset[date],
    granularity: Granularity,
    timezone: str,
    *,
    has_hours: bool,
) -> None:
    from_at = _START + HOUR * hours[0]
    to_at = from_at + HOUR * hours[1]
    periods = periods_of(from_at, to_at, granularity, timezone)
    rolled = Rolled(before, late, {span: span.first_of(before) for span in Span})

    plan = plan_of(periods, to_at, rolled, has_hours=has_hours)

    range_hours = hours_of(ReadPart(from_at, to_at))
    once = {(hour, periods[bisect(periods, hour) - 1]): 1 for hour in range_hours}
    assert {key: times for key, times in counted(plan, periods).items() if times} == once
    for part in rolled_parts(plan):
        assert not any(at.date() in late or at.date() >= before for at in hours_of(part))
    for span, parts in plan.spans.items():
        for edge in (edge for part in parts for edge in part[:2]):
            assert edge == datetime.combine(span.first_of(edge.date()), edge.timetz().min, UTC)
    for part in plan.days:
        assert part.start.hour == part.end.hour == 0


def test_a_range_is_cut_into_months_then_weeks_then_days() -> None:
    spans = {Span.MONTH: on(4, 1).date(), Span.WEEK: on(4, 13).date()}

    plan = plan_of([on(2, 20)], on(4, 15), Rolled(on(4, 14).date(), spans_before=spans))

    assert plan.spans == {
        Span.MONTH: [ReadPart(on(3, 1), on(4, 1))],
        Span.WEEK: [ReadPart(on(4, 6), on(4, 13))],
    }
    assert plan.days == [
        ReadPart(on(2, 20), on(3, 1)),
        ReadPart(on(4, 1), on(4, 6)),
        ReadPart(on(4, 13), on(4, 14)),
    ]
    assert plan.live == [ReadPart(on(4, 14), on(4, 15))]
    assert not plan.live_off


def test_parts_of_rolled_days_are_read_by_hours_where_there_is_a_rollup_of_them() -> None:
    from_at, to_at = on(2, 20) + HOUR * 15, on(2, 22) + HOUR * 3
    rolled = Rolled(on(2, 24).date())
    cut = [ReadPart(from_at, on(2, 21)), ReadPart(on(2, 22), to_at)]

    for has_hours, left in ((True, ([], cut)), (False, (cut, []))):
        plan = plan_of([from_at], to_at, rolled, has_hours=has_hours)
        assert (plan.live, plan.hours) == left
        assert plan.days == [ReadPart(on(2, 21), on(2, 22))]


def test_a_week_that_lacks_a_few_hours_is_read_whole_without_them() -> None:
    from_at, to_at = on(4, 6) + HOUR * 3, on(4, 12) + HOUR * 22
    rolled = Rolled(on(4, 20).date(), spans_before={Span.WEEK: on(4, 20).date()})
    off = [ReadPart(on(4, 6), from_at), ReadPart(to_at, on(4, 13))]

    for has_hours, left_out in ((True, (off, ())), (False, ((), off))):
        plan = plan_of([from_at], to_at, rolled, has_hours=has_hours)
        assert plan.spans == {Span.WEEK: [ReadPart(on(4, 6), on(4, 13))]}
        assert (plan.hours_off, plan.live_off) == left_out
        assert [*plan.days, *plan.hours, *plan.live] == []


def test_days_of_a_zone_count_to_their_own_period_beyond_their_bounds() -> None:
    periods = [on(4, 6) + HOUR * 4, on(4, 7) + HOUR * 4]

    plan = plan_of(periods, on(4, 8), Rolled(on(4, 20).date()), has_hours=False)

    assert plan.days == [
        ReadPart(on(4, 6), on(4, 7), periods[0]),
        ReadPart(on(4, 7), on(4, 8), periods[1]),
    ]
    assert plan.live_off == [
        ReadPart(on(4, 6), periods[0], periods[0]),
        ReadPart(on(4, 7), periods[1], periods[1]),
    ]
    assert plan.live == [ReadPart(on(4, 7), periods[1])]


def test_a_week_in_which_one_day_is_late_is_read_by_days() -> None:
    rolled = Rolled(on(4, 20).date(), frozenset({on(4, 8).date()}), {Span.WEEK: on(4, 20).date()})

    plan = plan_of([on(4, 6)], on(4, 20), rolled)

    assert plan.spans == {Span.WEEK: [ReadPart(on(4, 13), on(4, 20))]}
    assert plan.live == [ReadPart(on(4, 8), on(4, 9))]
