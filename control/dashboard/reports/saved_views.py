"""Saved views of reports: open, save, change, and the page that lists them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from control.dashboard.page import Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest, environment_shown
from control.dashboard.pager import pager_of
from control.dashboard.reports.params import USUAL, ReportParams, parse_params
from control.reporting.reports.vocabulary import Dimension
from control.reporting.views import operations
from control.reporting.views.queries import wanted_views

_MAX_VIEWS = 100
_MAY_CHANGE_ALL = frozenset({"owner", "admin"})


@dataclass(frozen=True, slots=True)
class SavedView:
    """``url``: of its report. ``may_change``: rename it, replace its report and delete it."""

    id: str
    name: str
    url: str
    is_shared: bool
    is_own: bool
    may_change: bool
    version: int
    question: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SavedViews:
    """``opened``: the view whose id is in the address; None: no view, or one that the user does not see."""

    listed: Sequence[SavedView]
    opened: SavedView | None
    has_more: bool


async def read(view: PageRequest) -> SavedViews | None:
    """None for a user who has no views: an embedded window."""
    if not view.page_exists("report_views"):
        return None
    page = await view.call(operations.LIST, query={"limit": _MAX_VIEWS})
    listed = [_saved(view, one) for one in page["data"]]
    opened = next((one for one in listed if one.id == view.query_param("view")), None)
    return SavedViews(listed, opened, page["has_more"])


async def show_list(view: PageRequest) -> Result:
    query = {"limit": 50, "cursor": view.query_param("cursor")}
    page = await view.call(operations.LIST, query=query)
    return Rendered(
        "reports/views.html",
        {
            "views": [_saved(view, one) for one in page["data"]],
            "pager": await pager_of(
                view,
                operations.LIST,
                {},
                page,
                wanted_views(view.caller, environment_shown(view)),
            ),
        },
    )


async def save(view: PageRequest) -> Result:
    """The report in the address, under the name in the form."""
    params = parse_params(view)
    body = {
        "name": view.form_field("name"),
        "is_shared": view.form_field("is_shared") == "on",
        "question": question_of(params),
    }
    made = await view.call(operations.CREATE, body=body)
    return Redirected(view.url("report", **params.query, view=made["id"]), flash="view_saved")


async def update(view: PageRequest) -> Result:
    """Replaces the report of a view by the one in the address."""
    params, id_ = parse_params(view), view.form_field("id")
    await _patch(view, {"question": question_of(params)})
    return Redirected(view.url("report", **params.query, view=id_), flash="view_changed")


async def rename(view: PageRequest) -> Result:
    await _patch(view, {"name": view.form_field("name")})
    return Redirected(view.url("report_views"), flash="view_changed")


async def share(view: PageRequest) -> Result:
    await _patch(view, {"is_shared": view.form_field("is_shared") == "on"})
    return Redirected(view.url("report_views"), flash="view_changed")


async def delete(view: PageRequest) -> Result:
    await view.call(operations.DELETE, path={"id": view.form_field("id")})
    return Redirected(view.url("report_views"), flash="view_deleted")


def question_of(params: ReportParams) -> dict[str, Any]:
    """The report as the API saves it. A named range is saved as such, so that the view moves on with the days."""
    days = params.days
    span = {"from": days.first.isoformat(), "to": days.last.isoformat()}
    return {
        **({"range": params.named} if params.named else span),
        "granularity": params.granularity,
        "group_by": list(params.group_by),
        "metrics": [] if params.metrics == USUAL else list(params.metrics),
        "chart": params.shown,
        "tz": params.zone.key,
        "compare": params.compares,
        **{name: list(values) for name, values in params.filters.items()},
    }


def _address_of(question: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the report's address."""
    plain = ("range", "from", "to", "granularity", "chart", "tz")
    listed = ("group_by", "metrics", *(each.column for each in Dimension))
    return {
        **{name: question.get(name) for name in plain},
        **{name: ",".join(question.get(name) or ()) for name in listed},
        "compare": "on" if question.get("compare") else None,
    }


def _saved(view: PageRequest, found: Mapping[str, Any]) -> SavedView:
    role = str(view.caller.role or "")
    return SavedView(
        id=found["id"],
        name=found["name"],
        url=view.url("report", **_address_of(found["question"]), view=found["id"]),
        is_shared=found["is_shared"],
        is_own=found["is_own"],
        may_change=found["is_own"] or role in _MAY_CHANGE_ALL,
        version=found["version"],
        question=found["question"],
    )


async def _patch(view: PageRequest, body: Mapping[str, Any]) -> None:
    """The form has the version that the user saw."""
    await view.call(
        operations.PATCH,
        path={"id": view.form_field("id")},
        body=body,
        version=view.form_version or 0,
    )
