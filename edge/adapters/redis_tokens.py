"""Claimed (token, kind) pairs in Redis: one key each, with the lifetime of the token."""

import asyncio
from collections.abc import Sequence

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.values.clock import Clock
from common.values.environment import Environment
from edge.adapters.cluster_batcher import open_batcher
from edge.ports import TokenClaim, TokenKey, TokenStoreUnavailable

CALL_S = 0.05
_CLAIM = """
local fresh = {}
for i, key in ipairs(KEYS) do fresh[i] = redis.call('SET', key, '1', 'NX', 'EX', ARGV[i]) and 1 or 0 end
return fresh
"""


class RedisTokenStore:
    """
    One Redis command a call, for any number of token keys. On a cluster one a key, because each has its own node; a
    call is unavailable where one node is. Belongs to one event loop.
    """

    def __init__(
        self,
        redis: Redis,
        channels: Channels,
        environment: Environment,
        clock: Clock,
        *,
        call_s: float = CALL_S,
    ) -> None:
        """*call_s*: the limit that the port promises; only tests on busy machines should change it."""
        self._is_cluster = channels.is_cluster
        self._pipeline = open_batcher(
            redis, clock, unavailable=TokenStoreUnavailable, call_s=call_s
        )
        self._prefix = channels.token_claim(environment, "")

    @classmethod
    def open(
        cls,
        url: str,
        channels: Channels,
        environment: Environment,
        clock: Clock,
        *,
        call_s: float = CALL_S,
    ) -> "RedisTokenStore":
        """Connects at the first call."""
        redis = patient_redis(url, connect_s=call_s)
        return cls(redis, channels.on(url), environment, clock, call_s=call_s)

    async def seen(self, token_keys: Sequence[TokenKey]) -> list[bool]:
        if not token_keys:
            return []
        keys = [self._prefix + token_key for token_key in token_keys]
        if self._is_cluster:
            found = await asyncio.gather(*(self._pipeline.call("GET", key) for key in keys))
        else:
            found = await self._pipeline.call("MGET", *keys)
        return [value is not None for value in found]

    async def claim(self, claims: Sequence[TokenClaim]) -> list[bool]:
        if not claims:
            return []
        keys = [self._prefix + token_key for token_key, _ in claims]
        lives = [ttl_s for _, ttl_s in claims]
        if self._is_cluster:
            pairs = zip(keys, lives, strict=True)
            claimed = (
                self._pipeline.call("SET", key, "1", "NX", "EX", ttl_s) for key, ttl_s in pairs
            )
            return [one is not None for one in await asyncio.gather(*claimed)]
        fresh = await self._pipeline.call("EVAL", _CLAIM, len(keys), *keys, *lives)
        return [one == 1 for one in fresh]

    async def close(self) -> None:
        await self._pipeline.close()
