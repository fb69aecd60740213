"""Whether dayparts are open now, and until when that holds, across daylight saving changes."""

from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from common.budget.local_day import is_known_zone
from common.decision.rules.kinds.daypart import Window, in_windows

_DAY_S = 86_400


class Schedule:
    """The windows in a timezone. Equal schedules are one object, as far as the cache of `schedule_of` reaches."""

    __slots__ = ("_hash", "_is_open", "_key", "_since_ms", "_until_ms")

    def __init__(self, timezone: str, windows: tuple[Window, ...]) -> None:
        self._key = (timezone, windows)
        self._hash = hash(self._key)
        self._is_open = False
        self._since_ms = self._until_ms = 0

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Schedule) and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash

    def at(self, now_ms: int) -> tuple[bool, int]:
        """Returns whether it is open, and an instant after *now_ms* until which that holds."""
        if not self._since_ms <= now_ms < self._until_ms:
            self._refresh(now_ms)
        return self._is_open, self._until_ms

    def _refresh(self, now_ms: int) -> None:
        timezone, windows = self._key
        if not is_known_zone(timezone):
            self._is_open, self._since_ms = False, now_ms
            self._until_ms = now_ms + _DAY_S * 1000
            return
        zone = ZoneInfo(timezone)
        local = _local(now_ms, zone)
        self._is_open = in_windows(windows, local)
        self._since_ms = now_ms
        passed_s = local.hour * 3600 + local.minute * 60 + local.second
        bounds = {60 * minute for window in windows for minute in (window.start, window.end)}
        next_s = min(bound for bound in (*bounds, _DAY_S) if bound > passed_s)
        until_ms = now_ms - now_ms % 1000 + (next_s - passed_s) * 1000
        if _local(until_ms - 1, zone).utcoffset() != local.utcoffset():
            # The UTC offset changes before that: evaluate again at every minute.
            until_ms = now_ms - now_ms % 1000 + (60 - local.second) * 1000
        self._until_ms = until_ms


@lru_cache(maxsize=65_536)
def schedule_of(timezone: str, windows: tuple[Window, ...]) -> Schedule:
    return Schedule(timezone, windows)


def _local(at_ms: int, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone)
