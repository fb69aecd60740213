"""
What a worker learned of people from the cap store, for calls to which the store does not answer in time: counts as they
were, and what this worker counted of the person since.

What other workers counted since is not in it, so a remembered count may be too low, and is used for `KNOWN_FOR_MS`
alone. Windows only move on, so otherwise it is too high, never too low.
"""

from collections.abc import Iterable, Mapping

KNOWN_FOR_MS = 300_000
MAX_PEOPLE = 20_000
_NOTHING: Mapping[str, int] = {}


class RememberedCounts:
    """By person, those learned of longest ago forgotten first. Belongs to one event loop."""

    def __init__(self, *, most: int = MAX_PEOPLE) -> None:
        self._most = most
        self._people: dict[bytes, tuple[int, Mapping[str, int]]] = {}

    def learn(self, person: bytes, counted: Mapping[str, int], now_ms: int) -> None:
        """*counted*: all that the store has of *person*, by `cap_key`."""
        self._people.pop(person, None)
        if len(self._people) >= self._most:
            del self._people[next(iter(self._people))]
        self._people[person] = (now_ms, counted or _NOTHING)

    def add(self, person: bytes, keys: Iterable[str]) -> None:
        """One more of each, which the store has too."""
        known = self._people.get(person)
        if known is None:
            return
        counted = dict(known[1])
        for key in keys:
            counted[key] = counted.get(key, 0) + 1
        self._people[person] = (known[0], counted)

    def find(self, person: bytes, now_ms: int) -> Mapping[str, int] | None:
        """None where nothing was learned lately."""
        known = self._people.get(person)
        return None if known is None or now_ms - known[0] > KNOWN_FOR_MS else known[1]

    def __len__(self) -> int:
        return len(self._people)
