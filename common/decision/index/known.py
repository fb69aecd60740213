"""What a property's campaigns target at all: the rest of an opportunity's signals makes no difference to them."""

from common.decision.index.layer import Asked
from common.decision.opportunity import Opportunity, Signals
from common.decision.targeting import Targeting
from common.snapshot.model import Ad

Size = tuple[int | None, int | None]

_NONE: frozenset[str] = frozenset()


class Known:
    """Values are not forgotten with the last who names them: that would cost more than it is worth."""

    __slots__ = (
        "_areas",
        "_key_values",
        "_keywords",
        "_languages",
        "_parts",
        "_segments",
        "_sizes",
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

    def add(self, targeting: Targeting) -> None:
        for area in (*targeting.areas, *targeting.not_areas):
            self._areas.add(area.name)
        self._parts.update(targeting.devices, targeting.systems, targeting.browsers)
        self._languages.update(targeting.languages)
        self._keywords.update(targeting.keywords, targeting.not_keywords)
        for condition in targeting.key_values:
            self._key_values.setdefault(condition.key, set()).update(condition.values)
        self._segments.update(targeting.segments, targeting.not_segments)

    def add_size(self, ad: Ad) -> None:
        self._sizes.add((ad.width, ad.height))

    def project(self, opportunity: Opportunity) -> Asked:
        """The opportunity, less what nobody asks for."""
        signals, parts = opportunity.signals, self._parts
        return Asked(
            opportunity.slot.id,
            opportunity.format,
            self._too_large(opportunity.width, opportunity.height),
            opportunity.child_directed,
            self._spoken_areas(signals),
            (signals.device,) if signals.device in parts else (),
            (signals.os,) if signals.os in parts else (),
            (signals.browser,) if signals.browser in parts else (),
            self._spoken_languages(signals.languages),
            _known_of(signals.keywords, self._keywords),
            self._spoken_pairs(signals) if self._key_values else frozenset(),
            _known_of(signals.segments, self._segments),
        )

    def _spoken_areas(self, signals: Signals) -> tuple[str, ...]:
        country = signals.country
        if country is None or not self._areas:
            return ()
        names = (country,) if signals.region is None else (country, f"{country}-{signals.region}")
        return tuple(name for name in names if name in self._areas)

    def _spoken_languages(self, tags: tuple[str, ...]) -> tuple[str, ...]:
        """Every known language range that one of *tags* falls into: a tag itself, and what is left of its dashes."""
        known = self._languages
        if not known or not tags:
            return ()
        found = {tag for tag in tags if tag in known}
        for tag in tags:
            end = tag.rfind("-")
            while end >= 0:
                if tag[:end] in known:
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
        if width is None and height is None:
            return ()
        return tuple(
            (wide, high)
            for wide, high in self._sizes
            if (width is not None and wide is not None and wide > width)
            or (height is not None and high is not None and high > height)
        )


def _known_of(values: frozenset[str], known: set[str]) -> frozenset[str]:
    return values & known if values and known else _NONE
