"""The label and the format of each figure of a report, and the comparison of two values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from control.reporting.reports.metrics import Metric, Unit
from control.reporting.reports.vocabulary import Dimension, Granularity

Value = int | float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of pages alone. ``label`` and ``help_text``: English, also in the catalogues."""

    label: str
    unit: Unit
    help_text: str


@dataclass(frozen=True, slots=True)
class Change:
    """
    The change from *before* to now.

    ``share``: of a count or an amount, relative to *before*; None where that was 0. ``times``: instead of it, the
    rounded factor from `_LARGE_FACTOR` on. ``points``: of a ratio, the difference of the two.
    """

    before: Value
    share: float | None = None
    times: int | None = None
    points: float | None = None

    @property
    def is_comparable(self) -> bool:
        """False where there was nothing before. In a table, a word for that would fill every cell."""
        return self.points is not None or bool(self.before)


DIMENSIONS: dict[Dimension, str] = {
    Dimension.CAMPAIGN: "Campaign",
    Dimension.AD: "Ad",
    Dimension.PROPERTY: "Property",
    Dimension.SLOT: "Slot",
    Dimension.COUNTRY: "Country",
    Dimension.DEVICE: "Device",
    Dimension.FORMAT: "Format",
    Dimension.SOURCE: "Source",
    Dimension.SURFACE: "Surface",
    Dimension.REASON: "Reason",
}
ALL_OF: dict[Dimension, str] = {
    Dimension.CAMPAIGN: "All campaigns",
    Dimension.AD: "All ads",
    Dimension.PROPERTY: "All properties",
    Dimension.SLOT: "All slots",
    Dimension.COUNTRY: "All countries",
    Dimension.DEVICE: "All devices",
    Dimension.FORMAT: "All formats",
    Dimension.SOURCE: "All sources",
    Dimension.SURFACE: "All surfaces",
    Dimension.REASON: "All reasons",
}
GRANULARITIES: dict[Granularity, str] = {
    Granularity.TOTAL: "The whole range",
    Granularity.HOUR: "Hour",
    Granularity.DAY: "Day",
    Granularity.WEEK: "Week",
    Granularity.MONTH: "Month",
}
_LARGE_FACTOR = 10
"""From here on a percentage is hard to read: + 246,492 %."""
INVALID_SHARE = Figure(
    "Invalid traffic", Unit.RATIO, "Invalid impressions and clicks, divided by all of them."
)
HELP: dict[str, str] = {one: one.help_text for one in Metric} | {
    INVALID_SHARE.label: INVALID_SHARE.help_text
}
"""By the name of a metric, or by the label of a figure of pages."""


def change_of(figure: Metric | Figure, now: Value, before: Value) -> Change | None:
    """None where one of the two is unknown."""
    if now is None or before is None:
        return None
    if figure.unit is Unit.RATIO:
        return Change(before, points=round(now - before, 4))
    if not before:
        return Change(before)
    if before > 0 and now >= before * _LARGE_FACTOR:
        return Change(before, times=round(now / before))
    return Change(before, share=round((now - before) / abs(before), 3))


def invalid_share(figures: Mapping[Any, Any]) -> float | None:
    """The share of invalid impressions and clicks among all, valid or not; None where there were none."""
    invalid = figures[Metric.INVALID_IMPRESSIONS] + figures[Metric.INVALID_CLICKS]
    whole = invalid + figures[Metric.IMPRESSIONS] + figures[Metric.CLICKS]
    return round(invalid / whole, 6) if whole > 0 else None
