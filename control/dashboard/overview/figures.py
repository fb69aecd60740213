"""The account's figures of a few days, compared with as many days before: tiles, charts, and the largest campaigns."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from control.dashboard.page_request import PageRequest
from control.dashboard.reports.chart import Chart, chart_of
from control.dashboard.reports.load_report import Cell, LoadedReport, read
from control.dashboard.reports.metrics import INVALID_SHARE, change_of, invalid_share
from control.dashboard.reports.params import ReportParams
from control.dashboard.reports.ranges import bounds_of, days_of
from control.reporting.reports import endpoints
from control.reporting.reports.metrics import Metric
from control.reporting.reports.vocabulary import Dimension, Granularity, NamedRange

RANGES = (NamedRange.TODAY, NamedRange.WEEK, NamedRange.FOUR_WEEKS)
_TOP = 5
_TOP_METRICS = (Metric.SPEND_CENTS, Metric.IMPRESSIONS, Metric.CLICKS, Metric.CTR)
_CHARTS = (Metric.IMPRESSIONS, Metric.SPEND_CENTS)
_READ = (
    Metric.SPEND_CENTS,
    Metric.IMPRESSIONS,
    Metric.CLICKS,
    Metric.CTR,
    Metric.FILL_RATE,
    Metric.INVALID_IMPRESSIONS,
    Metric.INVALID_CLICKS,
    Metric.REQUESTS,
)


@dataclass(frozen=True, slots=True)
class Overview:
    params: ReportParams
    tiles: tuple[Cell, ...]
    charts: tuple[Chart, ...]
    found: LoadedReport
    top: list[Mapping[str, Any]]


async def read_overview(view: PageRequest) -> Overview:
    """Raises `ApiError` as the report does."""
    params = _parse_params(view)
    found, top = await asyncio.gather(read(view, params), _top(view, params))
    charts = (chart_of(view, replace(params, shown=shown), found) for shown in _CHARTS)
    return Overview(
        params,
        _tiles(found),
        tuple(chart for chart in charts if chart is not None),
        found,
        top,
    )


def _parse_params(view: PageRequest) -> ReportParams:
    wanted = view.query_param("range")
    named = NamedRange(wanted) if wanted in RANGES else NamedRange.TODAY
    days = days_of(named, view.now.astimezone(view.timezone).date())
    return ReportParams(days=days, named=named, zone=view.timezone, metrics=_READ, compares=True)


def _tiles(found: LoadedReport) -> tuple[Cell, ...]:
    cells = {cell.figure: cell for cell in found.totals}
    shown = (cells[name] for name in _READ if name in (*_TOP_METRICS, Metric.FILL_RATE))
    now = invalid_share({name: cell.value for name, cell in cells.items()})
    before = invalid_share(
        {name: cell.change.before if cell.change else 0 for name, cell in cells.items()}
    )
    return (*shown, Cell(INVALID_SHARE, now, change_of(INVALID_SHARE, now, before)))


async def _top(view: PageRequest, params: ReportParams) -> list[Mapping[str, Any]]:
    """The top campaigns by spend, at most `_TOP` of them."""
    since, until = bounds_of(params.days, params.zone, view.now)
    answer = await view.call(
        endpoints.GET_DELIVERY_REPORT,
        query={
            "from": since,
            "to": until,
            "tz": params.zone.key,
            "granularity": Granularity.TOTAL,
            "group_by": Dimension.CAMPAIGN,
            "metrics": _TOP_METRICS,
            "sort": f"-{Metric.SPEND_CENTS}",
            "limit": _TOP + 1,
        },
    )
    return [row for row in answer["data"] if row["campaign_id"] is not None][:_TOP]
