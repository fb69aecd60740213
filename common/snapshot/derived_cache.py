"""Values derived from a snapshot and cached with it, and how they are carried over to the next snapshot."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from common.snapshot.model import ObjectType

if TYPE_CHECKING:
    from common.snapshot.snapshot import Snapshot

MAX_KEPT = 50_000
"""Beyond this number of values the cache is cleared; values are then computed again on demand."""

_LEAVING_AT_ONCE = 4
"""Cleared entries to release with each insert: all of them are released before as many are cleared again."""


@dataclass(frozen=True, slots=True)
class Change:
    """The objects that a delta names, between two snapshots that are both readable."""

    before: "Snapshot"
    after: "Snapshot"
    objects: tuple[tuple[ObjectType, str], ...]


class SnapshotListener(Protocol):
    """A large derived object that is updated along with a snapshot instead of computed anew."""

    def follow(self, change: Change) -> "SnapshotListener":
        """
        Returns the object for ``change.after``. It may return itself, updated: then ``change.before`` has none any
        more. Or it returns another object: then this one continues to serve ``change.before``.
        """
        ...


class DerivedCache:
    """
    Cache of one snapshot. A value set by ``derived[key] = value`` holds for this snapshot only. `keep` names the
    objects that a value follows from, and the value holds until a delta changes one of them. Keys are chosen by the
    caller; None is not a value.

    It is no `GenerationCache`: a value moves to the next snapshot unless a delta names one of its objects, so the cache
    must find the values of an object, and release each exactly once.
    """

    __slots__ = ("_about", "_brief", "_followers", "_known", "_leaving", "get")

    get: Callable[[Hashable], Any]

    def __init__(self) -> None:
        self._followers: dict[Hashable, SnapshotListener] = {}
        self._leaving: list[dict[Any, Any]] = []
        """Cleared entries, released one by one: releasing all at once takes tens of milliseconds."""
        self._clear()

    def __setitem__(self, key: Hashable, value: Any) -> None:
        self._make_room()
        self._known[key] = value
        self._brief.append(key)

    def keep(self, key: Hashable, value: Any, about: Iterable[str]) -> None:
        """
        *about*: ids of every object of the snapshot that *value* follows from;
        always the same for the same *key*.
        """
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
        """
        Returns everything that can be computed again: a caller that holds it may drop the cache first, and then them
        one by one.
        """
        found: list[object] = []
        for one in (*self._leaving, self._known, self._about):
            found += one
            found += one.values()
        return found

    def hand_on(self, change: Change) -> "DerivedCache":
        """
        Returns the cache with which ``change.after`` starts.
        This cache drops all values that can be computed again.
        """
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
