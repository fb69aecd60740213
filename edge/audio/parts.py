"""What a worker needs for audio, in one object."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from common.values.generation_cache import GenerationCache
from edge.audio.contents import ContentCache
from edge.audio.sessions import AudioSession
from edge.audio.sounds import Sounds
from edge.ports import AudioSessionStore, AudioSessionStoreUnavailable


@dataclass(slots=True)
class AudioParts:
    """
    ``secret``: of session keys, signed addresses and the hashes of listeners. ``wait_s``: for the source of content and
    the sounds of ads together, in a request. ``joined``: layouts of files by session key.
    """

    sessions: AudioSessionStore
    contents: ContentCache
    sounds: Sounds
    secret: bytes
    wait_s: float
    joined: GenerationCache = field(default_factory=lambda: GenerationCache(256))
    _counting: set[asyncio.Task[None]] = field(default_factory=set)

    def deadline_s(self) -> float:
        """When a request that begins now stops waiting, by the event loop's clock."""
        return asyncio.get_running_loop().time() + self.wait_s

    async def find_session(self, key: str) -> AudioSession | None:
        """None where there is none, and while the store is unavailable."""
        try:
            stored = await self.sessions.find(key)
        except AudioSessionStoreUnavailable:
            return None
        return None if stored is None else AudioSession.parse(stored)

    async def count(self, act: Coroutine[Any, Any, None]) -> None:
        """Runs *act* to its end, even if the listener disconnects meanwhile, as many do after the last byte."""
        task = asyncio.create_task(act)
        self._counting.add(task)
        task.add_done_callback(self._counting.discard)
        await asyncio.shield(task)

    async def close(self) -> None:
        await asyncio.gather(*self._counting, return_exceptions=True)
        await self.sounds.close()
        await self.contents.close()
        await self.sessions.close()
