"""What a property's campaigns target at all: the rest of an opportunity's signals makes no difference to them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from common.decision.index.layer import Asked, refused, wanted
from common.decision.opportunity import Opportunity, Signals
from common.decision.targeting import Targeting
from common.snapshot.model import Ad

Size = tuple[int | None, int | None]
T = TypeVar("T")

_NONE: frozenset[str] = frozenset()


class Known:
    """Counts who names each value, so that it is forgotten with the last one."""

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
        self._areas: Counter[str] = Counter()
        self._parts: Counter[str] = Counter()
        """Device types, systems and browsers."""
        self._languages: Counter[str] = Counter()
        self._keywords: Counter[str] = Counter()
        self._key_values: dict[str, Counter[str]] = {}
        self._segments: Counter[str] = Counter()
        self._sizes: Counter[Size] = Counter()

    def add(self, targeting: Targeting) -> None:
        for counter, values in self._named(targeting):
            counter.update(values)
        for key, value in _pairs(targeting):
            self._key_values.setdefault(key, Counter())[value] += 1

    def remove(self, targeting: Targeting) -> None:
        for counter, values in self._named(targeting):
            for value in values:
                _less(counter, value)
        for key, value in _pairs(targeting):
            _less(self._key_values[key], value)
            if not self._key_values[key]:
                del self._key_values[key]

    def add_size(self, ad: Ad) -> None:
        self._sizes[ad.width, ad.height] += 1

    def remove_size(self, ad: Ad) -> None:
        _less(self._sizes, (ad.width, ad.height))

    def project(self, opportunity: Opportunity) -> Asked:
        """The opportunity, less what nobody asks for."""
        signals, parts = opportunity.signals, self._parts
        return Asked(
            opportunity.slot.id,
            opportunity.format,
            self._too_large(opportunity.width, opportunity.height),
            opportunity.child_directed,
            self._spoken_areas(signals),
            (signals.device,) if signals.device in parts else (),  # type: ignore[arg-type]  # None is in no counter
            (signals.os,) if signals.os in parts else (),  # type: ignore[arg-type]  # None is in no counter
            (signals.browser,) if signals.browser in parts else (),  # type: ignore[arg-type]  # None is in no counter
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

    def _named(self, targeting: Targeting) -> Iterator[tuple[Counter[str], Iterable[str]]]:
        yield self._areas, [area.name for area in (*targeting.areas, *targeting.not_areas)]
        yield self._parts, [*targeting.devices, *targeting.systems, *targeting.browsers]
        yield self._languages, targeting.languages
        yield self._keywords, [*targeting.keywords, *targeting.not_keywords]
        yield self._segments, [*targeting.segments, *targeting.not_segments]


def _pairs(targeting: Targeting) -> list[tuple[str, str]]:
    pairs = [(key, value) for key, values in wanted(targeting.key_values) for value in values]
    return [*pairs, *refused(targeting.key_values)]


def _known_of(values: frozenset[str], known: Counter[str]) -> frozenset[str]:
    return frozenset([value for value in values if value in known]) if values and known else _NONE


def _less(counter: Counter[T], value: T) -> None:
    """One less; a value that nobody names has no entry."""
    if counter[value] == 1:
        del counter[value]
    else:
        counter[value] -= 1
