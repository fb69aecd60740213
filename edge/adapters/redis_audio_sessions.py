"""Sessions of stitched audio in Redis: a string a session, a list of what was sent; all of them expire."""

from collections.abc import Sequence
from typing import Any

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.values.environment import Environment
from edge.ports import AudioSessionStoreUnavailable

CALL_S = 0.25
_PUT_NEW = """
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2])
return redis.call('GET', KEYS[1])
"""
_ADD = """
redis.call('RPUSH', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return redis.call('LRANGE', KEYS[1], 0, -1)
"""


class RedisAudioSessionStore:
    """Belongs to one event loop."""

    def __init__(
        self, redis: Redis, channels: Channels, environment: Environment, *, call_s: float = CALL_S
    ) -> None:
        self._redis = redis
        self._prefix = channels.audio(environment, "")
        self._call_s = call_s

    @classmethod
    def open(
        cls, url: str, channels: Channels, environment: Environment
    ) -> "RedisAudioSessionStore":
        """Connects at the first call."""
        return cls(patient_redis(url, connect_s=CALL_S), channels, environment)

    async def put_new(self, key: str, body: bytes, ttl_s: int) -> bytes:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            found: bytes | None = await self._redis.eval(
                _PUT_NEW, 1, self._prefix + key, body, ttl_s
            )
        return body if found is None else found

    async def find(self, key: str) -> bytes | None:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            found: Any = await self._redis.get(self._prefix + key)
        return None if found is None else bytes(found)

    async def put(self, key: str, body: bytes, ttl_s: int) -> None:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            await self._redis.set(self._prefix + key, body, ex=ttl_s)

    async def add_sent(self, key: str, pieces: Sequence[bytes], ttl_s: int) -> list[bytes]:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            found: list[bytes] = await self._redis.eval(_ADD, 1, self._prefix + key, ttl_s, *pieces)
        return found

    async def claim(self, key: str, ttl_s: int) -> bool:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            return bool(await self._redis.set(self._prefix + key, b"1", nx=True, ex=ttl_s))

    async def close(self) -> None:
        await self._redis.aclose()
