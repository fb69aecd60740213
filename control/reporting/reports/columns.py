"""Query results by column: a report has thousands of rows, but few distinct values in each column."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from control.reporting.reports.metrics import Sum, figures_of
from control.reporting.reports.report_query import ReportSpec
from control.reporting.reports.vocabulary import Dimension, Granularity

Column = list[Any]


class HourOfWeek(NamedTuple):
    """``weekday``: 1 is Monday, 7 is Sunday. ``hour``: 0 to 23."""

    weekday: int
    hour: int


@dataclass(frozen=True, slots=True)
class ReportGroups:
    """
    Groups with their sums, in order. Each group has the start of its period, its dimensions' values and its sums.

    Values are text; None: not known, or not applicable. Sums that could not be read are missing.
    """

    size: int
    periods: Sequence[datetime]
    values: Mapping[Dimension, Column]
    sums: Mapping[Sum, Sequence[int]]

    def totals(self) -> dict[Sum, int]:
        return {name: sum(column) for name, column in self.sums.items()}

    def shown(self, question: ReportSpec) -> dict[str, Column]:
        """The fields of rows as on the wire, except for names; ``period`` as a datetime."""
        fields: dict[str, Column] = {}
        if question.granularity is not Granularity.TOTAL:
            fields["period"] = list(self.periods)
        for each, column in self.values.items():
            fields[each.column] = _codes(column) if each is Dimension.COUNTRY else column
        for metric in question.metrics:
            fields[metric.value] = figures_of(metric, self.sums, self.size)
        return fields


def by_hour_of_week(groups: ReportGroups, timezone: str) -> Mapping[HourOfWeek, dict[Sum, int]]:
    """
    The sums of *groups*, which are hours without dimensions, by the hours of a week in *timezone*; in order.

    In a zone off the full hour, an hour of UTC belongs to the local hour that begins in it, as for days (`start_of`).
    """
    zone = ZoneInfo(timezone)
    added: dict[HourOfWeek, dict[Sum, int]] = {}
    for number, at in enumerate(groups.periods):
        local = at.astimezone(zone)
        if local.minute:
            local = (at + timedelta(minutes=60 - local.minute)).astimezone(zone)
        sums = added.setdefault(
            HourOfWeek(local.isoweekday(), local.hour), dict.fromkeys(groups.sums, 0)
        )
        for name, column in groups.sums.items():
            sums[name] += column[number]
    return dict(sorted(added.items()))


def found_in(
    rows: Sequence[Sequence[Any]],
    periods: Sequence[datetime],
    group_by: Sequence[Dimension],
    sums: Sequence[Sum],
) -> ReportGroups:
    """*rows*: each has the number of its period from 1, a value for each of *group_by*, then each of *sums*."""
    width = 1 + len(group_by) + len(sums)
    numbers, *others = zip(*rows, strict=True) if rows else [()] * width
    return ReportGroups(
        len(rows),
        [periods[number - 1] for number in numbers],
        {each: _texts(column) for each, column in zip(group_by, others, strict=False)},
        dict(zip(sums, others[len(group_by) :], strict=True)),
    )


def _texts(column: Iterable[Any]) -> Column:
    """An empty text means unknown. Each distinct value is converted once, however many rows have it."""
    written = {value: str(value) if value else None for value in set(column)}
    return [written[value] for value in column]


def _codes(column: Column) -> Column:
    """Countries as ISO 3166-1 writes them; they are stored in lower case."""
    return [value and value.upper() for value in column]
