"""What a worker remembers of mailings between calls."""

import asyncio
from typing import Final
from weakref import WeakValueDictionary

from common.values.generation_cache import GenerationCache

_KEPT: Final = 2048


class MailMemory:
    """Belongs to one event loop. ``templates``: parsed templates of items, by id."""

    def __init__(self) -> None:
        self.templates = GenerationCache(_KEPT)
        self._locks = WeakValueDictionary[tuple[str, str], asyncio.Lock]()

    def lock(self, property_id: str, send_id: str) -> asyncio.Lock:
        """The same for parallel calls of one send, of which one after the other asks the store."""
        name = property_id, send_id
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock
