"""A bounded cache that evicts entries which were not used recently, a few at a time."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, final


@final
class GenerationCache:
    """
    Two generations of *max_size* entries each. A used entry moves into the young generation.

    When the young generation is full, it replaces the old one. The old entries are then evicted one with each new
    entry, because evicting all at once takes milliseconds. None cannot be a value. Belongs to one thread.

    *weigh* and *max_weight* bound the weight of the young generation, too. An entry is weighed when the next one is
    put, because it may grow after it was put; so one entry may exceed the bound.
    """

    def __init__(
        self, max_size: int, *, max_weight: int = 0, weigh: Callable[[Any], int] | None = None
    ) -> None:
        self._max_size = max_size
        self._max_weight = max_weight
        self._weigh = weigh
        self._weight = 0
        self._last: Any = None
        """The entry that was put last and is not weighed yet."""
        self._young: dict[Hashable, Any] = {}
        self._old: dict[Hashable, Any] = {}
        self._evicting: dict[Hashable, Any] = {}

    def get(self, key: Hashable) -> Any:
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: Hashable, value: Any) -> None:
        young = self._young
        before = len(young)
        young[key] = value
        if len(young) > before:
            self._make_room(value)

    def discard(self, key: Hashable) -> None:
        """Removes the entry of *key*, if there is one."""
        self._young.pop(key, None)
        self._old.pop(key, None)

    def clear(self) -> None:
        """Removes all entries. They are released at once: only for a cache whose entries are few or small."""
        self._young, self._old, self._evicting = {}, {}, {}

    def values(self) -> Iterator[Any]:
        """Yields every value that the cache refers to, some of them twice."""
        for generation in (self._young, self._old, self._evicting):
            yield from generation.values()

    def __len__(self) -> int:
        return len(self._young) + len(self._old) + len(self._evicting)

    def _make_room(self, value: Any) -> None:
        """*value*: the entry that was just added to the young generation."""
        if self._evicting:
            self._evicting.popitem()
        if self._weigh is not None:
            self._weight += 0 if self._last is None else self._weigh(self._last)
            self._last = value
        if len(self._young) >= self._max_size or self._weight > self._max_weight:
            self._evicting, self._old, self._young = self._old, self._young, {}
            self._weight = 0
