"""The data of a chart, as `static/charts.js` draws it; a table next to it shows the same figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from control.dashboard.page_request import PageRequest
from control.dashboard.reports.load_report import LoadedReport, Row, key_of
from control.dashboard.reports.metrics import Value
from control.dashboard.reports.params import ReportParams
from control.dashboard.reports.values import label_of, translate
from control.reporting.reports.metrics import Metric, Unit
from control.reporting.reports.vocabulary import Granularity

_MAX_LINES = 6
_BEFORE = "Previous period"


@dataclass(frozen=True, slots=True)
class Series:
    """A value a period; None: unknown. ``is_before``: drawn behind the others."""

    label: str
    values: tuple[Value, ...]
    is_before: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    unit: Unit
    periods: tuple[str, ...]
    series: tuple[Series, ...]
    granularity: Granularity
    timezone: str
    currency: str

    @property
    def points(self) -> tuple[float, ...]:
        """The first series, for a drawing without a script."""
        return tuple(float(value or 0) for value in self.series[0].values)

    @property
    def data(self) -> Mapping[str, Any]:
        """For the script: seconds since 1970, and values as displayed: money in whole units."""
        by = 100 if self.unit is Unit.CENTS else 1
        return {
            "x": [int(datetime.fromisoformat(period).timestamp()) for period in self.periods],
            "series": [
                {
                    "label": one.label,
                    "values": [None if value is None else value / by for value in one.values],
                    "before": one.is_before,
                }
                for one in self.series
            ],
            "unit": self.unit,
            "granularity": self.granularity,
            "timezone": self.timezone,
            "currency": self.currency,
        }


def chart_of(view: PageRequest, params: ReportParams, found: LoadedReport) -> Chart | None:
    """None for a single period, or the whole range: there is no line to draw."""
    if len(found.periods) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    rows = [line.row for line in found.lines]
    series = (
        _parts(view, params, found, rows) if params.group_by else _whole(view, params.shown, found)
    )
    if not series:
        return None
    return Chart(
        title=translate(view, params.shown.label),
        unit=params.shown.unit,
        periods=found.periods,
        series=series,
        granularity=params.period,
        timezone=params.zone.key,
        currency=found.answer["currency"],
    )


def _whole(view: PageRequest, metric: Metric, found: LoadedReport) -> tuple[Series, ...]:
    now = Series(translate(view, metric.label), tuple(line.row[metric] for line in found.lines))
    if found.before is None:
        return (now,)
    rows = (found.before.get((number,)) for number in range(len(found.periods)))
    then = tuple(metric.without_events if row is None else row[metric] for row in rows)
    return now, Series(translate(view, _BEFORE), then, is_before=True)


def _parts(
    view: PageRequest, params: ReportParams, found: LoadedReport, rows: Sequence[Row]
) -> tuple[Series, ...]:
    """The parts with the largest values of the figure. Several parts may have one label, such as slots of one name."""
    metric = params.shown
    values: dict[tuple[Any, ...], dict[int, Value]] = {}
    labels: dict[tuple[Any, ...], str] = {}
    for row in rows:
        number, *split = key_of(params, row, found.periods)
        part = tuple(split)
        values.setdefault(part, {})[number] = row[metric]
        labels[part] = " · ".join(label_of(view, each, row) for each in params.group_by)
    largest = sorted(values, key=lambda part: -sum(one or 0 for one in values[part].values()))
    return tuple(
        Series(
            labels[part],
            tuple(
                values[part].get(number, metric.without_events)
                for number in range(len(found.periods))
            ),
        )
        for part in largest[:_MAX_LINES]
    )
