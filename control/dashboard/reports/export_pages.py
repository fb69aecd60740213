"""Exports of figures or events: create, follow, download, delete."""

from collections.abc import Mapping
from typing import Any

from control.dashboard.page import Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest, environment_shown
from control.dashboard.pager import pager_of
from control.dashboard.reports.metrics import DIMENSIONS, GRANULARITIES
from control.dashboard.reports.params import ReportParams
from control.dashboard.reports.ranges import bounds_of
from control.dashboard.reports.values import translate
from control.reporting.exports import operations
from control.reporting.exports.queries import wanted_exports
from control.reporting.exports.schemas import ExportFormat, ExportStatus
from control.reporting.reports.metrics import METRICS
from control.reporting.reports.vocabulary import Dimension

FORMATS: dict[ExportFormat, str] = {
    ExportFormat.CSV: "CSV, for spreadsheets",
    ExportFormat.NDJSON: "NDJSON, a JSON object a line",
    ExportFormat.PARQUET: "Parquet, for data tools",
}
STATUSES: dict[ExportStatus, tuple[str, str]] = {
    ExportStatus.QUEUED: ("Queued", "quiet"),
    ExportStatus.RUNNING: ("Running", "warn"),
    ExportStatus.READY: ("Ready", "good"),
    ExportStatus.FAILED: ("Failed", "bad"),
    ExportStatus.EXPIRED: ("Deleted", "quiet"),
}
KINDS = {"report": "Report", "events": "Events"}
_UNFINISHED = frozenset({ExportStatus.QUEUED, ExportStatus.RUNNING})


async def start_report(view: PageRequest, params: ReportParams) -> Result:
    since, until = bounds_of(params.days, params.zone, view.now)
    filters = {name: list(values) for name, values in params.filters.items()}
    if Dimension.FORMAT.column in filters:
        filters["ad_format"] = filters.pop(Dimension.FORMAT.column)
    return await start(
        view,
        {
            "kind": "report",
            "from": since,
            "to": until,
            "tz": params.zone.key,
            "granularity": params.period,
            "group_by": list(params.group_by),
            "metrics": list(params.metrics),
            **filters,
        },
    )


async def start(view: PageRequest, question: Mapping[str, Any]) -> Result:
    """Creates an export, in the format that the form names, and redirects to its page. Raises `ApiError`."""
    body = {**question, "format": view.form_field("file_format", ExportFormat.CSV)}
    made = await view.call(operations.CREATE, body=body)
    return Redirected(view.url("export", id=made["id"]))


async def show_list(view: PageRequest) -> Result:
    query = {"cursor": view.query_param("cursor"), "limit": 20}
    page = await view.call(operations.LIST, query=query)
    wanted = wanted_exports(
        view.caller, environment_shown(view), view.list_query(operations.LIST, {})
    )
    return Rendered(
        "reports/exports.html",
        {
            "exports": page["data"],
            "pager": await pager_of(view, operations.LIST, {}, page, wanted),
            "is_making": any(one["status"] in _UNFINISHED for one in page["data"]),
            "statuses": STATUSES,
            "formats": FORMATS,
            "kinds": KINDS,
        },
    )


async def show(view: PageRequest) -> Result:
    found = await view.call(operations.GET, path=view.path)
    return Rendered(
        "reports/export.html",
        {
            "export": found,
            "is_making": found["status"] in _UNFINISHED,
            "statuses": STATUSES,
            "formats": FORMATS,
            "kinds": KINDS,
            "contents": _contents(view, found["question"]),
        },
    )


async def delete(view: PageRequest) -> Result:
    await view.call(operations.DELETE, path=view.path)
    return Redirected(view.url("export_list"), flash="export_deleted")


def _contents(view: PageRequest, question: Mapping[str, Any]) -> Mapping[str, str]:
    """The contents of a report's file, in words; empty for events."""
    granularity = question.get("granularity")
    return {
        "Period": translate(view, GRANULARITIES.get(granularity, "")) if granularity else "",
        "Group by": ", ".join(
            translate(view, DIMENSIONS[one]) for one in question.get("group_by", ())
        ),
        "Metrics": ", ".join(
            translate(view, METRICS[one].label) for one in question.get("metrics", ())
        ),
    }
