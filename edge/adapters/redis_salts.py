"""The salt of a day in Redis: a key a day, which Redis expires soon after the day is over."""

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.values.environment import Environment
from edge.ports import SaltStoreUnavailable

CALL_S = 1.0
_AGREE = """
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PXAT', ARGV[2])
return redis.call('GET', KEYS[1])
"""


class RedisSaltStore:
    """Never called during a request. Belongs to one event loop."""

    def __init__(
        self, redis: Redis, channels: Channels, environment: Environment, *, call_s: float = CALL_S
    ) -> None:
        self._redis = redis
        self._channels = channels
        self._environment = environment
        self._call_s = call_s

    @classmethod
    def open(cls, url: str, channels: Channels, environment: Environment) -> "RedisSaltStore":
        """Connects at the first call."""
        return cls(patient_redis(url, connect_s=CALL_S), channels, environment)

    async def agree(self, day: int, proposed: bytes, until_ms: int) -> bytes:
        key = self._channels.day_salt(self._environment, day)
        async with answering(self._call_s, SaltStoreUnavailable):
            found: bytes | None = await self._redis.eval(_AGREE, 1, key, proposed, until_ms)
        return proposed if found is None else found

    async def close(self) -> None:
        await self._redis.aclose()
