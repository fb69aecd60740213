"""Targeting of campaigns, or of ads, as bitmaps over a block's positions; a candidate must match in both layers."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from common.decision.index.inverted_index import (
    ConjunctionBitmaps,
    ValueBitmaps,
    clear_bit,
    set_bit,
    split,
)
from common.decision.index.schedule import Schedule, schedule_of
from common.decision.rules.targeting import Area, KeyValue, Targeting


@dataclass(frozen=True, slots=True, eq=False)
class SignalKey:
    """
    The client's signals that are targeted or excluded anywhere.
    Equal signals share one object, so it is its own key.
    """

    areas: tuple[str, ...]
    device: tuple[str | None, ...]
    os: tuple[str | None, ...]
    browser: tuple[str | None, ...]
    languages: tuple[str, ...]


class MatchKey(NamedTuple):
    """
    The parts of an opportunity that the index distinguishes, and so the cache key of its matches.

    Values are those that are targeted or excluded anywhere; ``too_large``: the sizes that exceed the reported room;
    ``without_budgets``: only campaigns that need no budget to show.
    """

    slot_id: str
    format: str | None
    too_large: tuple[tuple[int | None, int | None], ...]
    child_directed: bool
    traits: SignalKey
    keywords: frozenset[str]
    key_values: frozenset[tuple[str, str]]
    segments: frozenset[str]
    without_budgets: bool = False


class TargetingBitmaps:
    """Targeting kinds as bitmaps. Slots are not among them: the standing gates check those."""

    __slots__ = (
        "areas",
        "browsers",
        "devices",
        "key_values",
        "keywords",
        "languages",
        "scheduled",
        "schedules",
        "segments",
        "systems",
    )

    def __init__(self) -> None:
        self.areas = ValueBitmaps()
        self.devices = ValueBitmaps()
        self.systems = ValueBitmaps()
        self.browsers = ValueBitmaps()
        self.languages = ValueBitmaps()
        self.scheduled = 0
        self.schedules: dict[Schedule, int] = {}
        self.keywords = ValueBitmaps()
        self.key_values = ConjunctionBitmaps()
        self.segments = ValueBitmaps()

    def insert(self, targeting: Targeting, timezone: str, bit: int) -> None:
        for dimension, included, excluded in self._values(targeting):
            if included or excluded:
                dimension.insert(bit, included, excluded)
        if targeting.key_values:
            self.key_values.insert(bit, wanted(targeting.key_values))
            self.key_values.refuse(bit, refused(targeting.key_values))
        if targeting.windows:
            self.scheduled |= bit
            set_bit(self.schedules, schedule_of(timezone, targeting.windows), bit)

    def remove(self, targeting: Targeting, timezone: str, bit: int) -> None:
        """The inverse of `insert`."""
        for dimension, included, excluded in self._values(targeting):
            dimension.remove(bit, included, excluded)
        self.key_values.remove(bit, wanted(targeting.key_values))
        self.key_values.accept(bit, refused(targeting.key_values))
        if targeting.windows:
            self.scheduled &= ~bit
            clear_bit(self.schedules, schedule_of(timezone, targeting.windows), bit)

    def split(self, leaving: int) -> "TargetingBitmaps":
        """Takes the positions of *leaving* out, and returns a layer of them."""
        went = TargetingBitmaps()
        for name in _DIMENSIONS:
            setattr(went, name, getattr(self, name).split(leaving))
        went.key_values = self.key_values.split(leaving)
        went.scheduled = self.scheduled & leaving
        self.scheduled &= ~leaving
        went.schedules = split(self.schedules, leaving)
        return went

    def closed(self, now_ms: int) -> tuple[int, int]:
        """Returns the ads whose dayparts are closed, and until when that holds."""
        shut, until_ms = self.scheduled, NEVER_MS
        for schedule, mask in self.schedules.items():
            is_open, next_ms = schedule.at(now_ms)
            until_ms = min(until_ms, next_ms)
            if is_open:
                shut &= ~mask
        return shut, until_ms

    def device_missed(self, traits: SignalKey) -> int:
        """Returns the ads that the gate of device, system and browser drops."""
        return (
            self.devices.missed(traits.device)
            | self.systems.missed(traits.os)
            | self.browsers.missed(traits.browser)
        )

    def _values(
        self, targeting: Targeting
    ) -> list[tuple[ValueBitmaps, Collection[str], Collection[str]]]:
        return [
            (
                self.areas,
                _names(targeting.areas),
                _names(targeting.not_areas),
            ),
            (self.devices, targeting.devices, ()),
            (self.systems, targeting.systems, ()),
            (self.browsers, targeting.browsers, ()),
            (self.languages, set(targeting.languages), ()),
            (self.keywords, targeting.keywords, targeting.not_keywords),
            (self.segments, targeting.segments, targeting.not_segments),
        ]


NEVER_MS = 1 << 62
_DIMENSIONS = ("areas", "devices", "systems", "browsers", "languages", "keywords", "segments")


def _names(areas: tuple[Area, ...]) -> set[str] | tuple[()]:
    return {area.name for area in areas} if areas else ()


def wanted(key_values: tuple[KeyValue, ...]) -> list[tuple[str, frozenset[str]]]:
    """Returns key and values of each `in`."""
    return [(one.key, one.values) for one in key_values if not one.negative]


def refused(key_values: tuple[KeyValue, ...]) -> set[tuple[str, str]]:
    """Returns the pairs that any `not_in` names."""
    return {(one.key, value) for one in key_values if one.negative for value in one.values}
