"""What a worker keeps of mailings between calls, and how it detects that their store came back empty."""

import asyncio
from contextlib import suppress
from typing import Final
from weakref import WeakValueDictionary

from common.values.clock import Clock
from common.values.generation_cache import GenerationCache
from edge.ports import MailStore, MailStoreUnavailable

_KEPT: Final = 2048
_EVERY_S = 5.0
_AGAIN_S = 1.0


class MailMemory:
    """Belongs to one event loop. ``templates``: parsed templates of items, by id."""

    def __init__(self) -> None:
        self.templates = GenerationCache(_KEPT)
        self._locks = WeakValueDictionary[tuple[str, str], asyncio.Lock]()

    def lock(self, property_id: str, send_id: str) -> asyncio.Lock:
        """The same for parallel calls of one send, of which one after the other queries the store."""
        name = property_id, send_id
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock


async def watch_history(mails: MailStore, clock: Clock) -> None:
    """Runs until cancelled. A worker that has not prepared a mail yet holds the id of the store, too."""
    while True:
        pause_s = _AGAIN_S
        with suppress(MailStoreUnavailable):
            await mails.check_history(clock.now_ms())
            pause_s = _EVERY_S
        await asyncio.sleep(pause_s)
