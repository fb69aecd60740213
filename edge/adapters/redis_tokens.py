"""Claimed (token, kind) pairs in Redis: a key each, with the token's life."""

import uuid

from redis.asyncio import Redis

from common.channels import Channels
from common.clock import Clock
from common.environment import Environment
from common.redis_client import patient_redis
from edge.adapters.redis_pipeline import RedisPipeline
from edge.ports import TokenStoreUnavailable

CALL_S = 0.05


class RedisTokenStore:
    """Calls of one moment travel in one pipeline. Belongs to one event loop."""

    def __init__(
        self,
        redis: Redis,
        channels: Channels,
        environment: Environment,
        clock: Clock,
        *,
        call_s: float = CALL_S,
    ) -> None:
        """*call_s*: what the port promises, and no more than a test on a busy machine may change."""
        self._pipeline = RedisPipeline(redis, clock, away=TokenStoreUnavailable, call_s=call_s)
        self._channels = channels
        self._environment = environment

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
        """Connects when first asked."""
        redis = patient_redis(url, connect_s=call_s)
        return cls(redis, channels, environment, clock, call_s=call_s)

    async def seen(self, token_id: uuid.UUID, kind: str) -> bool:
        return bool(await self._pipeline.call("EXISTS", self._key(token_id, kind)))

    async def claim(self, token_id: uuid.UUID, kind: str, *, ttl_s: int) -> None:
        await self._pipeline.call("SET", self._key(token_id, kind), b"1", "NX", "EX", ttl_s)

    async def close(self) -> None:
        await self._pipeline.close()

    def _key(self, token_id: uuid.UUID, kind: str) -> str:
        return self._channels.token_claim(self._environment, token_id.hex, kind)
