"""Mailbox for replay requests to edges: two hashes in Redis."""

from collections.abc import Mapping
from typing import Any

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.tracking.reconcile import (
    ReconcileInvalid,
    ReplayRequest,
    Retained,
    encode_wanted,
    parse_retained,
)
from common.values.clock import Clock
from common.values.errors import Unavailable

_CALL_S = 5.0
_SILENT_MS = 86_400_000


class RedisReplayMailbox:
    """Connects at first use."""

    def __init__(self, url: str, channels: Channels, clock: Clock) -> None:
        self._redis = patient_redis(url, connect_s=_CALL_S)
        self._channels = channels
        self._clock = clock

    async def request_replay(self, wanted: Mapping[str, ReplayRequest]) -> None:
        name = self._channels.records_wanted
        mapping: dict[Any, Any] = {writer: encode_wanted(one) for writer, one in wanted.items()}
        async with answering(_CALL_S, Unavailable), self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(name)
            if mapping:
                pipe.hset(name, mapping=mapping)
            await pipe.execute()

    async def retained(self) -> Mapping[str, Retained]:
        name = self._channels.records_kept
        async with answering(_CALL_S, Unavailable):
            stored: Any = await self._redis.hgetall(name)
            found, silent = self._sort(stored)
            if silent:
                await self._redis.hdel(name, *silent)
        return found

    async def close(self) -> None:
        await self._redis.aclose()

    def _sort(self, stored: Mapping[bytes, bytes]) -> tuple[dict[str, Retained], list[bytes]]:
        """Returns the current reports, and the writers whose reports are old or unreadable."""
        since_ms = self._clock.now_ms() - _SILENT_MS
        found, silent = {}, []
        for writer, raw in stored.items():
            try:
                one = parse_retained(raw)
            except ReconcileInvalid:
                silent.append(writer)
                continue
            if one.at_ms < since_ms:
                silent.append(writer)
            else:
                found[writer.decode()] = one
        return found, silent
