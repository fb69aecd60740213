"""A token store in memory, for tests: it forgets with its process."""

import uuid

from common.clock import Clock
from edge.ports import TokenStoreUnavailable


class MemoryTokenStore:
    """``away = True`` makes every call raise `TokenStoreUnavailable`."""

    def __init__(self, clock: Clock) -> None:
        self.away = False
        self._clock = clock
        self._expires_ms: dict[tuple[uuid.UUID, str], int] = {}

    async def seen(self, token_id: uuid.UUID, kind: str) -> bool:
        self._check()
        return self._expires_ms.get((token_id, kind), 0) > self._clock.now_ms()

    async def claim(self, token_id: uuid.UUID, kind: str, *, ttl_s: int) -> None:
        self._check()
        self._expires_ms.setdefault((token_id, kind), self._clock.now_ms() + ttl_s * 1000)

    async def close(self) -> None:
        self._expires_ms.clear()

    def _check(self) -> None:
        if self.away:
            raise TokenStoreUnavailable
