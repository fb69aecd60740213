"""The heat map: one metric by hour of the week."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babel import Locale

from common.values.errors import ApiError, ErrorCode
from control.dashboard.page import Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.queries import CAMPAIGN, PROPERTY
from control.dashboard.reports.filters import filters_of
from control.dashboard.reports.funnel import offered, without_chip
from control.dashboard.reports.metrics import HELP, Value
from control.dashboard.reports.params import USUAL_OF_HOURS, ReportParams, parse_params
from control.dashboard.reports.ranges import LABELS, bounds_of
from control.reporting.reports import endpoints
from control.reporting.reports.metrics import METRICS, Metric
from control.reporting.reports.vocabulary import Dimension, NamedRange

_HOURS = range(24)
_SHADES = 6
RANGES = (
    NamedRange.WEEK,
    NamedRange.FOUR_WEEKS,
    NamedRange.MONTH,
    NamedRange.LAST_MONTH,
)
"""Those of at most 31 days, and of more than one weekday."""


@dataclass(frozen=True, slots=True)
class HourCell:
    """``shade``: 0 where there is nothing, then 1 to `_SHADES` by the value's share of the largest."""

    hour: int
    value: Value
    shade: int


@dataclass(frozen=True, slots=True)
class HourRow:
    """A weekday: its name in the user's language, short and long."""

    short: str
    name: str
    cells: Sequence[HourCell]


async def show(view: PageRequest) -> Result:
    params = parse_params(view, usual=USUAL_OF_HOURS)
    metric = METRICS.get(view.query_param("metric"), Metric.IMPRESSIONS)
    (found, error), sites, campaigns = await asyncio.gather(
        _read(view, params, metric),
        offered(view, params, PROPERTY, Dimension.PROPERTY),
        offered(view, params, CAMPAIGN, Dimension.CAMPAIGN),
    )
    filters = await filters_of(view, params, is_found=found is not None, metric=metric)
    return Rendered(
        "reports/hours.html",
        {
            "params": params,
            "metric": metric,
            "found": found,
            "rows": rows_of(found["data"], metric, view.user_locale.locale) if found else [],
            "hours": _HOURS,
            "refusal": error,
            "sites": sites,
            "campaigns": campaigns,
            "filters": filters,
            "kept": without_chip(filters, sites, campaigns),
            "figures": METRICS,
            "ranges": {name: LABELS[name] for name in RANGES},
            "help": HELP,
        },
        status=200 if error is None else error.status,
    )


async def _read(
    view: PageRequest, params: ReportParams, metric: Metric
) -> tuple[Mapping[str, Any] | None, ApiError | None]:
    since, until = bounds_of(params.days, params.zone, view.now)
    query = {
        "from": since,
        "to": until,
        "tz": params.zone.key,
        "metrics": metric,
        **{name: ",".join(values) for name, values in params.filters.items()},
    }
    try:
        return await view.call(endpoints.GET_HOURS_REPORT, query=query), None
    except ApiError as error:
        if error.code is not ErrorCode.VALIDATION_FAILED:
            raise
        return None, error


def rows_of(data: Sequence[Mapping[str, Any]], metric: Metric, locale: Locale) -> list[HourRow]:
    """*data*: rows of the API. Every hour of the week, in the order of the locale's week."""
    known = {(row["weekday"], row["hour"]): row[metric] for row in data}
    most = max((value for value in known.values() if value), default=0)
    first = locale.first_week_day + 1
    days = [(first - 1 + number) % 7 + 1 for number in range(7)]
    names, shorts = locale.days["format"]["wide"], locale.days["format"]["abbreviated"]
    return [
        HourRow(
            shorts[day - 1],
            names[day - 1],
            [_cell(hour, known.get((day, hour), metric.without_events), most) for hour in _HOURS],
        )
        for day in days
    ]


def _cell(hour: int, value: Value, most: float) -> HourCell:
    if not value or value < 0:
        return HourCell(hour, value, 0)
    return HourCell(hour, value, max(1, round(_SHADES * value / most)))
