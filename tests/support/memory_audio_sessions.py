"""Sessions of stitched audio in memory, for tests: workers of one process share it."""

from collections.abc import Sequence

from common.values.clock import Clock
from edge.ports import AudioSessionStoreUnavailable


class MemoryAudioSessionStore:
    """``is_unavailable = True`` makes every call raise `AudioSessionStoreUnavailable`."""

    def __init__(self, clock: Clock) -> None:
        self.is_unavailable = False
        self._clock = clock
        self._kept: dict[str, tuple[list[bytes], int]] = {}

    async def put_new(self, key: str, body: bytes, ttl_s: int) -> bytes:
        found = await self.find(key)
        if found is None:
            await self.put(key, body, ttl_s)
        return body if found is None else found

    async def find(self, key: str) -> bytes | None:
        found = self._list(key)
        return found[0] if found else None

    async def put(self, key: str, body: bytes, ttl_s: int) -> None:
        self._check()
        self._kept[key] = ([body], self._until_ms(ttl_s))

    async def add_sent(self, key: str, pieces: Sequence[bytes], ttl_s: int) -> list[bytes]:
        found = [*self._list(key), *pieces]
        self._kept[key] = (found, self._until_ms(ttl_s))
        return list(found)

    async def claim(self, key: str, ttl_s: int) -> bool:
        is_new = not self._list(key)
        if is_new:
            await self.put(key, b"1", ttl_s)
        return is_new

    def names(self) -> list[str]:
        return list(self._kept)

    async def close(self) -> None:
        self._kept.clear()

    def _list(self, key: str) -> list[bytes]:
        self._check()
        found, until_ms = self._kept.get(key, ([], 0))
        return found if until_ms > self._clock.now_ms() else []

    def _until_ms(self, ttl_s: int) -> int:
        return self._clock.now_ms() + ttl_s * 1000

    def _check(self) -> None:
        if self.is_unavailable:
            raise AudioSessionStoreUnavailable
