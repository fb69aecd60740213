"""A campaign's days: from midnight to midnight in its own time zone, across daylight saving changes."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from common.values.clock import to_ms

_QUARTER_MS = 900_000
"""Midnights of all zones in use fall on quarters of an hour of UTC."""


@dataclass(frozen=True, slots=True)
class LocalDay:
    """``name``: its ISO date. From ``start_ms`` up to ``end_ms``, exclusive, which is the next day's start."""

    name: str
    start_ms: int
    end_ms: int


def local_day(timezone: str, now_ms: int) -> LocalDay:
    return _day_of_quarter(timezone, now_ms // _QUARTER_MS)


@lru_cache(maxsize=4096)
def _day_of_quarter(timezone: str, quarter: int) -> LocalDay:
    zone = ZoneInfo(timezone)
    today = datetime.fromtimestamp(quarter * _QUARTER_MS / 1000, UTC).astimezone(zone).date()
    midnights = [
        to_ms(datetime.combine(day, time(), zone)) for day in (today, today + timedelta(days=1))
    ]
    return LocalDay(today.isoformat(), *midnights)


@lru_cache(maxsize=4096)
def is_known_zone(timezone: str) -> bool:
    """
    Whether this machine's time zone database has *timezone*. Another machine's may be newer, and have more. Raises
    OSError where the machine cannot open files, which is not remembered.
    """
    try:
        ZoneInfo(timezone)
    except (KeyError, ValueError, IsADirectoryError):
        return False
    return True


def day_of(timezone: str, now: datetime) -> date:
    return now.astimezone(ZoneInfo(timezone)).date()


def day_start(timezone: str, now: datetime) -> datetime:
    """
    Returns the hour in which the day of *now* began.

    Sums are stored by the hour of UTC. In a zone off the full hour, the whole hour in which the day began counts to it.
    """
    midnight = datetime.combine(day_of(timezone, now), time(), ZoneInfo(timezone))
    return midnight.astimezone(now.tzinfo).replace(minute=0, second=0, microsecond=0)
