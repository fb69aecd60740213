"""
The values that any of a property's campaigns target:
other signals of an opportunity make no difference to matching.
"""

from common.decision.index.targeting_bitmaps import MatchKey, SignalKey, TargetingBitmaps
from common.decision.rules.opportunity import Opportunity, Signals
from common.decision.rules.targeting import Targeting
from common.snapshot.model import Ad
from common.values.generation_cache import GenerationCache

Size = tuple[int | None, int | None]

_NONE: frozenset[str] = frozenset()
_NO_PAIRS: frozenset[tuple[str, str]] = frozenset()
_MAX_REMEMBERED = 10_000
_asked = tuple.__new__
"""The constructor of a NamedTuple takes six times as long."""


class TargetedValues:
    """A value stays after its last campaign is gone: removing it would cost more than it saves."""

    __slots__ = (
        "_areas",
        "_key_values",
        "_keywords",
        "_languages",
        "_parts",
        "_segments",
        "_sizes",
        "_traits",
        "_traits_of",
    )

    def __init__(self) -> None:
        self._areas: set[str] = set()
        self._parts: set[str | None] = set()
        """Device types, systems and browsers."""
        self._languages: set[str] = set()
        self._keywords: set[str] = set()
        self._key_values: dict[str, set[str]] = {}
        self._segments: set[str] = set()
        self._sizes: set[Size] = set()
        self._traits = GenerationCache(_MAX_REMEMBERED)
        self._traits_of = GenerationCache(_MAX_REMEMBERED)
        """Cache by the client's signals; cleared when a new value is targeted."""

    def add(self, targeting: Targeting) -> None:
        count = len(self._areas) + len(self._parts) + len(self._languages)
        for area in (*targeting.areas, *targeting.not_areas):
            self._areas.add(area.name)
        self._parts.update(targeting.devices, targeting.systems, targeting.browsers)
        self._languages.update(targeting.languages)
        if count != len(self._areas) + len(self._parts) + len(self._languages):
            self._traits_of.clear()
        self._keywords.update(targeting.keywords, targeting.not_keywords)
        for condition in targeting.key_values:
            self._key_values.setdefault(condition.key, set()).update(condition.values)
        self._segments.update(targeting.segments, targeting.not_segments)

    def add_layer(self, layer: TargetingBitmaps) -> None:
        """Adds everything that is targeted in *layer*."""
        count = len(self._areas) + len(self._parts) + len(self._languages)
        self._areas.update(layer.areas.included, layer.areas.excluded)
        for split in (layer.devices, layer.systems, layer.browsers):
            self._parts.update(split.included)
        self._languages.update(layer.languages.included)
        if count != len(self._areas) + len(self._parts) + len(self._languages):
            self._traits_of.clear()
        self._keywords.update(layer.keywords.included, layer.keywords.excluded)
        self._segments.update(layer.segments.included, layer.segments.excluded)
        named = [layer.key_values.excluded, *(present for _, present in layer.key_values.levels)]
        for pairs in named:
            for key, value in pairs:
                self._key_values.setdefault(key, set()).add(value)

    def add_size(self, ad: Ad) -> None:
        self._sizes.add((ad.width, ad.height))

    def project(self, opportunity: Opportunity) -> MatchKey:
        """Returns the opportunity reduced to the values that are targeted."""
        signals = opportunity.signals
        spoken = (
            signals.country,
            signals.region,
            signals.device,
            signals.os,
            signals.browser,
            signals.languages,
        )
        traits: SignalKey | None = self._traits_of.get(spoken)
        wide, high = opportunity.width, opportunity.height
        return _asked(
            MatchKey,
            (
                opportunity.slot.id,
                opportunity.format,
                () if wide is None and high is None else self._too_large(wide, high),
                opportunity.child_directed,
                self._find_traits(spoken, signals) if traits is None else traits,
                _values_of(signals.keywords, self._keywords),
                self._spoken_pairs(signals) if self._key_values else _NO_PAIRS,
                _values_of(signals.segments, self._segments),
                False,
            ),
        )

    def _find_traits(self, spoken: object, signals: Signals) -> SignalKey:
        parts = self._parts
        values = (
            self._spoken_areas(signals),
            (signals.device,) if signals.device in parts else (),
            (signals.os,) if signals.os in parts else (),
            (signals.browser,) if signals.browser in parts else (),
            self._spoken_languages(signals.languages),
        )
        traits: SignalKey | None = self._traits.get(values)
        if traits is None:
            traits = SignalKey(*values)
            self._traits.put(values, traits)
        self._traits_of.put(spoken, traits)
        return traits

    def _spoken_areas(self, signals: Signals) -> tuple[str, ...]:
        country = signals.country
        if country is None:
            return ()
        names = (country,) if signals.region is None else (country, f"{country}-{signals.region}")
        return tuple(name for name in names if name in self._areas)

    def _spoken_languages(self, tags: tuple[str, ...]) -> tuple[str, ...]:
        """
        Returns every targeted language range that matches one of *tags*:
        the tag itself, and its prefixes at a dash.
        """
        found = {tag for tag in tags if tag in self._languages}
        for tag in tags:
            end = tag.rfind("-")
            while end >= 0:
                if tag[:end] in self._languages:
                    found.add(tag[:end])
                end = tag.rfind("-", 0, end)
        return tuple(sorted(found))

    def _spoken_pairs(self, signals: Signals) -> frozenset[tuple[str, str]]:
        known = self._key_values
        return frozenset(
            [
                (key, value)
                for key, values in signals.key_values.items()
                if key in known
                for value in values
                if value in known[key]
            ]
        )

    def _too_large(self, width: int | None, height: int | None) -> tuple[Size, ...]:
        return tuple(
            (wide, high)
            for wide, high in self._sizes
            if (width is not None and wide is not None and wide > width)
            or (height is not None and high is not None and high > height)
        )


def _values_of(values: frozenset[str], known: set[str]) -> frozenset[str]:
    return values & known if values and known else _NONE
