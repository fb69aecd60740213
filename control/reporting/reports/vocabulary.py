"""The dimensions and metrics of a report, and the sums from which each metric is computed."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from common.values.money import micros_to_cents


class Dimension(StrEnum):
    CAMPAIGN = "campaign"
    AD = "ad"
    PROPERTY = "property"
    SLOT = "slot"
    COUNTRY = "country"
    DEVICE = "device"
    FORMAT = "format"
    SOURCE = "source"
    SURFACE = "surface"
    REASON = "reason"

    @property
    def column(self) -> str:
        """Its field in a row of a report, and its column in the database."""
        return f"{self.value}_id" if self in NAMED else self.value


NAMED = frozenset({Dimension.CAMPAIGN, Dimension.AD, Dimension.PROPERTY, Dimension.SLOT})
"""Dimensions whose values are ids of named objects."""
NOT_OF_DECISIONS = frozenset({Dimension.SOURCE, Dimension.REASON})
"""Dimensions that are not stored for decisions: requests cannot be reported by them."""


class Granularity(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    TOTAL = "total"


class Metric(StrEnum):
    REQUESTS = "requests"
    FILLS = "fills"
    NO_FILLS = "no_fills"
    FILL_RATE = "fill_rate"
    IMPRESSIONS = "impressions"
    VIEWABLE_IMPRESSIONS = "viewable_impressions"
    CLICKS = "clicks"
    CONVERSIONS = "conversions"
    CLICK_THROUGH_CONVERSIONS = "click_through_conversions"
    VIEW_THROUGH_CONVERSIONS = "view_through_conversions"
    INVALID_IMPRESSIONS = "invalid_impressions"
    INVALID_CLICKS = "invalid_clicks"
    SPEND_CENTS = "spend_cents"
    EARNINGS_CENTS = "earnings_cents"
    CONVERSION_VALUE_CENTS = "conversion_value_cents"
    CTR = "ctr"
    CVR = "cvr"
    ECPM_CENTS = "ecpm_cents"


class Sum(StrEnum):
    """The stored sums, all whole numbers. Figures are computed from sums; figures themselves are never added."""

    REQUESTS = "requests"
    FILLS = "fills"
    IMPRESSIONS = "impressions"
    VIEWABLE = "viewable"
    CLICKS = "clicks"
    CONVERSIONS = "conversions"
    CLICK_THROUGH = "click_through"
    VIEW_THROUGH = "view_through"
    INVALID_IMPRESSIONS = "invalid_impressions"
    INVALID_CLICKS = "invalid_clicks"
    CHARGED_MICROS = "charged_micros"
    EARNED_PARTS = "earned_parts"
    """Hundredths of micros: each hour's charge times the percent of its property at that time."""
    VALUE_CENTS = "value_cents"


OF_DECISIONS = frozenset({Sum.REQUESTS, Sum.FILLS})
MADE_OF: dict[Metric, tuple[Sum, ...]] = {
    Metric.REQUESTS: (Sum.REQUESTS,),
    Metric.FILLS: (Sum.FILLS,),
    Metric.NO_FILLS: (Sum.REQUESTS, Sum.FILLS),
    Metric.FILL_RATE: (Sum.FILLS, Sum.REQUESTS),
    Metric.IMPRESSIONS: (Sum.IMPRESSIONS,),
    Metric.VIEWABLE_IMPRESSIONS: (Sum.VIEWABLE,),
    Metric.CLICKS: (Sum.CLICKS,),
    Metric.CONVERSIONS: (Sum.CONVERSIONS,),
    Metric.CLICK_THROUGH_CONVERSIONS: (Sum.CLICK_THROUGH,),
    Metric.VIEW_THROUGH_CONVERSIONS: (Sum.VIEW_THROUGH,),
    Metric.INVALID_IMPRESSIONS: (Sum.INVALID_IMPRESSIONS,),
    Metric.INVALID_CLICKS: (Sum.INVALID_CLICKS,),
    Metric.SPEND_CENTS: (Sum.CHARGED_MICROS,),
    Metric.EARNINGS_CENTS: (Sum.EARNED_PARTS,),
    Metric.CONVERSION_VALUE_CENTS: (Sum.VALUE_CENTS,),
    Metric.CTR: (Sum.CLICKS, Sum.IMPRESSIONS),
    Metric.CVR: (Sum.CONVERSIONS, Sum.CLICKS),
    Metric.ECPM_CENTS: (Sum.CHARGED_MICROS, Sum.IMPRESSIONS),
}
USUAL_METRICS = (
    Metric.IMPRESSIONS,
    Metric.CLICKS,
    Metric.CTR,
    Metric.CONVERSIONS,
    Metric.SPEND_CENTS,
)
"""The default where none are named."""
_PERCENT = 100
_RATIO_DIGITS = 6


def figure_of(metric: Metric, sums: Mapping[Sum, int]) -> int | float | None:
    """
    Computed from whole sums and rounded once: cents down, ratios to six decimal places.

    None where the sums are not available, and for a ratio whose divisor is not above 0.
    """
    (figure,) = figures_of(metric, {name: (value,) for name, value in sums.items()}, 1)
    return figure


def figures_of(
    metric: Metric, sums: Mapping[Sum, Sequence[int]], size: int
) -> list[int | float | None]:
    """`figure_of` for *size* rows; *sums* has their columns."""
    if not sums.keys() >= set(MADE_OF[metric]):
        return [None] * size
    columns = [sums[name] for name in MADE_OF[metric]]
    making = _MADE_BY.get(metric)
    return list(columns[0] if making is None else map(making, *columns))


def _difference(whole: int, part: int) -> int:
    return whole - part


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, _RATIO_DIGITS) if whole > 0 else None


def _earnings(parts: int) -> int:
    return micros_to_cents(parts // _PERCENT)


def _ecpm(micros: int, impressions: int) -> int | None:
    return micros_to_cents(micros * 1000 // impressions) if impressions > 0 else None


_MADE_BY: dict[Metric, Callable[..., int | float | None]] = {
    Metric.NO_FILLS: _difference,
    Metric.FILL_RATE: _ratio,
    Metric.CTR: _ratio,
    Metric.CVR: _ratio,
    Metric.SPEND_CENTS: micros_to_cents,
    Metric.EARNINGS_CENTS: _earnings,
    Metric.ECPM_CENTS: _ecpm,
}
"""Computes a metric from its sums in `MADE_OF`; a metric that is not here equals its only sum."""
