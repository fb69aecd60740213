"""The filters of a report as its pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from control.dashboard.page_request import PageRequest
from control.dashboard.queries import read_names
from control.dashboard.reports.metrics import DIMENSIONS
from control.dashboard.reports.params import ReportParams
from control.dashboard.reports.values import value_label
from control.reporting.reports.vocabulary import Dimension


@dataclass(frozen=True, slots=True)
class FilterValue:
    """``words``: translated. ``without``: the address of the page without this value."""

    value: str
    words: str
    without: str


@dataclass(frozen=True, slots=True)
class Filter:
    """``name``: of the API. ``label``: English, also in the catalogues."""

    name: str
    label: str
    values: Sequence[FilterValue]

    @property
    def words(self) -> str:
        return ", ".join(one.words for one in self.values)


async def filters_of(
    view: PageRequest, params: ReportParams, *, is_found: bool, **shared: str
) -> Sequence[Filter]:
    """
    The filters of the page with their values. *is_found*: the API accepted the filters, so that objects have names.
    *shared*: parameters of the page's address beside those of *params*.
    """
    ids = [one for name, values in params.filters.items() if name.endswith("_id") for one in values]
    names = await read_names(view, ids) if is_found else {}
    shown = []
    for name, values in params.filters.items():
        each = next(one for one in Dimension if one.column == name)
        found = [
            FilterValue(
                value,
                names.get(value) or _short(view, each, value),
                view.url(view.screen.name, **params.without(name, value).query, **shared),
            )
            for value in values
        ]
        shown.append(Filter(name, DIMENSIONS[each], found))
    return shown


def _short(view: PageRequest, each: Dimension, value: str) -> str:
    """For an id its end, where ids differ."""
    return f"…{value[-6:]}" if each.column.endswith("_id") else value_label(view, each, value)
