"""
Counts that a worker read from the cap store earlier, for calls in which the store does not respond in time. It holds
the counts as they were, plus what this worker has counted of the person since.

Counts of other workers since then are missing, so a remembered count may be too low; it is used for `CACHED_FOR_MS`
only. Windows only move forward, so in every other respect it is too high, never too low.
"""

from collections.abc import Iterable, Mapping

from common.values.generation_cache import GenerationCache

CACHED_FOR_MS = 300_000
MAX_PERSONS = 10_000
_NOTHING: Mapping[str, int] = {}


class RememberedCounts:
    """Counts of the people who called last. Belongs to one event loop."""

    def __init__(self, *, max_persons: int = MAX_PERSONS) -> None:
        self._people = GenerationCache(max_persons)
        """The instant when the counts were learned, and the counts, by person."""

    def store(self, person: bytes, counted: Mapping[str, int], now_ms: int) -> None:
        """*counted*: all that the store has of *person*, by `cap_key`."""
        self._people.put(person, (now_ms, counted or _NOTHING))

    def add(self, person: bytes, keys: Iterable[str]) -> None:
        """Adds one to each key, which the store has counted too."""
        cached: tuple[int, Mapping[str, int]] | None = self._people.get(person)
        if cached is None:
            return
        counted = dict(cached[1])
        for key in keys:
            counted[key] = counted.get(key, 0) + 1
        self._people.put(person, (cached[0], counted))

    def find(self, person: bytes, now_ms: int) -> Mapping[str, int] | None:
        """None if nothing was learned lately."""
        cached: tuple[int, Mapping[str, int]] | None = self._people.get(person)
        return None if cached is None or abs(now_ms - cached[0]) > CACHED_FOR_MS else cached[1]

    def __len__(self) -> int:
        return len(self._people)
