"""How a range is cut into what is rolled up and what is not: nothing twice, nothing left out."""

from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from control.reports.periods import DAY, HOUR, periods_of
from control.reports.plan import Plan, Range, Rolled, plan_of
from control.reports.spans import Span
from control.reports.vocabulary import Granularity

_START = datetime(2026, 1, 1, tzinfo=UTC)
_HOURS = st.integers(1, 24 * 150)
_DAYS = st.integers(0, 300).map(lambda days: (_START + DAY * days).date())


def on(month: int, day: int) -> datetime:
    return datetime(2026, month, day, tzinfo=UTC)


def rolled_parts(plan: Plan) -> list[Range]:
    return [*plan.days, *plan.hours, *(part for ranges in plan.spans.values() for part in ranges)]


@given(
    hours=st.tuples(_HOURS, _HOURS),
    before=_DAYS,
    late=st.frozensets(_DAYS, max_size=4),
    granularity=st.sampled_from(Granularity),
    timezone=st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata"]),
)
def test_a_plan_has_every_hour_once_and_nothing_rolled_that_is_late_or_cut(
    hours: tuple[int, int],
    before: date,
    late: frozenset[date],
    granularity: Granularity,
    timezone: str,
) -> None:
    from_at = _START + HOUR * hours[0]
    to_at = from_at + HOUR * hours[1]
    cuts = periods_of(from_at, to_at, granularity, timezone)

    plan = plan_of(
        from_at, to_at, Rolled(before, late, {span: span.first_of(before) for span in Span}), cuts
    )

    parts = sorted([*rolled_parts(plan), *plan.live])
    assert [from_at, *(end for _, end in parts)] == [*(first for first, _ in parts), to_at]
    for first, end in rolled_parts(plan):
        days = [(first + HOUR * number).date() for number in range((end - first) // HOUR)]
        assert not any(day in late or day >= before for day in days)
    assert not any(first < at < end and at.hour for first, end in plan.days for at in cuts)
    for span, ranges in plan.spans.items():
        for edge in (edge for part in ranges for edge in part):
            assert edge == datetime.combine(span.first_of(edge.date()), edge.timetz().min, UTC)
        cut = [at for at in cuts if any(first < at < end for first, end in ranges)]
        assert all(at.date() == span.first_of(at.date()) for at in cut)


def test_a_range_is_cut_into_months_then_weeks_then_days() -> None:
    spans = {Span.MONTH: on(4, 1).date(), Span.WEEK: on(4, 13).date()}

    plan = plan_of(on(2, 20), on(4, 15), Rolled(on(4, 14).date(), spans_before=spans), [on(2, 20)])

    assert plan.spans == {
        Span.MONTH: [(on(3, 1), on(4, 1))],
        Span.WEEK: [(on(4, 6), on(4, 13))],
    }
    assert plan.days == [(on(2, 20), on(3, 1)), (on(4, 1), on(4, 6)), (on(4, 13), on(4, 14))]
    assert plan.live == [(on(4, 14), on(4, 15))]


def test_parts_of_rolled_days_are_read_by_hours_where_there_is_a_rollup_of_them() -> None:
    from_at, to_at = on(2, 20) + HOUR * 5, on(2, 22) + HOUR * 3
    rolled = Rolled(on(2, 24).date())
    cut = [(from_at, on(2, 21)), (on(2, 22), to_at)]

    for has_hours, left in ((True, ([], cut)), (False, (cut, []))):
        plan = plan_of(from_at, to_at, rolled, [from_at], has_hours=has_hours)
        assert (plan.live, plan.hours) == left
        assert plan.days == [(on(2, 21), on(2, 22))]


def test_a_week_in_which_one_day_is_late_is_read_by_days() -> None:
    rolled = Rolled(on(4, 20).date(), frozenset({on(4, 8).date()}), {Span.WEEK: on(4, 20).date()})

    plan = plan_of(on(4, 6), on(4, 20), rolled, [on(4, 6)])

    assert plan.spans == {Span.WEEK: [(on(4, 13), on(4, 20))]}
    assert plan.live == [(on(4, 8), on(4, 9))]
