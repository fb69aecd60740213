"""`RedisStreamEventSource`: the event log on Redis Streams, one stream a partition."""

import asyncio
import uuid
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

from common.service.channels import LOG_PARTITIONS, Channels
from common.service.redis_client import answering, patient_redis
from common.service.redis_settings import LOG_ROLE
from control.ports.events import EventSourceUnavailable, RawBatch, RawRecord

_CALL_S = 1.0
_CHECK_EVERY_S = 1.0
_LEASE_MS = 5000
_SEQUENCE_BITS = 20

# KEYS: the lease of each partition. ARGV: our name, ms. Takes free leases and renews ours; returns 1 for each held.
_HOLD = """
local held = {}
for place, lease in ipairs(KEYS) do
    local owner = redis.call('get', lease)
    if owner == false or owner == ARGV[1] then
        redis.call('set', lease, ARGV[1], 'px', ARGV[2])
        held[place] = 1
    else
        held[place] = 0
    end
end
return held
"""
_RELEASE = """
for _, lease in ipairs(KEYS) do
    if redis.call('get', lease) == ARGV[1] then redis.call('del', lease) end
end
"""


class RedisStreamEventSource:
    """
    The process that holds a stream's lease reads it, and renews the lease each second. The lease only avoids duplicate
    work: a reader that lost it unnoticed finds its stored position changed. Records that ingest committed are trimmed.

    Redis that hangs or is unavailable raises `EventSourceUnavailable` within about a second. Redis that lost its data
    has another generation.
    """

    def __init__(self, url: str, channels: Channels) -> None:
        self._redis = patient_redis(url, connect_s=_CALL_S, protocol=2)
        self._channels = channels.on(url)
        self._owner = uuid.uuid4().hex
        self._after: dict[int, int] = {}
        self._held: frozenset[int] = frozenset()
        self._generation = ""
        self._checked_s = float("-inf")

    async def generation(self) -> str:
        await self._check()
        return f"redis/{self._generation}"

    async def assigned(self) -> frozenset[int]:
        await self._check()
        return self._held

    async def seek(self, partition: int, after: int | None) -> None:
        self._after[partition] = -1 if after is None else after

    async def poll(
        self, *, most: int, wait_ms: int, only: Collection[int] | None = None
    ) -> Sequence[RawBatch]:
        streams: dict[Any, Any] = {
            self._channels.log_stream(partition): _entry_id(after)
            for partition, after in self._after.items()
            if partition in self._held and (only is None or partition in only)
        }
        if not streams:
            await asyncio.sleep(wait_ms / 1000)
            return []
        each = max(1, most // len(streams))
        async with _calling(_CALL_S + wait_ms / 1000):
            found: Any = await self._redis.xread(streams, count=each, block=max(1, wait_ms))
        partitions = {self._channels.log_stream(one).encode(): one for one in self._after}
        return [self._batch(partitions[name], entries) for name, entries in found if entries]

    def silent(self) -> frozenset[int]:
        """Always empty: Redis responds for all partitions at once, or a poll raises."""
        return frozenset()

    async def settle(self, partition: int, through: int, written: dict[str, int]) -> None:
        with suppress(EventSourceUnavailable):
            async with _calling(_CALL_S), self._redis.pipeline(transaction=False) as pipe:
                if written:
                    pipe.hset(self._channels.log_settled, mapping=dict[Any, Any](written))
                stream = self._channels.log_stream(partition)
                pipe.xtrim(stream, minid=_entry_id(through + 1), approximate=False)
                await pipe.execute()

    async def close(self) -> None:
        with suppress(EventSourceUnavailable):
            async with _calling(_CALL_S):
                await self._redis.eval(_RELEASE, LOG_PARTITIONS, *self._leases(), self._owner)
        await self._redis.aclose()

    def _batch(self, partition: int, entries: list[tuple[bytes, dict[bytes, bytes]]]) -> RawBatch:
        records = tuple(
            RawRecord(_position(entry_id), fields.get(b"r", b"")) for entry_id, fields in entries
        )
        self._after[partition] = records[-1].position
        return RawBatch(partition, records)

    async def _check(self) -> None:
        """Reads the generation and renews the leases, at most once a second."""
        now_s = asyncio.get_running_loop().time()
        if now_s - self._checked_s < _CHECK_EVERY_S:
            return
        try:
            async with _calling(_CALL_S), self._redis.pipeline(transaction=False) as pipe:
                pipe.set(self._channels.log_generation, uuid.uuid4().hex, nx=True)
                pipe.get(self._channels.log_generation)
                pipe.eval(_HOLD, LOG_PARTITIONS, *self._leases(), self._owner, str(_LEASE_MS))
                _, generation, held = await pipe.execute()
        except EventSourceUnavailable:
            self._held = frozenset()
            raise
        self._checked_s = now_s
        self._generation = generation.decode()
        self._held = frozenset(place for place, ours in enumerate(held) if ours)

    def _leases(self) -> list[str]:
        return [self._channels.log_lease(partition) for partition in range(LOG_PARTITIONS)]


def _calling(max_s: float) -> AbstractAsyncContextManager[None]:
    return answering(max_s, EventSourceUnavailable, setting=LOG_ROLE)


def _position(entry_id: bytes) -> int:
    milliseconds, _, number = entry_id.partition(b"-")
    return (int(milliseconds) << _SEQUENCE_BITS) + int(number)


def _entry_id(position: int) -> str:
    """Returns the entry id after which reading continues; ``0-0`` for -1."""
    if position < 0:
        return "0-0"
    return f"{position >> _SEQUENCE_BITS}-{position & ((1 << _SEQUENCE_BITS) - 1)}"
