"""A bounded cache that evicts the entries which were not used lately, a few at a time."""

from collections.abc import Hashable
from typing import Any, final


@final
class GenerationCache:
    """
    Two generations of *max_size* entries each. An entry that is used moves into the young one. When that is full, it
    becomes the old one, whose entries are evicted one by one: all together take milliseconds. None is no value.
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
