"""A mail store in memory, for tests. What it stores ends with the process."""

from collections.abc import Mapping, Sequence

from edge.ports import ItemState, MailStoreUnavailable


class MemoryMailStore:
    """``is_unavailable = True`` makes every call raise `MailStoreUnavailable`."""

    def __init__(self) -> None:
        self.is_unavailable = self.is_lost = False
        self._items: dict[str, bytes | ItemState] = {}
        self._templates: dict[str, bytes] = {}
        self._shown: dict[str, bytes] = {}

    async def check_history(self, now_ms: int) -> bool:  # noqa: ARG002 - it loses nothing with time
        self._check()
        return self.is_lost

    async def claim(self, keys: Sequence[str]) -> list[bytes | ItemState]:
        self._check()
        found: list[bytes | ItemState] = []
        for key in keys:
            found.append(self._items.get(key, ItemState.CLAIMED))
            self._items.setdefault(key, ItemState.PENDING)
        return found

    async def store(self, items: Mapping[str, bytes]) -> list[bytes]:
        self._check()
        stored = []
        for key, item in items.items():
            before = self._items.get(key)
            stored.append(before if isinstance(before, bytes) else item)
            self._items[key] = stored[-1]
        return stored

    async def store_templates(self, templates: Mapping[str, bytes]) -> None:
        self._check()
        self._templates |= templates

    async def find_templates(self, ids: Sequence[str]) -> list[bytes | None]:
        self._check()
        return [self._templates.get(one) for one in ids]

    async def store_shown(self, key: str, shown: bytes, life_s: int) -> None:  # noqa: ARG002 - as above
        self._check()
        self._shown[key] = shown

    async def find_shown(self, key: str) -> bytes | None:
        self._check()
        return self._shown.get(key)

    async def close(self) -> None:
        self._items.clear()

    def _check(self) -> None:
        if self.is_unavailable:
            raise MailStoreUnavailable
