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
    """How far the rolling is: all days before ``before`` (None: none yet), but for those of ``late``."""

    before: date | None
    late: frozenset[date] = frozenset()

    def has(self, day: date) -> bool:
        return self.before is not None and day < self.before and day not in self.late


@dataclass(frozen=True, slots=True)
class Plan:
    rolled: tuple[Range, ...]
    live: tuple[Range, ...]
    """Both in order and apart; together the whole range."""


def plan_of(
    from_at: datetime, to_at: datetime, rolled: Rolled, cuts: Collection[datetime] | None
) -> Plan:
    """*cuts*: instants at which a period begins. None: the rolled rows are of hours, so a day may be cut anywhere."""
    cut_days = {cut.date() for cut in cuts or () if cut != _midnight(cut.date())}
    done: list[Range] = []
    rest: list[Range] = []
    at = from_at
    while at < to_at:
        day = at.date()
        until = min(_midnight(day) + DAY, to_at)
        is_uncut = cuts is None or (until - at == DAY and day not in cut_days)
        _extend(done if is_uncut and rolled.has(day) else rest, at, until)
        at = until
    return Plan(tuple(done), tuple(rest))


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
