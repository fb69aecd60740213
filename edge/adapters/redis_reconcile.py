"""Replay requests and replies of edges, in two Redis hashes."""

from collections.abc import Mapping
from typing import Any

import structlog

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.tracking.reconcile import (
    ReconcileInvalid,
    ReplayRequest,
    Retained,
    encode_retained,
    parse_wanted,
)
from edge.ports import ReplayRequestsUnavailable

_CALL_S = 2.0

_log = structlog.get_logger(__name__)


class RedisReplayRequests:
    """Connects when first used."""

    def __init__(self, url: str, channels: Channels) -> None:
        self._redis = patient_redis(url, connect_s=_CALL_S)
        self._channels = channels

    async def wanted(self) -> Mapping[str, ReplayRequest]:
        async with answering(_CALL_S, ReplayRequestsUnavailable):
            stored: Any = await self._redis.hgetall(self._channels.records_wanted)
        found = {}
        for writer, raw in stored.items():
            try:
                found[writer.decode()] = parse_wanted(raw)
            except ReconcileInvalid as error:
                _log.warning("replay_request_malformed", writer=repr(writer), reason=str(error))
        return found

    async def report_retained(self, kept: Mapping[str, Retained]) -> None:
        mapping: dict[Any, Any] = {writer: encode_retained(one) for writer, one in kept.items()}
        if mapping:
            async with answering(_CALL_S, ReplayRequestsUnavailable):
                await self._redis.hset(self._channels.records_kept, mapping=mapping)

    async def close(self) -> None:
        await self._redis.aclose()
