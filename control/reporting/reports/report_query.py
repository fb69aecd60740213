"""What a report is asked for and what it answers, whoever asks: the endpoint, or an export."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from common.values.environment import Environment
from control.reporting.reports.vocabulary import USUAL_METRICS, Dimension, Granularity, Metric


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose figures. ``property_id``: an integration key's own; None: all of the account's."""

    account_id: str
    environment: Environment
    property_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReportSpec:
    """
    ``from_at`` and ``to_at``: half open, on full hours of UTC; `control.reporting.reports.rules` sees to that.

    ``filters``: a dimension's values of which one must be met; an empty text is what is not known.
    """

    from_at: datetime
    to_at: datetime
    timezone: str = "UTC"
    granularity: Granularity = Granularity.TOTAL
    group_by: tuple[Dimension, ...] = ()
    metrics: tuple[Metric, ...] = USUAL_METRICS
    filters: Mapping[Dimension, Sequence[str]] = field(default_factory=dict)
    order: "Order | None" = None
    """None: by period, then by what they are grouped by."""
    most: int | None = None
    """So many rows of those there are, in their order; the totals are of all."""


@dataclass(frozen=True, slots=True)
class Order:
    """Rows by a figure; those where it cannot be said come last."""

    metric: Metric
    is_descending: bool


@dataclass(frozen=True, slots=True)
class Report:
    """
    ``columns``: the fields of `columns_of` in that order, each with its values of all rows, as on the wire but for
    ``period``, which is an aware datetime. ``totals``: the metrics over all of them, rounded anew.
    """

    columns: dict[str, list[Any]]
    totals: dict[str, Any]
    as_of: datetime | None
    """When the newest record that can be in the figures was stored; None before any was."""
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
    """Of a row: the id and the name of what has one, else the value."""
    if dimension.column == dimension.value:
        return (dimension.value,)
    return dimension.column, f"{dimension.value}_name"
