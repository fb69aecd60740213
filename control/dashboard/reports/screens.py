"""Reports: chosen figures of chosen days, split as requested, as a chart, a table and a file."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

from common.values.countries import COUNTRIES
from common.values.enums import DeviceType, Format, Source, Surface
from common.values.errors import ApiError, ErrorCode
from control.dashboard.embed_sessions.components import Component
from control.dashboard.page import PageRoute, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import Offer, offer
from control.dashboard.pickers.queries import PROPERTY
from control.dashboard.reports import export_pages, funnel, hours, saved_views
from control.dashboard.reports.chart import chart_of
from control.dashboard.reports.filters import Filter, filters_of
from control.dashboard.reports.load_report import MAX_OVER_TIME, MAX_PARTS, LoadedReport, read
from control.dashboard.reports.metrics import ALL_OF, DIMENSIONS, GRANULARITIES, HELP
from control.dashboard.reports.params import ReportParams, parse_params
from control.dashboard.reports.presets import PRESETS
from control.dashboard.reports.ranges import LABELS, is_running
from control.dashboard.reports.values import label_of, translate, value_label
from control.dashboard.targeting.typed_names import area_text, list_countries
from control.reporting.exports import operations as exports
from control.reporting.reports import endpoints
from control.reporting.reports.metrics import METRICS
from control.reporting.reports.vocabulary import Dimension
from control.reporting.views import operations as view_operations

_CHOICES: tuple[tuple[Dimension, tuple[str, ...]], ...] = (
    (Dimension.DEVICE, tuple(DeviceType)),
    (Dimension.FORMAT, tuple(Format)),
    (Dimension.SOURCE, tuple(Source)),
    (Dimension.SURFACE, tuple(Surface)),
)


async def show(view: PageRequest) -> Result:
    params = parse_params(view)
    (found, error), sites, views = await asyncio.gather(
        _read(view, params), sites_of(view, params), saved_views.read(view)
    )
    view.error = view.error or error  # also shown at its field
    filters = await filters_of(view, params, is_found=found is not None)
    return Rendered(
        "reports/report.html",
        {
            "params": params,
            "found": found,
            "refusal": error,
            "chart": chart_of(view, params, found) if found else None,
            "lines": _lines(view, params, found) if found else [],
            "running": is_running(params.days, params.zone, view.now),
            "filters": filters,
            "trail": _trail(view, params, filters),
            "views": views,
            "presets": PRESETS,
            "choices": _choices(view),
            "countries": _countries(view, params),
            "sites": sites,
            "figures": METRICS,
            "help": HELP,
            "dimensions": DIMENSIONS,
            "granularities": GRANULARITIES,
            "ranges": LABELS,
            "most": MAX_OVER_TIME if found and found.periods else MAX_PARTS,
            "may_export": view.can(exports.CREATE.id),
        },
        status=200 if error is None else error.status,
    )


async def _read(
    view: PageRequest, params: ReportParams
) -> tuple[LoadedReport | None, ApiError | None]:
    """The report, or the validation error of its parameters."""
    try:
        return await read(view, params), None
    except ApiError as error:
        if error.code is not ErrorCode.VALIDATION_FAILED:
            raise
        return None, error


async def export(view: PageRequest) -> Result:
    return await export_pages.start_report(view, parse_params(view))


def _lines(view: PageRequest, params: ReportParams, found: LoadedReport) -> list[Mapping[str, Any]]:
    """Rows as displayed: names with links, and figures. Links are cached, because parts recur in every period."""
    into = cache(partial(_into, view, params))
    return [
        {
            "period": line.period,
            "names": [
                (label_of(view, each, line.row), into(each, line.row[each.column]))
                for each in params.group_by
            ],
            "cells": line.cells,
        }
        for line in found.lines
    ]


def _into(
    view: PageRequest, params: ReportParams, each: Dimension, value: str | None
) -> str | None:
    """The address of a report of this part alone."""
    if value is None:
        return None
    return view.url("report", **params.within(each, value).query)


def _trail(
    view: PageRequest, params: ReportParams, filters: Sequence[Filter]
) -> list[tuple[str, str]]:
    """The reports through which clicks on rows led here, widest first: label and address."""
    words = {one.name: one.words for one in filters}
    steps: list[tuple[str, str]] = []
    here = params
    while (wider := here.widened()) is not None:
        (dimension,) = wider.group_by
        steps.insert(0, (words[dimension.column], view.url("report", **here.query)))
        here = wider
    if steps:
        label = translate(view, ALL_OF[here.group_by[0]])
        steps.insert(0, (label, view.url("report", **here.query)))
    return steps


def _choices(view: PageRequest) -> Sequence[tuple[str, str, list[tuple[str, str]]]]:
    return [
        (each.column, DIMENSIONS[each], [(one, value_label(view, each, one)) for one in values])
        for each, values in _CHOICES
    ]


def _countries(view: PageRequest, params: ReportParams) -> dict[str, Any]:
    """``chosen``: as people type them; ``known``: names to choose from."""
    locale = view.user_locale.locale
    chosen = params.filters.get(Dimension.COUNTRY.column, ())
    return {
        "chosen": ", ".join(
            area_text(locale, one, None) if one in COUNTRIES else one for one in chosen
        ),
        "known": [name for name, _ in list_countries(locale)],
    }


async def sites_of(view: PageRequest, params: ReportParams) -> Offer | None:
    """The properties to choose from; None where there is no choice, or the user may not list them."""
    chosen = params.filters.get("property_id") or ()
    found = await offer(view, PROPERTY, "property_id", chosen=chosen)
    return found if len(found.choices) > 1 or found.is_searched else None


_EMBEDDED = frozenset({Component.REPORT_OVERVIEW})

SCREENS = (
    PageRoute(
        "report",
        "/reports",
        show,
        {"export": export, "save_view": saved_views.save, "update_view": saved_views.update},
        components=_EMBEDDED,
        needs=endpoints.GET_DELIVERY_REPORT,
    ),
    PageRoute("report_funnel", "/reports/funnel", funnel.show, needs=endpoints.GET_DELIVERY_REPORT),
    PageRoute("report_hours", "/reports/hours", hours.show, needs=endpoints.GET_HOURS_REPORT),
    PageRoute(
        "report_views",
        "/reports/views",
        saved_views.show_list,
        {"rename": saved_views.rename, "share": saved_views.share, "delete": saved_views.delete},
        needs=view_operations.LIST,
    ),
    PageRoute(
        "export_list",
        "/reports/exports",
        export_pages.show_list,
        components=_EMBEDDED,
        needs=exports.LIST,
    ),
    PageRoute(
        "export",
        "/reports/exports/<id:str>",
        export_pages.show,
        {"delete": export_pages.delete},
        components=_EMBEDDED,
        needs=exports.GET,
    ),
)
