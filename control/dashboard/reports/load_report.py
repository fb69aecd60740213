"""
A report for people: the API's rows, limited to a readable number, next to those of the period before.

Split over the whole range: the largest parts. Split by period: the largest parts of the range, by period. Without a
split: every period, also those without events.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.values.clock import to_iso
from control.dashboard.page_request import PageRequest
from control.dashboard.reports.metrics import Change, Figure, Value, change_of
from control.dashboard.reports.params import ReportParams
from control.dashboard.reports.ranges import bounds_before, bounds_of
from control.reporting.reports import endpoints
from control.reporting.reports.metrics import OF_DECISIONS, Metric
from control.reporting.reports.periods import periods_of
from control.reporting.reports.vocabulary import NOT_OF_DECISIONS, Granularity

MAX_PARTS = 50
"""Rows of a split."""
MAX_OVER_TIME = 8
"""Parts that are shown by period."""
_MAX_ROWS = 1000

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    figure: Metric | Figure
    value: Value
    change: Change | None


@dataclass(frozen=True, slots=True)
class DisplayedRow:
    """``period``: its start, as the API writes times; None in a total."""

    row: Row
    period: str | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class LoadedReport:
    """``periods``: all of the range, also those without a row. ``is_cut``: there are more rows than lines."""

    answer: Row
    lines: tuple[DisplayedRow, ...]
    totals: tuple[Cell, ...]
    periods: tuple[str, ...]
    before: Mapping[Any, Row] | None
    """Rows of the period before, by `key_of`."""
    is_cut: bool


async def read(view: PageRequest, params: ReportParams) -> LoadedReport:
    """Raises `ApiError` as the report does."""
    narrowed, is_cut, totals = await _narrowed(view, params)
    answer, (before, totals_before) = await asyncio.gather(
        _fetch(view, params, bounds_of(params.days, params.zone, view.now), narrowed),
        _before(view, params, narrowed),
    )
    periods = _periods(answer, params.period)
    rows = answer["data"]
    if params.group_by and params.period is Granularity.TOTAL:
        is_cut, rows = len(rows) > MAX_PARTS, rows[:MAX_PARTS]
    if not params.group_by and params.period is not Granularity.TOTAL:
        rows = _filled(params, rows, periods)
    lines = tuple(_line(params, row, periods, before) for row in rows[:_MAX_ROWS])
    total_cells = _cells(params, totals or answer["totals"], totals_before)
    is_cut = is_cut or len(rows) > _MAX_ROWS
    return LoadedReport(answer, lines, total_cells, periods, before, is_cut)


def key_of(params: ReportParams, row: Row, periods: Sequence[str]) -> tuple[Any, ...]:
    """The same for a row and its counterpart in the period before: the number of the period, and the split values."""
    number = periods.index(row["period"]) if row.get("period") in periods else 0
    return (number, *(row[each.column] for each in params.group_by))


async def _narrowed(
    view: PageRequest, params: ReportParams
) -> tuple[Mapping[str, str], bool, Row | None]:
    """By period only the largest parts are shown: returns their filter, whether there are more, and all totals."""
    if not params.group_by or params.period is Granularity.TOTAL:
        return {}, False, None
    first = params.group_by[0]
    bounds = bounds_of(params.days, params.zone, view.now)
    more = {
        "granularity": Granularity.TOTAL,
        "group_by": first,
        "limit": MAX_OVER_TIME + 1,
    }
    found = await _fetch(view, params, bounds, more)
    if len(found["data"]) <= MAX_OVER_TIME:
        return {}, False, found["totals"]
    largest = [row[first.column] for row in found["data"][:MAX_OVER_TIME]]
    kept = [value for value in largest if value is not None]
    return {first.column: ",".join(kept)}, True, found["totals"]


async def _fetch(
    view: PageRequest, params: ReportParams, bounds: tuple[str, str], more: Mapping[str, Any]
) -> dict[str, Any]:
    is_split = bool(params.group_by) and more.get("granularity", params.period) is Granularity.TOTAL
    found: dict[str, Any] = await view.call(
        endpoints.GET_DELIVERY_REPORT,
        query={
            "from": bounds[0],
            "to": bounds[1],
            "tz": params.zone.key,
            "granularity": params.period,
            "group_by": params.group_by,
            "metrics": params.metrics,
            "sort": f"-{params.shown}" if is_split and _can_sort(params) else None,
            "limit": MAX_PARTS + 1 if is_split else _MAX_ROWS + 1,
            **{name: ",".join(values) for name, values in params.filters.items()},
            **more,
        },
    )
    return found


def _can_sort(params: ReportParams) -> bool:
    names = {each.column for each in NOT_OF_DECISIONS}
    is_without = NOT_OF_DECISIONS & {*params.group_by} or names & {*params.filters}
    return not (is_without and OF_DECISIONS & {*params.shown.sums})


async def _before(
    view: PageRequest, params: ReportParams, narrowed: Mapping[str, str]
) -> tuple[Mapping[Any, Row] | None, Row | None]:
    """Rows by `key_of`, and their totals; None without a comparison."""
    if not params.compares:
        return None, None
    bounds = bounds_before(params.days, params.zone, view.now)
    answer = await _fetch(view, params, bounds, {**narrowed, "limit": _MAX_ROWS})
    periods = _periods(answer, params.period)
    rows = {key_of(params, row, periods): row for row in answer["data"]}
    totals = answer["totals"]
    if narrowed:
        whole = {"granularity": Granularity.TOTAL, "group_by": "", "limit": 1, "sort": None}
        totals = (await _fetch(view, params, bounds, whole))["totals"]
    return rows, totals


def _line(
    params: ReportParams, row: Row, periods: Sequence[str], before: Mapping[Any, Row] | None
) -> DisplayedRow:
    then = None
    if before is not None:
        nothing = _nothing(params) if len(before) < _MAX_ROWS else None
        then = before.get(key_of(params, row, periods), nothing)
    return DisplayedRow(row, row.get("period"), _cells(params, row, then))


def _cells(params: ReportParams, row: Row, before: Row | None) -> tuple[Cell, ...]:
    return tuple(
        Cell(
            one,
            row[one],
            None if before is None else change_of(one, row[one], before[one]),
        )
        for one in params.metrics
    )


def _filled(params: ReportParams, rows: Sequence[Row], periods: Sequence[str]) -> list[Row]:
    known = {row["period"]: row for row in rows}
    return [known.get(period) or {"period": period, **_nothing(params)} for period in periods]


def _nothing(params: ReportParams) -> dict[str, Value]:
    """The figures of a part without events."""
    return {metric: metric.without_events for metric in params.metrics}


def _periods(answer: Row, granularity: Granularity) -> tuple[str, ...]:
    if granularity is Granularity.TOTAL:
        return ()
    start, end = (datetime.fromisoformat(answer[name]) for name in ("from_at", "to_at"))
    return tuple(to_iso(at) for at in periods_of(start, end, granularity, answer["tz"]))
