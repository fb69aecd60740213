"""Named date ranges, as days of the user's zone, and the period before each."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from common.values.clock import to_iso
from control.reporting.reports.periods import HOUR, hour_of, start_of
from control.reporting.reports.vocabulary import Granularity, NamedRange

_DAY = timedelta(days=1)
_MAX_BY_HOUR, _MAX_BY_DAY = 2, 92


LABELS: dict[NamedRange, str] = {
    NamedRange.TODAY: "Today",
    NamedRange.YESTERDAY: "Yesterday",
    NamedRange.WEEK: "Last 7 days",
    NamedRange.FOUR_WEEKS: "Last 28 days",
    NamedRange.QUARTER: "Last 90 days",
    NamedRange.MONTH: "This month",
    NamedRange.LAST_MONTH: "Last month",
}
_LENGTHS = {
    NamedRange.TODAY: 1,
    NamedRange.WEEK: 7,
    NamedRange.FOUR_WEEKS: 28,
    NamedRange.QUARTER: 90,
}


@dataclass(frozen=True, slots=True)
class Days:
    """Both ends are included."""

    first: date
    last: date

    @property
    def count(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def usual_granularity(self) -> Granularity:
        if self.count <= _MAX_BY_HOUR:
            return Granularity.HOUR
        return Granularity.DAY if self.count <= _MAX_BY_DAY else Granularity.WEEK


def days_of(named: NamedRange, today: date) -> Days:
    match named:
        case NamedRange.YESTERDAY:
            return Days(today - _DAY, today - _DAY)
        case NamedRange.MONTH:
            return Days(today.replace(day=1), today)
        case NamedRange.LAST_MONTH:
            last = today.replace(day=1) - _DAY
            return Days(last.replace(day=1), last)
        case _:
            return Days(today - _DAY * (_LENGTHS[named] - 1), today)


def bounds_of(days: Days, zone: ZoneInfo, now: datetime) -> tuple[str, str]:
    """In the form that a report takes; without the time after the running hour."""
    end = min(start_of(days.last + _DAY, zone.key), hour_of(now) + HOUR)
    start = start_of(days.first, zone.key)
    return to_iso(start), to_iso(end if end > start else start_of(days.last + _DAY, zone.key))


def bounds_before(days: Days, zone: ZoneInfo, now: datetime) -> tuple[str, str]:
    """The bounds of as many days before; while *days* still run, up to the same hour."""
    start = start_of(days.first - _DAY * days.count, zone.key)
    end = start_of(days.first, zone.key)
    if is_running(days, zone, now):
        wall = (hour_of(now) + HOUR).astimezone(zone).replace(tzinfo=None) - _DAY * days.count
        end = min(end, max(hour_of(wall.replace(tzinfo=zone).astimezone(UTC)), start + HOUR))
    return to_iso(start), to_iso(end)


def is_running(days: Days, zone: ZoneInfo, now: datetime) -> bool:
    return start_of(days.first, zone.key) <= now < start_of(days.last + _DAY, zone.key)
