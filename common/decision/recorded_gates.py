"""Gates that remember what was looked at, and gates recalled from such a memory: a replay asks for no more."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from common.decision.rules.gates import Gates, Lookup, Ranking

_LOOKUPS = {"open_micros": "available_micros", "counts": "counts", "passes": "pass_rates"}
"""Names in a record to attributes of `Gates`."""
_PLAIN = ("stale", "spool_full", "ranking")
_DEFAULT = Gates()
_NO_COINS: Mapping[str, int] = MappingProxyType({})
"""Of records from before leases had coins, and of decisions that asked for none."""


class NotRecorded(LookupError):
    """A recalled gate is asked for what the decision never looked at, so nobody wrote it down."""


class RecordingLookup:
    """Reads through to *source* and remembers each name and what was said of it."""

    __slots__ = ("_source", "seen")

    def __init__(self, source: Lookup) -> None:
        self.seen: dict[str, int] = {}
        self._source = source

    def get(self, name: str, default: int, /) -> int:
        value = self.seen[name] = self._source.get(name, default)
        return value


class ReplayedLookup:
    """What a `RecordingLookup` saw; anything else raises `NotRecorded`."""

    __slots__ = ("_seen",)

    def __init__(self, seen: Mapping[str, int]) -> None:
        self._seen = seen

    def get(self, name: str, _default: int, /) -> int:
        if name not in self._seen:
            raise NotRecorded(name)
        return self._seen[name]


def recording(gates: Gates) -> Gates:
    """The same gates, with every look-up in them watched."""
    counts = None if gates.counts is None else RecordingLookup(gates.counts)
    return replace(
        gates,
        available_micros=RecordingLookup(gates.available_micros),
        counts=counts,
        pass_rates=RecordingLookup(gates.pass_rates),
    )


def recorded_lookups(gates: Gates) -> dict[str, Any]:
    """*gates*, watched, as JSON may hold them: of look-ups what was asked. What is at its default is left out."""
    found: dict[str, Any] = {
        name: value for name in _PLAIN if (value := getattr(gates, name)) != getattr(_DEFAULT, name)
    }
    for name, attribute in _LOOKUPS.items():
        lookup = getattr(gates, attribute)
        if isinstance(lookup, RecordingLookup):
            found[name] = lookup.seen
    return found


def replayed(seen: Mapping[str, Any]) -> Gates:
    """The gates in a result of `recorded_lookups`. Raises ValueError, KeyError or TypeError for anything else."""
    counts, pass_rates = seen.get("counts"), seen.get("passes")
    return Gates(
        stale=bool(seen.get("stale", False)),
        spool_full=bool(seen.get("spool_full", False)),
        available_micros=ReplayedLookup(_numbers(seen["open_micros"])),
        counts=None if counts is None else ReplayedLookup(_numbers(counts)),
        ranking=Ranking(seen.get("ranking", Ranking.GREEDY)),
        pass_rates=_NO_COINS if pass_rates is None else ReplayedLookup(_numbers(pass_rates)),
    )


def _numbers(values: Mapping[str, Any]) -> dict[str, int]:
    return {name: int(value) for name, value in values.items()}
