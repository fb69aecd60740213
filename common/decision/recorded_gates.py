"""Gates that record each look-up, and gates that replay such a record and allow no other look-up."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from common.decision.rules.gates import Gates, Lookup, Ranking

_LOOKUPS = {"open_micros": "available_micros", "counts": "counts", "passes": "pass_rates"}
"""Names in a record, mapped to attributes of `Gates`."""
_PLAIN = ("stale", "spool_full", "ranking")
_DEFAULT = Gates()
_NO_COINS: Mapping[str, int] = MappingProxyType({})
"""Pass rates of records from before leases had them, and of decisions that looked none up."""


class NotRecorded(LookupError):
    """A look-up in replayed gates that the original decision never made, so it was not recorded."""


class RecordingLookup:
    """Reads through to *source*, and records each name with the value returned."""

    __slots__ = ("_source", "seen")

    def __init__(self, source: Lookup) -> None:
        self.seen: dict[str, int] = {}
        self._source = source

    def get(self, name: str, default: int, /) -> int:
        value = self.seen[name] = self._source.get(name, default)
        return value


class ReplayedLookup:
    """Returns the values that a `RecordingLookup` recorded; any other name raises `NotRecorded`."""

    __slots__ = ("_seen",)

    def __init__(self, seen: Mapping[str, int]) -> None:
        self._seen = seen

    def get(self, name: str, _default: int, /) -> int:
        if name not in self._seen:
            raise NotRecorded(name)
        return self._seen[name]


def recording(gates: Gates) -> Gates:
    """Returns the same gates with every look-up recorded."""
    counts = None if gates.counts is None else RecordingLookup(gates.counts)
    return replace(
        gates,
        available_micros=RecordingLookup(gates.available_micros),
        counts=counts,
        pass_rates=RecordingLookup(gates.pass_rates),
    )


def recorded_lookups(gates: Gates) -> dict[str, Any]:
    """
    Returns recording *gates* as a JSON-compatible dict: look-ups hold the names that were read. Values at their default
    are left out.
    """
    found: dict[str, Any] = {
        name: value for name in _PLAIN if (value := getattr(gates, name)) != getattr(_DEFAULT, name)
    }
    for name, attribute in _LOOKUPS.items():
        lookup = getattr(gates, attribute)
        if isinstance(lookup, RecordingLookup):
            found[name] = lookup.seen
    return found


def replayed(seen: Mapping[str, Any]) -> Gates:
    """
    Returns the gates in a result of `recorded_lookups`.
    Raises ValueError, KeyError or TypeError for anything else.
    """
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
