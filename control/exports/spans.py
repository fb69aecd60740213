"""The time that an export is about: days of a zone, or instants, as two half-open ends."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

MOST = timedelta(days=92)
_FIRST_YEAR, _LAST_YEAR = 2000, 2199
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(
    rf"{_DAY.pattern}[Tt ][0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}(\.[0-9]{{1,6}})?)?([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})"
)


@dataclass(frozen=True, slots=True)
class Span:
    """``since`` and before ``until``, aware, in UTC."""

    since: datetime
    until: datetime


def _when(value: str) -> str:
    try:
        parse_when(value, "UTC")
    except ValueError:
        raise PydanticCustomError(
            "timestamp_invalid",
            "Write a day, like 2026-03-01, or an instant with its offset, like 2026-03-01T00:00:00Z.",
        ) from None
    return value


When = Annotated[str, Field(max_length=40), AfterValidator(_when)]
"""A day or an instant, still as text: a day begins when its zone says."""


def parse_when(text: str, zone: str) -> datetime:
    """In UTC. Raises ValueError."""
    if _DAY.fullmatch(text):
        found = datetime.combine(date.fromisoformat(text), time.min, ZoneInfo(zone))
    elif _INSTANT.fullmatch(text):
        found = datetime.fromisoformat(text.upper())
    else:
        raise ValueError(text)
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise ValueError(text)
    return found.astimezone(UTC)
