"""Targets days and hours in the campaign's time zone. The only kind that compares the time, and no signal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from common.budget.local_day import is_known_zone
from common.decision.rules.kinds.kind import TargetingKind
from common.decision.rules.outcome import NoFillReason
from common.values.messages import Message

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes of a day, local time, ``start <= minute < end <= 1440``, on *days* (0 is Monday)."""

    days: frozenset[int]
    start: int
    end: int


def parse_windows(stored: Sequence[Mapping[str, Any]]) -> tuple[Window, ...]:
    return tuple([_window(tuple(part["days"]), part["start"], part["end"]) for part in stored])


def in_windows(windows: tuple[Window, ...], local: datetime) -> bool:
    """*local*: now, in the campaign's timezone."""
    minute = local.hour * 60 + local.minute
    return any(
        local.weekday() in window.days and window.start <= minute < window.end for window in windows
    )


def is_open(windows: tuple[Window, ...], timezone: str, now_ms: int) -> bool:
    """In a time zone that this machine does not have, no window is open."""
    if not windows:
        return True
    return is_known_zone(timezone) and in_windows(
        windows, datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(ZoneInfo(timezone))
    )


@lru_cache(maxsize=4096)
def _window(days: tuple[str, ...], start: str, end: str) -> Window:
    return Window(frozenset(DAYS.index(day) for day in days), _minutes(start), _minutes(end))


def _minutes(text: str) -> int:
    return int(text[:2]) * 60 + int(text[3:])


DAYPARTS = TargetingKind(
    "dayparts",
    NoFillReason.DAYPART_NOT_TARGETED,
    Message(
        "The campaign or ad does not run on this day and at this time in the campaign's time zone."
    ),
    Message("Change `targeting.dayparts`, or the campaign's `timezone`."),
    (),
)
