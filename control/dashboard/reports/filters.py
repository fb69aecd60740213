"""The filters of a report as its pages show them."""

from collections.abc import Mapping, Sequence
from typing import Any

from control.dashboard.page_request import PageRequest
from control.dashboard.queries import read_names
from control.dashboard.reports.metrics import DIMENSIONS
from control.dashboard.reports.params import ReportParams
from control.dashboard.reports.values import value_label
from control.reporting.reports.vocabulary import Dimension


async def filters_of(
    view: PageRequest, params: ReportParams, *, is_found: bool, **shared: str
) -> Sequence[Mapping[str, Any]]:
    """
    Each filter with a link to this page without it. *is_found*: the API accepted the filters, so that objects have
    names. *shared*: parameters of the page's address beside those of *params*.
    """
    ids = [one for name, values in params.filters.items() if name.endswith("_id") for one in values]
    names = await read_names(view, ids) if is_found else {}
    shown = []
    for name, values in params.filters.items():
        each = next(one for one in Dimension if one.column == name)
        shown.append(
            {
                "label": DIMENSIONS[each],
                "name": name,
                "value": ",".join(values),
                "words": ", ".join(names.get(one) or _short(view, each, one) for one in values),
                "without": view.url(view.screen.name, **params.without(name).query, **shared),
            }
        )
    return shown


def _short(view: PageRequest, each: Dimension, value: str) -> str:
    """For an id its end, where ids differ."""
    return f"…{value[-6:]}" if each.column.endswith("_id") else value_label(view, each, value)
