"""
Which part of a range is read from rolled days and which from the hours themselves. Pure.

A day of UTC may be read rolled up where the rolling is done with it, nothing came late to it since, and no period of
the report begins inside it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from control.reports.periods import DAY
from control.reports.question import Question
from control.reports.rollups import Rollup, find_rollup
from control.reports.vocabulary import Dimension

_MOST_LIVE = timedelta(days=4)

Range = tuple[datetime, datetime]
"""Half open."""


@dataclass(frozen=True, slots=True)
class Rolled:
    """How far the rolling is: days before ``before`` (None: none yet), but for ``late`` ones, and so for months."""

    before: date | None
    late: frozenset[date] = frozenset()
    months_before: date | None = None

    def has(self, day: date) -> bool:
        return self.before is not None and day < self.before and day not in self.late

    def has_month(self, month: date) -> bool:
        if self.months_before is None or month >= self.months_before:
            return False
        return not any(day.replace(day=1) == month for day in self.late)


@dataclass(frozen=True, slots=True)
class Plan:
    """Each in order and apart; together the whole range."""

    months: tuple[Range, ...]
    days: tuple[Range, ...]
    """Of a rollup of hours: those."""
    live: tuple[Range, ...]


def plan_of(
    from_at: datetime, to_at: datetime, rolled: Rolled, cuts: Collection[datetime] | None
) -> Plan:
    """*cuts*: instants at which a period begins. None: the rolled rows are of hours, so a day may be cut anywhere."""
    parts: tuple[list[Range], list[Range], list[Range]] = ([], [], [])
    months, days, live = parts
    at = from_at
    while at < to_at:
        month, day = _month_from(at), (at, _midnight(at.date()) + DAY)
        if month and month[1] <= to_at and _uncut(month, cuts) and rolled.has_month(at.date()):
            _extend(months, *month)
            at = month[1]
            continue
        part = (at, min(day[1], to_at))
        is_whole = cuts is None or (part[1] - part[0] == DAY and _uncut(part, cuts))
        _extend(days if is_whole and rolled.has(at.date()) else live, *part)
        at = part[1]
    return Plan(tuple(months), tuple(days), tuple(live))


def _month_from(at: datetime) -> Range | None:
    """The month of UTC that begins at *at*."""
    if at.day != 1 or at != _midnight(at.date()):
        return None
    return at, (at + 31 * DAY).replace(day=1)


def _uncut(part: Range, cuts: Collection[datetime] | None) -> bool:
    return cuts is not None and not any(part[0] < cut < part[1] for cut in cuts)


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


def _extend(ranges: list[Range], start: datetime, end: datetime) -> None:
    if ranges and ranges[-1][1] == start:
        ranges[-1] = (ranges[-1][0], end)
    else:
        ranges.append((start, end))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
