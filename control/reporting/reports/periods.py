"""Computes when each day, week or month of a range begins in a time zone, to the hour, as sums are stored. Pure."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from control.reporting.reports.vocabulary import Granularity

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def hour_of(at: datetime) -> datetime:
    """The hour of UTC that contains *at*."""
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def start_of(day: date, timezone: str) -> datetime:
    """
    The hour of UTC in which *day* begins in *timezone*.

    Where clocks skip midnight, the day begins with the instant they skip to. In a zone whose offset is not a whole
    hour, the hour in which the day begins belongs to it, as for the day of a campaign.
    """
    return hour_of(datetime.combine(day, time(), ZoneInfo(timezone)))


def periods_of(
    from_at: datetime, to_at: datetime, granularity: Granularity, timezone: str
) -> list[datetime]:
    """Where each period of [*from_at*, *to_at*) begins, the first with the range; both on full hours of UTC."""
    if granularity is Granularity.TOTAL:
        return [from_at]
    if granularity is Granularity.HOUR:
        return [from_at + HOUR * number for number in range((to_at - from_at) // HOUR)]
    starts = (start_of(day, timezone) for day in _days(from_at, granularity, timezone))
    found = [from_at]
    for start in starts:
        if start >= to_at:
            return found
        if start > found[-1]:
            found.append(start)
    return found


def _days(from_at: datetime, granularity: Granularity, timezone: str) -> Iterator[date]:
    """The first days of the periods, endlessly, from the one that contains *from_at* or the one before."""
    day = from_at.astimezone(ZoneInfo(timezone)).date()
    match granularity:
        case Granularity.WEEK:
            day -= timedelta(days=day.weekday())
        case Granularity.MONTH:
            day = day.replace(day=1)
        case _:
            pass
    while True:
        yield day
        if granularity is Granularity.MONTH:
            day = (day + timedelta(days=31)).replace(day=1)
        else:
            day += timedelta(days=7 if granularity is Granularity.WEEK else 1)
