"""The label and the format of each figure of a report, and the comparison of two values."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from control.reporting.reports.vocabulary import Dimension, Granularity, Metric

Value = int | float | None


class FigureKind(StrEnum):
    NUMBER = "number"
    MONEY = "money"
    """Cents."""
    SHARE = "share"
    """1.0 is 100 %."""


@dataclass(frozen=True, slots=True)
class Figure:
    """``label``: English, also in the catalogues."""

    name: str
    label: str
    kind: FigureKind = FigureKind.NUMBER


@dataclass(frozen=True, slots=True)
class Change:
    """
    The change from *before* to now.

    ``share``: for a number or an amount, relative to *before*; None where that was 0. ``points``: for a share, the
    difference of the two.
    """

    before: Value
    share: float | None = None
    points: float | None = None


FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        Figure(Metric.REQUESTS, "Requests"),
        Figure(Metric.FILLS, "Fills"),
        Figure(Metric.NO_FILLS, "Unfilled"),
        Figure(Metric.FILL_RATE, "Fill rate", FigureKind.SHARE),
        Figure(Metric.IMPRESSIONS, "Impressions"),
        Figure(Metric.VIEWABLE_IMPRESSIONS, "Viewable impressions"),
        Figure(Metric.CLICKS, "Clicks"),
        Figure(Metric.CTR, "Click rate", FigureKind.SHARE),
        Figure(Metric.CONVERSIONS, "Conversions"),
        Figure(Metric.CVR, "Conversion rate", FigureKind.SHARE),
        Figure(Metric.CLICK_THROUGH_CONVERSIONS, "Conversions after a click"),
        Figure(Metric.VIEW_THROUGH_CONVERSIONS, "Conversions after a view"),
        Figure(Metric.SPEND_CENTS, "Spend", FigureKind.MONEY),
        Figure(Metric.ECPM_CENTS, "eCPM", FigureKind.MONEY),
        Figure(Metric.EARNINGS_CENTS, "Earnings", FigureKind.MONEY),
        Figure(Metric.CONVERSION_VALUE_CENTS, "Conversion value", FigureKind.MONEY),
        Figure(Metric.INVALID_IMPRESSIONS, "Invalid impressions"),
        Figure(Metric.INVALID_CLICKS, "Invalid clicks"),
    )
}
"""In the order in which they are offered."""

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
GRANULARITIES: dict[Granularity, str] = {
    Granularity.TOTAL: "The whole range",
    Granularity.HOUR: "Hour",
    Granularity.DAY: "Day",
    Granularity.WEEK: "Week",
    Granularity.MONTH: "Month",
}
INVALID_SHARE = Figure("invalid_share", "Invalid traffic", FigureKind.SHARE)


def change_of(figure: Figure, now: Value, before: Value) -> Change | None:
    """None where one of the two is unknown."""
    if now is None or before is None:
        return None
    if figure.kind is FigureKind.SHARE:
        return Change(before, points=now - before)
    return Change(before, share=(now - before) / abs(before) if before else None)


def invalid_share(figures: Mapping[str, Any]) -> float | None:
    """The share of invalid impressions and clicks among all, valid or not; None where there were none."""
    invalid = figures[Metric.INVALID_IMPRESSIONS] + figures[Metric.INVALID_CLICKS]
    whole = invalid + figures[Metric.IMPRESSIONS] + figures[Metric.CLICKS]
    return round(invalid / whole, 6) if whole > 0 else None
