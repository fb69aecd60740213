"""
Which part of a range is read from months, weeks and days that are rolled up, and which from the hours themselves. Pure.

A day of UTC may be read rolled up where the rolling is done with it, nothing came late to it since, and no period of
the report begins inside it; so may a week or a month of such days.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta

from control.reports.periods import DAY
from control.reports.question import Question
from control.reports.rollups import Rollup, find_rollup
from control.reports.spans import Span
from control.reports.vocabulary import Dimension

_MOST_LIVE = timedelta(days=4)

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
    """Of a rollup of hours: those."""
    live: Sequence[Range]


def plan_of(
    from_at: datetime, to_at: datetime, rolled: Rolled, cuts: Collection[datetime] | None
) -> Plan:
    """*cuts*: instants at which a period begins. None: the rolled rows are of hours, so a day may be cut anywhere."""
    spans: dict[Span, list[Range]] = {}
    left = [(from_at, to_at)]
    for span in Span if cuts is not None else ():
        taken = _spans_in(left, span, rolled, cuts or ())
        if taken:
            spans[span] = _joined(taken)
            left = _without(left, spans[span])
    days, live = list[Range](), list[Range]()
    for part in _days_in(left):
        is_whole = cuts is None or (part[1] - part[0] == DAY and _uncut(part, cuts))
        (days if is_whole and rolled.has(part[0].date()) else live).append(part)
    return Plan(spans, _joined(days), _joined(live))


def source_of(
    question: Question, needed: Collection[Dimension], periods: Sequence[datetime], rolled: Rolled
) -> tuple[Rollup | None, Plan]:
    """
    The rollup of days that keeps *needed* apart; one of hours where days are cut so often that too much would be left
    to be read hour by hour. None: no rollup does, all of it is read so.
    """
    by_day = find_rollup(needed, is_hourly=False)
    whole = plan_of(question.from_at, question.to_at, rolled if by_day else Rolled(None), periods)
    if sum((end - start for start, end in whole.live), timedelta()) <= _MOST_LIVE:
        return by_day, whole
    by_hour = find_rollup(needed, is_hourly=True)
    if by_hour is None:
        return by_day, whole
    return by_hour, plan_of(question.from_at, question.to_at, rolled, None)


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
