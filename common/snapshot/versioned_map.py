"""How a snapshot goes on reading as it did when a delta has led away from it: it keeps the difference."""

from collections.abc import Iterator, Mapping
from typing import Any

MISSING: Any = object()
"""Stands in a difference for what was not there."""


class RerootedMap(Mapping[Any, Any]):
    """
    A map as it was: what differs, and behind it the map of the snapshot that followed (persistent maps by rerooting:
    Baker, 1978). A look-up costs a step for each delta since; a walk or a count costs the whole map.
    """

    __slots__ = ("name", "newer", "was")

    def __init__(self, was: Mapping[Any, Any], newer: object, name: str) -> None:
        """*newer*: the snapshot that followed; *name*: the map's name in it."""
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
        """A copy that stands alone."""
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
