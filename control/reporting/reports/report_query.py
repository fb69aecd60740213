"""The query and the result of a report, shared by the endpoint and exports."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from common.values.environment import Environment
from control.reporting.reports.metrics import USUAL_METRICS, Metric
from control.reporting.reports.vocabulary import Dimension, Granularity


@dataclass(frozen=True, slots=True)
class ReportScope:
    """Whose figures to read. ``property_id``: an integration key's own; None: all of the account's."""

    account_id: str
    environment: Environment
    property_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReportSpec:
    """
    ``from_at`` and ``to_at``: half open, on full hours of UTC; `control.reporting.reports.rules` ensures that.

    ``filters``: a dimension's values, one of which must match; an empty text means unknown.
    """

    from_at: datetime
    to_at: datetime
    timezone: str = "UTC"
    granularity: Granularity = Granularity.TOTAL
    group_by: tuple[Dimension, ...] = ()
    metrics: tuple[Metric, ...] = USUAL_METRICS
    filters: Mapping[Dimension, Sequence[str]] = field(default_factory=dict)
    order: "ReportOrder | None" = None
    """None: by period, then by group."""
    most: int | None = None
    """The maximum number of rows, in their order; the totals cover all rows."""


@dataclass(frozen=True, slots=True)
class ReportOrder:
    """Sorts rows by a figure; rows without it come last."""

    metric: Metric
    is_descending: bool


@dataclass(frozen=True, slots=True)
class Report:
    """
    ``columns``: the fields of `columns_of` in that order, each with its values of all rows.

    Values are as on the wire, except ``period``, which is an aware datetime. ``totals``: the metrics over all rows,
    rounded anew.
    """

    columns: dict[str, list[Any]]
    totals: dict[str, Any]
    as_of: datetime | None
    """When the newest record that can be in the figures was stored; None before the first."""
    complete_through: datetime | None
    """Every event up to this instant is in the figures; None before any edge reported."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.cells]

    @property
    def cells(self) -> Iterator[tuple[Any, ...]]:
        """Row by row, the values in the order of the columns."""
        return zip(*self.columns.values(), strict=True)


def columns_of(question: ReportSpec) -> list[str]:
    """The fields of each row, in their order."""
    period = [] if question.granularity is Granularity.TOTAL else ["period"]
    groups = [name for each in question.group_by for name in group_fields(each)]
    return [*period, *groups, *question.metrics]


def group_fields(dimension: Dimension) -> tuple[str, ...]:
    """The fields of a row: id and name where the dimension has names, else the value."""
    if dimension.column == dimension.value:
        return (dimension.value,)
    return dimension.column, f"{dimension.value}_name"
