"""Values derived from a snapshot and cached with it, and how they are carried over to the next snapshot."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from common.snapshot.model import ObjectType

if TYPE_CHECKING:
    from common.snapshot.snapshot import Snapshot

MAX_VALUES = 50_000
"""Beyond this number of values the cache is cleared; values are then computed again on demand."""

_EVICTED_AT_ONCE = 4
"""Cleared entries to release with each insert: all of them are released before as many are cleared again."""

_NOT_DEPENDED_ON = frozenset({ObjectType.PACE, ObjectType.RATES})
"""They change several times a minute, and have the ids of their campaigns and ads."""


@dataclass(frozen=True, slots=True)
class Change:
    """The objects that a delta names, between two snapshots that are both readable."""

    before: "Snapshot"
    after: "Snapshot"
    objects: tuple[tuple[ObjectType, str], ...]


class SnapshotListener(Protocol):
    """A large derived object that is updated along with a snapshot instead of computed anew."""

    def apply_delta(self, change: Change) -> "SnapshotListener":
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

    __slots__ = (
        "_brief",
        "_dependents",
        "_evicting",
        "_listeners",
        "_values",
        "find_listener",
        "get",
    )

    find_listener: Callable[[Hashable], SnapshotListener | None]
    get: Callable[[Hashable], Any]

    def __init__(self) -> None:
        self._listeners: dict[Hashable, SnapshotListener] = {}
        self.find_listener = self._listeners.get
        self._evicting: list[dict[Any, Any]] = []
        """Cleared entries, released one by one: releasing all at once takes tens of milliseconds."""
        self._clear()

    def __setitem__(self, key: Hashable, value: Any) -> None:
        self._evict()
        self._values[key] = value
        self._brief.append(key)

    def put(self, key: Hashable, value: Any, depends_on: Iterable[str]) -> None:
        """
        *depends_on*: ids of every object of the snapshot that *value* follows from; always the same for the same
        *key*. A value that depends on deliveries or learned rates cannot be kept.
        """
        self._evict()
        if key not in self._values:
            for object_id in depends_on:
                self._dependents.setdefault(object_id, {})[key] = None
        self._values[key] = value

    def attach(self, key: Hashable, listener: SnapshotListener) -> None:
        self._listeners[key] = listener

    def owned_parts(self) -> list[object]:
        """
        Returns everything that can be computed again: a caller that holds it may drop the cache first, and then them
        one by one.
        """
        found: list[object] = []
        for one in (*self._evicting, self._values, self._dependents):
            found += one
            found += one.values()
        return found

    def transfer_to(self, change: Change) -> "DerivedCache":
        """
        Returns the cache with which ``change.after`` starts.
        This cache drops all values that can be computed again.
        """
        successor = DerivedCache()
        successor._set(self._values, self._dependents)
        successor._evicting, self._evicting = self._evicting, []
        successor._drop(self._brief)
        for kind, object_id in change.objects:
            if kind not in _NOT_DEPENDED_ON:
                successor._drop(successor._dependents.pop(object_id, ()))
        self._clear()
        for key, listener in list(self._listeners.items()):
            successor._listeners[key] = listener.apply_delta(change)
            if successor._listeners[key] is listener:
                del self._listeners[key]
        return successor

    def _clear(self) -> None:
        self._brief: list[Hashable] = []
        self._set({}, {})

    def _set(
        self, values: dict[Hashable, Any], dependents: dict[str, dict[Hashable, None]]
    ) -> None:
        self._values, self._dependents = values, dependents
        self.get = values.get

    def _drop(self, keys: Iterable[Hashable]) -> None:
        for key in keys:
            self._values.pop(key, None)

    def _evict(self) -> None:
        if len(self._values) >= MAX_VALUES:
            self._evicting += (self._values, self._dependents)
            self._clear()
        for _ in range(_EVICTED_AT_ONCE):
            if self._evicting and not self._evicting[-1]:
                self._evicting.pop()
            if self._evicting:
                self._evicting[-1].popitem()
