"""Sessions of stitched audio in memory, for tests: workers of one process share it."""

import orjson

from common.values.clock import Clock
from edge.ports import MAX_SENT_SPANS, AudioSessionStoreUnavailable


class MemoryAudioSessionStore:
    """``is_unavailable = True`` makes every call raise `AudioSessionStoreUnavailable`."""

    def __init__(self, clock: Clock) -> None:
        self.is_unavailable = False
        self._clock = clock
        self._kept: dict[str, tuple[bytes, int]] = {}

    async def put_new(self, key: str, body: bytes, ttl_s: int) -> bytes:
        await self.replace(key, None, body, ttl_s)
        return self._find(key) or body

    async def find(self, key: str) -> bytes | None:
        return self._find(key)

    async def replace(self, key: str, known: bytes | None, body: bytes, ttl_s: int) -> bool:
        is_known = self._find(key) == known
        if is_known:
            self._kept[key] = (body, self._clock.now_ms() + ttl_s * 1000)
        return is_known

    async def add_sent(self, key: str, span: tuple[int, int], ttl_s: int) -> tuple[int, int]:
        known = self._find(key)
        before = [] if known is None else [(one[0], one[1]) for one in orjson.loads(known)]
        after = list[tuple[int, int]]()
        for start, end in sorted([*before, span]):
            if after and start <= after[-1][1]:
                after[-1] = after[-1][0], max(end, after[-1][1])
            elif start < end:
                after.append((start, end))
        if len(after) > MAX_SENT_SPANS:
            return _covered(before), _covered(before)
        await self.replace(key, known, orjson.dumps(after), ttl_s)
        return _covered(before), _covered(after)

    async def claim(self, key: str, ttl_s: int) -> bool:
        return await self.replace(key, None, b"1", ttl_s)

    def names(self) -> list[str]:
        return list(self._kept)

    async def close(self) -> None:
        self._kept.clear()

    def _find(self, key: str) -> bytes | None:
        if self.is_unavailable:
            raise AudioSessionStoreUnavailable
        found, until_ms = self._kept.get(key, (None, 0))
        return found if until_ms > self._clock.now_ms() else None


def _covered(spans: list[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)
