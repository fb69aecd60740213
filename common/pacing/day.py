"""Days as a campaign counts them: from midnight to midnight of its own time zone, over every change of its clocks."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from common.clock import to_ms

_QUARTER_MS = 900_000
"""Midnights of all zones in use fall on quarters of an hour of UTC."""


@dataclass(frozen=True, slots=True)
class LocalDay:
    """``name``: its ISO date. From ``start_ms`` up to ``end_ms``, which is the next one's start."""

    name: str
    start_ms: int
    end_ms: int


def local_day(timezone: str, now_ms: int) -> LocalDay:
    return _day_of_quarter(timezone, now_ms // _QUARTER_MS)


@lru_cache(maxsize=4096)
def _day_of_quarter(timezone: str, quarter: int) -> LocalDay:
    zone = ZoneInfo(timezone)
    date = datetime.fromtimestamp(quarter * _QUARTER_MS / 1000, UTC).astimezone(zone).date()
    midnights = [
        to_ms(datetime.combine(day, time(), zone)) for day in (date, date + timedelta(days=1))
    ]
    return LocalDay(date.isoformat(), *midnights)
