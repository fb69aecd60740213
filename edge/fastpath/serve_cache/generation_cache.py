"""A bounded cache that evicts entries which were not used recently, a few at a time."""

from collections.abc import Hashable
from typing import Any, final


@final
class GenerationCache:
    """
    Two generations of *max_size* entries each. A used entry moves into the young generation.

    When the young generation is full, it replaces the old one. The old entries are then evicted one at each `put`,
    because evicting all at once takes milliseconds. None cannot be a value.
    """

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
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
        if len(self._young) >= self._max_size:
            self._evicting, self._old, self._young = self._old, self._young, {}
        if self._evicting:
            self._evicting.popitem()
        self._young[key] = value

    def __len__(self) -> int:
        return len(self._young) + len(self._old) + len(self._evicting)
