"""Reports and grants in Redis: a hash each, a field a worker."""

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from edge.ports import LeaseStoreUnavailable

CALL_S = 2.0
"""Requests wait for none of it, and a loop with much to do is some turns late to hear what has come."""


class RedisLeaseStore:
    def __init__(self, redis: Redis, channels: Channels, *, call_s: float = CALL_S) -> None:
        """*call_s*: what the port promises, and no more than a test on a busy machine may change."""
        self._redis = redis
        self._channels = channels
        self._call_s = call_s

    @classmethod
    def open(cls, url: str, channels: Channels, *, call_s: float = CALL_S) -> "RedisLeaseStore":
        """Connects when first asked."""
        return cls(patient_redis(url, connect_s=call_s), channels, call_s=call_s)

    async def exchange(self, worker: str, report: bytes) -> bytes | None:
        async with (
            answering(self._call_s, LeaseStoreUnavailable),
            self._redis.pipeline(transaction=False) as pipe,
        ):
            pipe.hset(self._channels.lease_reports, worker, report)
            pipe.hget(self._channels.lease_grants, worker)
            _, grants = await pipe.execute()
        found: bytes | None = grants
        return found

    async def close(self) -> None:
        await self._redis.aclose()
