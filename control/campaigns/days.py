"""When a campaign's day began, in its own time zone. Pure."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo


def day_of(timezone: str, now: datetime) -> date:
    return now.astimezone(ZoneInfo(timezone)).date()


def day_start(timezone: str, now: datetime) -> datetime:
    """
    The hour in which the day of *now* began.

    Sums are kept by the hour of UTC: in a zone off the full hour, the hour in which the day began counts to it.
    """
    midnight = datetime.combine(day_of(timezone, now), time(), ZoneInfo(timezone))
    return midnight.astimezone(now.tzinfo).replace(minute=0, second=0, microsecond=0)
