"""Subscription terms and notice days, as the settings write them."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

_MONTHS_A_YEAR = 12


class Term(StrEnum):
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Period:
    start_at: datetime
    end_at: datetime


def term_after(start_at: datetime, term: Term, *, day: int) -> Period:
    """Returns the term that begins at *start_at*. It ends on *day* of its last month, or on that month's last day."""
    index = start_at.month - 1 + (_MONTHS_A_YEAR if term is Term.YEAR else 1)
    year, month = start_at.year + index // _MONTHS_A_YEAR, index % _MONTHS_A_YEAR + 1
    last = monthrange(year, month)[1]
    return Period(start_at, start_at.replace(year=year, month=month, day=min(day, last)))


def parse_days(text: str) -> tuple[int, ...]:
    """Parses whole days in ascending order, like ``-14,-3,0``. Raises ValueError."""
    days = tuple(int(part) for part in text.split(","))
    if list(days) != sorted(set(days)):
        raise ValueError("name whole days in ascending order, like -14,-3,0,3,14")
    return days
