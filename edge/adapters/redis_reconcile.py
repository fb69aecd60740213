"""The desk at which control leaves what it misses: two hashes in Redis."""

from collections.abc import Mapping
from typing import Any

import structlog

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.tracking.reconcile import Kept, ReconcileInvalid, Wanted, encode_kept, parse_wanted
from edge.ports import ReconcileDeskUnavailable

_CALL_S = 2.0

_log = structlog.get_logger(__name__)


class RedisReconcileDesk:
    """Connects when first used."""

    def __init__(self, url: str, channels: Channels) -> None:
        self._redis = patient_redis(url, connect_s=_CALL_S)
        self._channels = channels

    async def wanted(self) -> Mapping[str, Wanted]:
        async with answering(_CALL_S, ReconcileDeskUnavailable):
            stored: Any = await self._redis.hgetall(self._channels.records_wanted)
        found = {}
        for writer, raw in stored.items():
            try:
                found[writer.decode()] = parse_wanted(raw)
            except ReconcileInvalid as error:
                _log.warning("request_unreadable", writer=repr(writer), reason=str(error))
        return found

    async def tell(self, kept: Mapping[str, Kept]) -> None:
        mapping: dict[Any, Any] = {writer: encode_kept(one) for writer, one in kept.items()}
        if mapping:
            async with answering(_CALL_S, ReconcileDeskUnavailable):
                await self._redis.hset(self._channels.records_kept, mapping=mapping)

    async def close(self) -> None:
        await self._redis.aclose()
