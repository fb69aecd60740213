"""What is worked out from a snapshot and kept with it, and how it gets along when a delta leads to the next one."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from common.snapshot.model import ObjectType

if TYPE_CHECKING:
    from common.snapshot.snapshot import Snapshot

MAX_KEPT = 50_000
"""Beyond so many things all are forgotten: they are worked out again as they are asked for."""

_LEAVING_AT_ONCE = 4
"""Of what was forgotten, as something is learned: it is gone before as much is forgotten again."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a delta named, between two snapshots that both can be read."""

    before: "Snapshot"
    after: "Snapshot"
    objects: tuple[tuple[ObjectType, str], ...]


class SnapshotListener(Protocol):
    """Something large that is changed along with a snapshot rather than worked out anew."""

    def follow(self, change: Change) -> "SnapshotListener":
        """
        What stands for ``change.after``. Itself, changed: then ``change.before`` has none any more. Or another: then
        this one goes on standing for ``change.before``.
        """
        ...


class DerivedCache:
    """
    A memory beside a snapshot. ``derived[key] = value`` holds for this very snapshot; `keep` names the objects that
    *value* follows from, and holds until a delta changes one of them. Keys are the caller's own; None is no value.
    """

    __slots__ = ("_about", "_brief", "_followers", "_known", "_leaving", "get")

    get: Callable[[Hashable], Any]

    def __init__(self) -> None:
        self._followers: dict[Hashable, SnapshotListener] = {}
        self._leaving: list[dict[Any, Any]] = []
        """What was forgotten, taken apart one by one: all at once takes tens of milliseconds."""
        self._clear()

    def __setitem__(self, key: Hashable, value: Any) -> None:
        self._make_room()
        self._known[key] = value
        self._brief.append(key)

    def keep(self, key: Hashable, value: Any, about: Iterable[str]) -> None:
        """*about*: ids of every object of the snapshot that *value* follows from; the same whenever *key* is."""
        self._make_room()
        if key not in self._known:
            for object_id in about:
                self._about.setdefault(object_id, []).append(key)
        self._known[key] = value

    def find_follower(self, key: Hashable) -> SnapshotListener | None:
        return self._followers.get(key)

    def attach(self, key: Hashable, follower: SnapshotListener) -> None:
        self._followers[key] = follower

    def pieces(self) -> list[object]:
        """All that can be worked out again: who holds it may drop this memory, and then them one by one."""
        found: list[object] = []
        for one in (*self._leaving, self._known, self._about):
            found += one
            found += one.values()
        return found

    def hand_on(self, change: Change) -> "DerivedCache":
        """What ``change.after`` starts with. This one forgets what it can work out again."""
        heir = DerivedCache()
        heir._take(self._known, self._about)
        heir._leaving, self._leaving = self._leaving, []
        heir._forget(self._brief)
        for _, object_id in change.objects:
            heir._forget(heir._about.pop(object_id, ()))
        self._clear()
        for key, follower in list(self._followers.items()):
            heir._followers[key] = follower.follow(change)
            if heir._followers[key] is follower:
                del self._followers[key]
        return heir

    def _clear(self) -> None:
        self._brief: list[Hashable] = []
        self._take({}, {})

    def _take(self, known: dict[Hashable, Any], about: dict[str, list[Hashable]]) -> None:
        self._known, self._about = known, about
        self.get = known.get

    def _forget(self, keys: Iterable[Hashable]) -> None:
        for key in keys:
            self._known.pop(key, None)

    def _make_room(self) -> None:
        if len(self._known) >= MAX_KEPT:
            self._leaving += (self._known, self._about)
            self._clear()
        for _ in range(_LEAVING_AT_ONCE):
            if self._leaving and not self._leaving[-1]:
                self._leaving.pop()
            if self._leaving:
                self._leaving[-1].popitem()
