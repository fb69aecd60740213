"""Lets an old snapshot stay readable after a delta was applied, by storing only what changed."""

from collections.abc import Iterator, Mapping
from typing import Any

MISSING: Any = object()
"""Marks a key in a difference that was absent before."""


class RerootedMap(Mapping[Any, Any]):
    """
    A former state of a map: the differences, and a reference to the map of the next snapshot (persistent maps by
    rerooting: Baker, 1978). A look-up costs one step for each later delta; iteration and len cost the whole map.
    """

    __slots__ = ("name", "newer", "was")

    def __init__(self, was: Mapping[Any, Any], newer: object, name: str) -> None:
        """*newer*: the next snapshot; *name*: the map's name in it."""
        self.was = was
        self.newer = newer
        self.name = name

    def __getitem__(self, key: Any) -> Any:
        view: Any = self
        while isinstance(view, RerootedMap):
            if key in view.was:
                value = view.was[key]
                if value is MISSING:
                    raise KeyError(key)
                return value
            view = getattr(view.newer, view.name)
        return view[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.whole())

    def __len__(self) -> int:
        return len(self.whole())

    def __repr__(self) -> str:
        return f"Older({self.whole()!r})"

    def whole(self) -> dict[Any, Any]:
        """Returns an independent copy."""
        steps: list[RerootedMap] = []
        view: Any = self
        while isinstance(view, RerootedMap):
            steps.append(view)
            view = getattr(view.newer, view.name)
        whole = dict(view)
        for step in reversed(steps):
            for key, value in step.was.items():
                if value is MISSING:
                    whole.pop(key, None)
                else:
                    whole[key] = value
        return whole
