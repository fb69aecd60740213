"""The lease mailbox on Redis: a hash of reports and a hash of grants, with a field a worker."""

from collections.abc import Collection, Mapping
from typing import Any

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.service.redis_settings import LEASE_ROLE
from control.ports.leases import LeaseMailboxUnavailable

_CALL_S = 1.0


class RedisLeaseMailbox:
    def __init__(self, url: str, channels: Channels) -> None:
        self._redis = patient_redis(url, connect_s=_CALL_S)
        self._channels = channels.on(url)

    async def reports(self) -> dict[str, bytes]:
        async with answering(_CALL_S, LeaseMailboxUnavailable, setting=LEASE_ROLE):
            found: Any = await self._redis.hgetall(self._channels.lease_reports)
        return {worker.decode(): raw for worker, raw in found.items()}

    async def put(self, grants: Mapping[str, bytes]) -> None:
        if not grants:
            return
        async with (
            answering(_CALL_S, LeaseMailboxUnavailable, setting=LEASE_ROLE),
            self._redis.pipeline(transaction=False) as pipe,
        ):
            for worker, raw in grants.items():
                pipe.hset(self._channels.lease_grants, worker, raw)
            await pipe.execute()

    async def delete(self, workers: Collection[str]) -> None:
        if not workers:
            return
        async with (
            answering(_CALL_S, LeaseMailboxUnavailable, setting=LEASE_ROLE),
            self._redis.pipeline(transaction=False) as pipe,
        ):
            pipe.hdel(self._channels.lease_reports, *workers)
            pipe.hdel(self._channels.lease_grants, *workers)
            await pipe.execute()

    async def close(self) -> None:
        await self._redis.aclose()
