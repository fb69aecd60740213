"""
Plans which parts of a range are read from rolled up months, weeks, days and hours, and which from stored hours. Pure.

A month, week or day of UTC may be read rolled up once its rollup is done and nothing arrived late since. If a period
takes all of it but a few hours, as happens in zones that are not UTC, it is read whole and those hours are subtracted.
Sums are whole numbers, so nothing is lost; but everything must be read as of one instant.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from control.reporting.reports.calendar_spans import Span
from control.reporting.reports.periods import DAY
from control.reporting.reports.report_query import ReportSpec
from control.reporting.reports.rollup_definitions import Rollup, find_rollup
from control.reporting.reports.vocabulary import Dimension

Range = tuple[datetime, datetime]
"""Half open."""
_LEFT_OUT = timedelta(hours=8)
"""The most that is subtracted. Where traffic is sparse, a day has nearly as many rows as its hours."""


class ReadPart(NamedTuple):
    """``counts_at``: all rows count to the period of this instant, even outside its bounds. None: each to its own."""

    start: datetime
    end: datetime
    counts_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Rolled:
    """Progress of the rollups: days before ``before`` (None: none yet) except ``late`` ones; likewise for each span."""

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
class ReadPlan:
    """Each part in order. What is read, less what is subtracted, is the whole range, each hour once."""

    spans: Mapping[Span, Sequence[ReadPart]]
    """Only spans with at least one part."""
    days: Sequence[ReadPart]
    hours: Sequence[ReadPart]
    """Of rolled up days: parts of them, or days in which a period begins."""
    live: Sequence[ReadPart]
    hours_off: Sequence[ReadPart] = ()
    """Of rolled up days: what is subtracted."""
    live_off: Sequence[ReadPart] = ()


class RollupRead(NamedTuple):
    """Ranges of one rollup, or of the stored hours. ``name``: prefix of their parameters in the statement."""

    name: str
    parts: Sequence[ReadPart]
    rollup: str = ""
    has_property: bool = True
    is_off: bool = False


@dataclass(frozen=True, slots=True)
class ReadSource:
    """``by_day``: also for spans. None: no rollup keeps all dimensions apart, and the plan has no such part."""

    by_day: Rollup | None
    by_hour: Rollup | None
    plan: ReadPlan

    @property
    def rolled(self) -> Iterator[RollupRead]:
        plan, by_day, by_hour = self.plan, self.by_day, self.by_hour
        if by_day is not None:
            for span, parts in plan.spans.items():
                yield RollupRead(span, parts, by_day.name_by(span), by_day.has_property)
            if plan.days:
                yield RollupRead("day", plan.days, by_day.name, by_day.has_property)
        if by_hour is not None:
            if plan.hours:
                yield RollupRead("hour", plan.hours, by_hour.name, by_hour.has_property)
            if plan.hours_off:
                yield RollupRead(
                    "hour_off", plan.hours_off, by_hour.name, by_hour.has_property, is_off=True
                )

    @property
    def live(self) -> Iterator[RollupRead]:
        if self.plan.live:
            yield RollupRead("live", self.plan.live)
        if self.plan.live_off:
            yield RollupRead("live_off", self.plan.live_off, is_off=True)


def plan_of(
    periods: Sequence[datetime], to_at: datetime, rolled: Rolled, *, has_hours: bool = True
) -> ReadPlan:
    """
    *periods*: where each begins, the first with the range. *has_hours*: a rollup of hours suffices.

    A month of a zone that is three hours ahead of UTC, whose months are rolled up::

        the period          |<--------- month of the zone --------->|
        spans (+)                |<------------ month of UTC ----------->|
        hours_off (-)                                               |<-->|
        hours (+)           |<-->|
    """
    found: dict[Span | None, list[ReadPart]] = {size: [] for size in _SIZES}
    off, rest = list[ReadPart](), list[ReadPart]()
    pieces = list(pairwise([*periods, to_at]))
    for piece in pieces:
        counts_at = piece[0] if len(pieces) > 1 else None
        left = [piece]
        for size in _SIZES:
            for part in left.copy():
                for box in _candidate_spans(part, size, rolled):
                    over = _overhang(box, part)
                    off += [ReadPart(*each, counts_at) for each in over]
                    found[size].append(ReadPart(*box, counts_at if over else None))
                    left = _subtract(left, box)
        rest += [ReadPart(*part) for part in _days_in(left)]
    days = found.pop(None)
    hours = [part for part in rest if has_hours and rolled.has(part.start.date())]
    live = [part for part in rest if not (has_hours and rolled.has(part.start.date()))]
    return ReadPlan(
        {span: _joined(parts) for span, parts in found.items() if span and parts},
        _joined(days),
        _joined(hours),
        _joined(live),
        off if has_hours else (),
        () if has_hours else off,
    )


def source_of(
    question: ReportSpec, needed: Collection[Dimension], periods: Sequence[datetime], rolled: Rolled
) -> ReadSource:
    """The rollups that keep *needed* apart with the fewest rows, and the plan of what is read from which."""
    by_day = find_rollup(needed, is_hourly=False)
    by_hour = find_rollup(needed, is_hourly=True)
    done = rolled if by_day else Rolled(None)
    plan = plan_of(periods, question.to_at, done, has_hours=by_hour is not None)
    return ReadSource(by_day, by_hour, plan)


_START = itemgetter(0)
_SIZES: tuple[Span | None, ...] = (*Span, None)
"""The largest first; None: days."""


def _candidate_spans(part: Range, size: Span | None, rolled: Rolled) -> list[Range]:
    """The months, weeks or days that overlap *part* and may be read rolled up for it."""
    found = []
    start, end = part
    first = size.first_of(start.date()) if size else start.date()
    while _midnight(first) < end:
        after = size.after(first) if size else first + DAY
        box = (_midnight(first), _midnight(after))
        has_box = rolled.has_span(size, first) if size else rolled.has(first)
        if has_box and sum((b - a for a, b in _overhang(box, part)), timedelta()) <= _LEFT_OUT:
            found.append(box)
        first = after
    return found


def _overhang(box: Range, part: Range) -> list[Range]:
    """What *box* has beyond *part*, which it overlaps."""
    before, behind = (box[0], part[0]), (part[1], box[1])
    return [each for each in (before, behind) if each[0] < each[1]]


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


def _subtract(ranges: Sequence[Range], box: Range) -> list[Range]:
    """*ranges* without *box*."""
    left = []
    for start, end in ranges:
        left += [(start, min(end, box[0])), (max(start, box[1]), end)]
    return [part for part in left if part[0] < part[1]]


def _joined(parts: Sequence[ReadPart]) -> list[ReadPart]:
    """In order, with adjacent ones merged."""
    found = list[ReadPart]()
    for part in sorted(parts, key=_START):
        last = found[-1] if found else None
        if last and last.end == part.start and last.counts_at is part.counts_at is None:
            found[-1] = ReadPart(last.start, part.end)
        else:
            found.append(part)
    return found


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
