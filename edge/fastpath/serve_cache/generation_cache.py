"""A bounded memory that forgets what was not asked for lately, a little at a time."""

from collections.abc import Hashable
from typing import Any, final


@final
class GenerationCache:
    """
    Two generations of *most* things each: what is asked for moves into the younger, and the elder is dropped when that
    is full; one by one, for all at once takes milliseconds. None is no value.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._young: dict[Hashable, Any] = {}
        self._old: dict[Hashable, Any] = {}
        self._leaving: dict[Hashable, Any] = {}

    def get(self, key: Hashable) -> Any:
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: Hashable, value: Any) -> None:
        if len(self._young) >= self._most:
            self._leaving, self._old, self._young = self._old, self._young, {}
        if self._leaving:
            self._leaving.popitem()
        self._young[key] = value

    def __len__(self) -> int:
        return len(self._young) + len(self._old) + len(self._leaving)
