"""
Which part of a range is read from months, weeks, days and hours that are rolled up, and which as it was stored. Pure.

A day of UTC may be read rolled up where the rolling is done with it and nothing came late to it since; in one row where
no period of the report begins inside it, else by its hours. So may a week or a month of days that no period cuts.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time

from control.reports.periods import DAY
from control.reports.question import Question
from control.reports.rollups import Rollup, find_rollup
from control.reports.spans import Span
from control.reports.vocabulary import Dimension

Range = tuple[datetime, datetime]
"""Half open."""


@dataclass(frozen=True, slots=True)
class Rolled:
    """How far the rolling is: days before ``before`` (None: none yet), but for ``late`` ones, and so for each span."""

    before: date | None
    late: frozenset[date] = frozenset()
    spans_before: Mapping[Span, date] = field(default_factory=dict)

    def has(self, day: date) -> bool:
        return self.before is not None and day < self.before and day not in self.late

    def has_span(self, span: Span, first: date) -> bool:
        before = self.spans_before.get(span)
        if before is None or first >= before:
            return False
        return not any(span.first_of(day) == first for day in self.late)


@dataclass(frozen=True, slots=True)
class Plan:
    """Each in order and apart; together the whole range."""

    spans: Mapping[Span, Sequence[Range]]
    """Those that there are any of."""
    days: Sequence[Range]
    hours: Sequence[Range]
    """Of rolled days: parts of them, or days in which a period begins."""
    live: Sequence[Range]


@dataclass(frozen=True, slots=True)
class Source:
    """``by_day``: of spans, too. None: no rollup keeps all apart, and no such part is in the plan."""

    by_day: Rollup | None
    by_hour: Rollup | None
    plan: Plan

    @property
    def rolled(self) -> Iterator[tuple[str, str, bool, Sequence[Range]]]:
        """The rolled parts: what each is called, the rollup's name, whether it keeps properties apart, its ranges."""
        if self.by_day is not None:
            has_property = self.by_day.has_property
            for span, ranges in self.plan.spans.items():
                yield span, self.by_day.name_by(span), has_property, ranges
            if self.plan.days:
                yield "day", self.by_day.name, has_property, self.plan.days
        if self.by_hour is not None and self.plan.hours:
            yield "hour", self.by_hour.name, self.by_hour.has_property, self.plan.hours


def plan_of(
    from_at: datetime,
    to_at: datetime,
    rolled: Rolled,
    cuts: Collection[datetime],
    *,
    has_hours: bool = True,
) -> Plan:
    """*cuts*: instants at which a period begins. *has_hours*: a rollup of hours will do."""
    spans: dict[Span, list[Range]] = {}
    left = [(from_at, to_at)]
    for span in Span:
        taken = _spans_in(left, span, rolled, cuts)
        if taken:
            spans[span] = _joined(taken)
            left = _without(left, spans[span])
    days, hours, live = list[Range](), list[Range](), list[Range]()
    for part in _days_in(left):
        if not rolled.has(part[0].date()):
            live.append(part)
        elif part[1] - part[0] == DAY and _uncut(part, cuts):
            days.append(part)
        else:
            (hours if has_hours else live).append(part)
    return Plan(spans, _joined(days), _joined(hours), _joined(live))


def source_of(
    question: Question, needed: Collection[Dimension], periods: Sequence[datetime], rolled: Rolled
) -> Source:
    """The rollups that keep *needed* apart with the fewest rows, and what is read from which."""
    by_day = find_rollup(needed, is_hourly=False)
    by_hour = find_rollup(needed, is_hourly=True)
    plan = plan_of(
        question.from_at,
        question.to_at,
        rolled if by_day else Rolled(None),
        periods,
        has_hours=by_hour is not None,
    )
    return Source(by_day, by_hour, plan)


def starts(ranges: Sequence[Range]) -> list[datetime]:
    return [start for start, _ in ranges]


def ends(ranges: Sequence[Range]) -> list[datetime]:
    return [end for _, end in ranges]


def _spans_in(
    ranges: Sequence[Range], span: Span, rolled: Rolled, cuts: Collection[datetime]
) -> list[Range]:
    """Those that lie whole in one of *ranges* and may be read rolled up."""
    found = []
    for start, end in ranges:
        first = span.first_of(start.date())
        while _midnight(first) < end:
            after = span.after(first)
            part = (_midnight(first), _midnight(after))
            is_within = start <= part[0] and part[1] <= end
            if is_within and _uncut(part, cuts) and rolled.has_span(span, first):
                found.append(part)
            first = after
    return found


def _days_in(ranges: Sequence[Range]) -> list[Range]:
    """*ranges* cut at each midnight of UTC."""
    found = []
    for start, end in ranges:
        at = start
        while at < end:
            until = min(_midnight(at.date()) + DAY, end)
            found.append((at, until))
            at = until
    return found


def _without(ranges: Sequence[Range], taken: Sequence[Range]) -> list[Range]:
    """What *taken* leaves; each of it lies in one of *ranges*, and both are in order."""
    left = []
    for start, end in ranges:
        at = start
        for one in taken:
            if start <= one[0] and one[1] <= end:
                left.append((at, one[0]))
                at = one[1]
        left.append((at, end))
    return [part for part in left if part[0] < part[1]]


def _joined(ranges: Sequence[Range]) -> list[Range]:
    """In order, those that meet as one."""
    found = list[Range]()
    for start, end in ranges:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _uncut(part: Range, cuts: Collection[datetime]) -> bool:
    return not any(part[0] < cut < part[1] for cut in cuts)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
