"""Claimed (token, kind) pairs in Redis: one key each, with the lifetime of the token."""

from collections.abc import Sequence

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.values.clock import Clock
from common.values.environment import Environment
from edge.adapters.redis_batcher import RedisBatcher
from edge.ports import TokenClaim, TokenKey, TokenStoreUnavailable

CALL_S = 0.05
_CLAIM = """
local fresh = {}
for i, key in ipairs(KEYS) do fresh[i] = redis.call('SET', key, '1', 'NX', 'EX', ARGV[i]) and 1 or 0 end
return fresh
"""


class RedisTokenStore:
    """One Redis command a call, for any number of token keys. Belongs to one event loop."""

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
        self._pipeline = RedisBatcher(
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
        return cls(redis, channels, environment, clock, call_s=call_s)

    async def seen(self, token_keys: Sequence[TokenKey]) -> list[bool]:
        if not token_keys:
            return []
        found = await self._pipeline.call(
            "MGET", *[self._prefix + token_key for token_key in token_keys]
        )
        return [value is not None for value in found]

    async def claim(self, claims: Sequence[TokenClaim]) -> list[bool]:
        if not claims:
            return []
        keys = [self._prefix + token_key for token_key, _ in claims]
        lives = [ttl_s for _, ttl_s in claims]
        fresh = await self._pipeline.call("EVAL", _CLAIM, len(keys), *keys, *lives)
        return [one == 1 for one in fresh]

    async def close(self) -> None:
        await self._pipeline.close()
