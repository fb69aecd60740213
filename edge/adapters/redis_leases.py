"""Lease reports and grants in Redis: a hash each, with a field a worker."""

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.service.redis_settings import LEASE_ROLE
from edge.ports import LeaseStoreUnavailable

CALL_S = 2.0
"""No request waits for this call, and a busy loop may be some turns late to read the response."""


class RedisLeaseStore:
    def __init__(self, redis: Redis, channels: Channels, *, call_s: float = CALL_S) -> None:
        """*call_s*: the limit that the port promises; only tests on busy machines should change it."""
        self._redis = redis
        self._channels = channels
        self._call_s = call_s

    @classmethod
    def open(cls, url: str, channels: Channels, *, call_s: float = CALL_S) -> "RedisLeaseStore":
        """Connects at the first call."""
        return cls(patient_redis(url, connect_s=call_s), channels.on(url), call_s=call_s)

    async def exchange(self, worker: str, report: bytes) -> bytes | None:
        async with (
            answering(self._call_s, LeaseStoreUnavailable, setting=LEASE_ROLE),
            self._redis.pipeline(transaction=False) as pipe,
        ):
            pipe.hset(self._channels.lease_reports, worker, report)
            pipe.hget(self._channels.lease_grants, worker)
            _, grants = await pipe.execute()
        found: bytes | None = grants
        return found

    async def close(self) -> None:
        await self._redis.aclose()
