"""Weeks and months of UTC: runs of rolled up days that are rolled up again. Pure."""

from datetime import date, timedelta
from enum import StrEnum

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)


class Span(StrEnum):
    """In the order in which a range is cut into them: those of which it needs the fewest first."""

    MONTH = "month"
    WEEK = "week"

    def first_of(self, day: date) -> date:
        """The first day of the span that contains *day*; weeks begin on Monday."""
        if self is Span.MONTH:
            return day.replace(day=1)
        return day - _DAY * day.weekday()

    def after(self, first: date) -> date:
        """The first day of the span after the one that begins on *first*."""
        return self.first_of(first + timedelta(days=31)) if self is Span.MONTH else first + _WEEK
