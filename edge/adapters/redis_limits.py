"""The shares of rate limits of an environment's edge machines: one Redis hash, with a version and the table."""

from typing import Any, Final

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.values.environment import Environment
from common.values.ids import new_id
from edge.state.limit_store import LimitStoreUnavailable, StoredLimits

_CALL_S: Final = 1.0
_LIFE_S: Final = 60
"""Of the table: longer than any machine in it may be silent."""
_REPLACE: Final = """
local found = redis.call('hget', KEYS[1], 'version') or ''
if found ~= ARGV[1] then return 0 end
redis.call('hset', KEYS[1], 'version', ARGV[2], 'table', ARGV[3])
redis.call('expire', KEYS[1], ARGV[4])
return 1
"""


class RedisLimitStore:
    def __init__(self, redis: Redis, channels: Channels, environment: Environment) -> None:
        self._redis = redis
        self._name = channels.limit_shares(environment)

    @classmethod
    def open(cls, url: str, channels: Channels, environment: Environment) -> "RedisLimitStore":
        """Connects at the first call."""
        return cls(patient_redis(url, connect_s=_CALL_S), channels, environment)

    async def read(self) -> StoredLimits:
        async with (
            answering(_CALL_S, LimitStoreUnavailable),
            self._redis.pipeline(transaction=False) as pipe,
        ):
            pipe.time()
            pipe.hgetall(self._name)
            (seconds, micros), stored = await pipe.execute()
        return StoredLimits(
            version=stored.get(b"version", b"").decode(),
            raw=stored.get(b"table", b""),
            now_ms=int(seconds) * 1000 + int(micros) // 1000,
        )

    async def replace(self, version: str, raw: bytes) -> bool:
        async with answering(_CALL_S, LimitStoreUnavailable):
            replaced: Any = await self._redis.eval(
                _REPLACE, 1, self._name, version, new_id(), raw, _LIFE_S
            )
        return bool(replaced)

    async def close(self) -> None:
        await self._redis.aclose()
