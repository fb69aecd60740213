"""Gates that remember what was looked at, and gates recalled from such a memory: a replay asks for no more."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from pydantic import TypeAdapter

from common.decision.gates import Gates

Seen = dict[str, int | None]
"""Name to the value that was there, None where there was none."""


class NotLookedAt(LookupError):
    """A recalled gate is asked for what the decision never looked at, so nobody wrote it down."""


class Watched(Mapping[str, int]):
    """Reads through to *source* and remembers each name and what was there."""

    def __init__(self, source: Mapping[str, int]) -> None:
        self.seen: Seen = {}
        self._source = source

    def __getitem__(self, name: str) -> int:
        value = self.seen[name] = self._source.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._source)

    def __len__(self) -> int:
        return len(self._source)


class Recalled(Mapping[str, int]):
    """What a `Watched` saw; anything else raises `NotLookedAt`."""

    def __init__(self, seen: Mapping[str, int | None]) -> None:
        self._seen = seen

    def __getitem__(self, name: str) -> int:
        if name not in self._seen:
            raise NotLookedAt(name)
        value = self._seen[name]
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name, value in self._seen.items() if value is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def watched(gates: Gates) -> Gates:
    """The same gates, with every mapping in them watched."""
    return _with_mappings(gates, Watched)


def seen_of(gates: Gates) -> dict[str, Any]:
    """*gates* as JSON may hold them: plain values, and of mappings what was looked at. Defaults are left out."""
    found: dict[str, Any] = {}
    for name in _NAMES:
        value = getattr(gates, name)
        if isinstance(value, Mapping):
            found[name] = dict(value.seen if isinstance(value, Watched) else value)
        elif value != getattr(_DEFAULT, name):
            found[name] = value
    return found


def recalled(seen: Mapping[str, Any]) -> Gates:
    """The gates that `seen_of` wrote down. Raises ValueError for what it never wrote."""
    mappings = {name: value for name, value in seen.items() if isinstance(value, Mapping)}
    plain = {name: value for name, value in seen.items() if name not in mappings}
    found: dict[str, Any] = {
        name: Recalled(_SEEN.validate_python(value)) for name, value in mappings.items()
    }
    return replace(_GATES.validate_python(plain), **found)


def _with_mappings(gates: Gates, wrap: type[Watched]) -> Gates:
    wrapped: dict[str, Any] = {
        name: wrap(value) for name in _NAMES if isinstance(value := getattr(gates, name), Mapping)
    }
    return replace(gates, **wrapped)


_DEFAULT = Gates()
_NAMES = tuple(field.name for field in fields(Gates))
_GATES: TypeAdapter[Gates] = TypeAdapter(Gates)
_SEEN: TypeAdapter[Seen] = TypeAdapter(Seen)
