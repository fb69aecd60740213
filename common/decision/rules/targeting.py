"""
Compares stored targeting with one opportunity's signals: AND between kinds, OR inside one, exclusion wins; an unknown
value fails an include and passes an exclude.

This is the readable reference and as slow as that. Explanations and the index's builder use it; decisions use the
index.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.values.languages import without_extensions

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Area:
    """A country, or one region of it; ISO 3166 in lower case."""

    country: str
    region: str | None = None

    @property
    def name(self) -> str:
        """A name that is unique to the area."""
        return self.country if self.region is None else f"{self.country}-{self.region}"


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes of a day, local time, ``start <= minute < end <= 1440``, on *days* (0 is Monday)."""

    days: frozenset[int]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class KeyValue:
    """One condition; all conditions of a campaign must match."""

    key: str
    negative: bool
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Targeting:
    """Empty fields target everything. Device, os and browser are three kinds: all of them must match."""

    areas: tuple[Area, ...] = ()
    not_areas: tuple[Area, ...] = ()
    devices: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()
    browsers: frozenset[str] = frozenset()
    languages: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    slots: frozenset[str] = frozenset()
    not_slots: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    not_keywords: frozenset[str] = frozenset()
    key_values: tuple[KeyValue, ...] = ()
    segments: frozenset[str] = frozenset()
    not_segments: frozenset[str] = frozenset()


EVERYTHING = Targeting()


@lru_cache(maxsize=4096)
def parse_targeting(text: str) -> Targeting:
    """*text*: the stored object as canonical JSON, empty for everything; the API has validated its shape."""
    if not text:
        return EVERYTHING
    raw: dict[str, Any] = orjson.loads(text)
    geo, device, slots = raw.get("geo", {}), raw.get("device", {}), raw.get("slots", {})
    keywords, segments = raw.get("keywords", {}), raw.get("segments", {})
    return Targeting(
        areas=_areas(geo.get("include", ())),
        not_areas=_areas(geo.get("exclude", ())),
        devices=frozenset(device.get("types", ())),
        systems=frozenset(device.get("os", ())),
        browsers=frozenset(device.get("browsers", ())),
        # Lists, because a generator costs more than these few items, and a state has a hundred thousand targetings.
        languages=tuple([without_extensions(tag) for tag in raw.get("languages", ())]),
        windows=tuple(
            [
                _window(tuple(part["days"]), part["start"], part["end"])
                for part in raw.get("dayparts", ())
            ]
        ),
        slots=frozenset(slots.get("include", ())),
        not_slots=frozenset(slots.get("exclude", ())),
        keywords=frozenset(keywords.get("any", ())),
        not_keywords=frozenset(keywords.get("none", ())),
        key_values=tuple(
            [
                KeyValue(part["key"], part["op"] == "not_in", frozenset(part["values"]))
                for part in raw.get("key_values", ())
            ]
        ),
        segments=frozenset(segments.get("include", ())),
        not_segments=frozenset(segments.get("exclude", ())),
    )


def names_slot(targeting: Targeting, slot_id: str) -> bool:
    """Whether the targeting allows *slot_id*."""
    if slot_id in targeting.not_slots:
        return False
    return not targeting.slots or slot_id in targeting.slots


def missed_kind(
    targeting: Targeting, signals: Signals, timezone: str, now_ms: int
) -> tuple[int, NoFillReason] | None:
    """
    Returns place in `KINDS` and reason of the first kind that fails, None where all match.
    Slots are checked elsewhere.
    """
    for place, (reason, holds) in enumerate(KINDS):
        if not holds(targeting, signals, timezone, now_ms):
            return place, reason
    return None


def in_area(area: Area, signals: Signals) -> bool:
    return area.country == signals.country and area.region in (None, signals.region)


def in_windows(windows: tuple[Window, ...], local: datetime) -> bool:
    """*local*: now, in the campaign's timezone."""
    minute = local.hour * 60 + local.minute
    return any(
        local.weekday() in window.days and window.start <= minute < window.end for window in windows
    )


def speaks(wanted: str, spoken: str) -> bool:
    """
    Whether *wanted* covers *spoken*: `pt` covers `pt` and `pt-br`; `pt-br` does not cover `pt` (RFC 4647, basic
    filtering).
    """
    return spoken == wanted or spoken.startswith(f"{wanted}-")


def _geo(targeting: Targeting, signals: Signals, _timezone: str, _now_ms: int) -> bool:
    if any(in_area(area, signals) for area in targeting.not_areas):
        return False
    return not targeting.areas or any(in_area(area, signals) for area in targeting.areas)


def _device(targeting: Targeting, signals: Signals, _timezone: str, _now_ms: int) -> bool:
    return (
        (not targeting.devices or signals.device in targeting.devices)
        and (not targeting.systems or signals.os in targeting.systems)
        and (not targeting.browsers or signals.browser in targeting.browsers)
    )


def _language(targeting: Targeting, signals: Signals, _timezone: str, _now_ms: int) -> bool:
    return not targeting.languages or any(
        speaks(wanted, spoken) for wanted in targeting.languages for spoken in signals.languages
    )


def _daypart(targeting: Targeting, _signals: Signals, timezone: str, now_ms: int) -> bool:
    if not targeting.windows:
        return True
    local = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(ZoneInfo(timezone))
    return in_windows(targeting.windows, local)


def _keywords(targeting: Targeting, signals: Signals, _timezone: str, _now_ms: int) -> bool:
    if signals.keywords & targeting.not_keywords:
        return False
    return not targeting.keywords or bool(signals.keywords & targeting.keywords)


def _key_values(targeting: Targeting, signals: Signals, _timezone: str, _now_ms: int) -> bool:
    return all(
        bool(signals.key_values.get(part.key, frozenset()) & part.values) is not part.negative
        for part in targeting.key_values
    )


def _segments(targeting: Targeting, signals: Signals, _timezone: str, _now_ms: int) -> bool:
    if signals.segments & targeting.not_segments:
        return False
    return not targeting.segments or bool(signals.segments & targeting.segments)


Kind = Callable[[Targeting, Signals, str, int], bool]

KINDS: tuple[tuple[NoFillReason, Kind], ...] = (
    (NoFillReason.GEO_NOT_TARGETED, _geo),
    (NoFillReason.DEVICE_NOT_TARGETED, _device),
    (NoFillReason.LANGUAGE_NOT_TARGETED, _language),
    (NoFillReason.DAYPART_NOT_TARGETED, _daypart),
    (NoFillReason.KEYWORDS_NOT_TARGETED, _keywords),
    (NoFillReason.KEY_VALUES_NOT_TARGETED, _key_values),
    (NoFillReason.SEGMENTS_NOT_TARGETED, _segments),
)


def _areas(raw: Any) -> tuple[Area, ...]:
    return tuple([_area(part["country"], part.get("region")) for part in raw])


@lru_cache(maxsize=4096)
def _area(country: str, region: str | None) -> Area:
    """Cached: campaigns that target the same area share one object."""
    return Area(country, region)


@lru_cache(maxsize=4096)
def _window(days: tuple[str, ...], start: str, end: str) -> Window:
    return Window(frozenset(DAYS.index(day) for day in days), _minutes(start), _minutes(end))


def _minutes(text: str) -> int:
    return int(text[:2]) * 60 + int(text[3:])
