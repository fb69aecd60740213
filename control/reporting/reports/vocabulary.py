"""The dimensions, the periods and the named ranges of a report."""

from enum import StrEnum


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


class NamedRange(StrEnum):
    """Days counted back from today; a month is one of the calendar."""

    TODAY = "today"
    YESTERDAY = "yesterday"
    WEEK = "7d"
    FOUR_WEEKS = "28d"
    QUARTER = "90d"
    MONTH = "month"
    LAST_MONTH = "last_month"
