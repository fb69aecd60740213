"""A token store in memory, for tests. Its claims end with the process."""

from collections.abc import Sequence

from common.values.clock import Clock
from edge.ports import TokenClaim, TokenKey, TokenStoreUnavailable


class MemoryTokenStore:
    """``away = True`` makes every call raise `TokenStoreUnavailable`."""

    def __init__(self, clock: Clock) -> None:
        self.is_unavailable = False
        self._clock = clock
        self._expires_ms: dict[TokenKey, int] = {}

    async def seen(self, token_keys: Sequence[TokenKey]) -> list[bool]:
        self._check()
        now_ms = self._clock.now_ms()
        return [self._expires_ms.get(token_key, 0) > now_ms for token_key in token_keys]

    async def claim(self, claims: Sequence[TokenClaim]) -> list[bool]:
        self._check()
        now_ms = self._clock.now_ms()
        fresh = []
        for token_key, ttl_s in claims:
            fresh.append(self._expires_ms.get(token_key, 0) <= now_ms)
            if fresh[-1]:
                self._expires_ms[token_key] = now_ms + ttl_s * 1000
        return fresh

    async def close(self) -> None:
        self._expires_ms.clear()

    def _check(self) -> None:
        if self.is_unavailable:
            raise TokenStoreUnavailable
