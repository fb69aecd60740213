"""
The event log on a single machine: one bounded Redis stream a partition, with the encoded record in field ``r``.

Redis may restart empty or with older data, so the spool keeps a record until ingest has committed it to PostgreSQL.
"""

import uuid
from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

from redis.asyncio import Redis

from common.service.channels import LOG_PARTITIONS, Channels, partition_of
from common.service.redis_client import answering, patient_redis
from common.service.redis_settings import LOG_ROLE
from common.tracking.event import LogRecord, WriterId
from common.tracking.record import EncodedRecord, raw_of
from edge.ports import EventLogUnavailable

MAX_ENTRIES = 250_000
"""Limit of one stream. Ingest trims what it has committed; beyond this limit the spool keeps the rest on disk."""
_APPEND_S = 2.0
_PROBE_S = 1.0

T = TypeVar("T")


class RedisStreamEventLog:
    def __init__(
        self,
        redis: Redis,
        channels: Channels,
        *,
        max_entries: int = MAX_ENTRIES,
        may_lose: bool = False,
    ) -> None:
        """
        *may_lose*: what Redis took is settled at once, and lost if Redis restarts empty. For
        records without money.
        """
        self._redis = redis
        self._channels = channels
        self._max_entries = max_entries
        self._may_lose = may_lose
        self._entries = 0

    @classmethod
    def open(
        cls,
        url: str,
        channels: Channels,
        *,
        max_entries: int = MAX_ENTRIES,
        may_lose: bool = False,
    ) -> "RedisStreamEventLog":
        """Connects when first used."""
        redis = patient_redis(url, connect_s=_PROBE_S)
        return cls(redis, channels.on(url), max_entries=max_entries, may_lose=may_lose)

    async def append(self, records: Sequence[LogRecord | EncodedRecord]) -> None:
        """Raises `EventLogUnavailable` also while a stream is at its limit: ingest is behind."""
        if self._entries >= self._max_entries:
            await self._measure()
        if self._entries >= self._max_entries:
            raise EventLogUnavailable(f"a stream holds {self._entries} entries: ingest is behind")
        pipe = self._redis.pipeline(transaction=False)
        for record in records:
            stream = self._channels.log_stream(partition_of(record.partition_key))
            pipe.xadd(stream, {b"r": raw_of(record)})
        self._read_lengths(pipe)
        answers = await _bounded(pipe.execute(), _APPEND_S)
        self._entries = max(answers[-LOG_PARTITIONS:])

    async def settled(self, writer: WriterId, appended: int) -> int:
        """What ingest has committed of *writer* without a gap; never more than *appended*."""
        if self._may_lose:
            return appended
        found = await _bounded(self._redis.hget(self._channels.log_settled, str(writer)), _PROBE_S)
        return min(appended, int(found or 0))

    async def generation(self) -> str:
        """The streams' own mark and the server's run id: a restarted Redis may have lost its last second."""
        pipe = self._redis.pipeline(transaction=False)
        pipe.set(self._channels.log_generation, uuid.uuid4().hex, nx=True)
        pipe.get(self._channels.log_generation)
        pipe.info("server")
        _, mark, server = await _bounded(pipe.execute(), _PROBE_S)
        return f"{(mark or b'').decode()}@{server['run_id']}"

    async def close(self) -> None:
        await self._redis.aclose()

    async def _measure(self) -> None:
        pipe = self._redis.pipeline(transaction=False)
        self._read_lengths(pipe)
        self._entries = max(await _bounded(pipe.execute(), _PROBE_S))

    def _read_lengths(self, pipe: Any) -> None:
        for partition in range(LOG_PARTITIONS):
            pipe.xlen(self._channels.log_stream(partition))


async def _bounded(answer: Awaitable[T], timeout_s: float) -> T:
    async with answering(timeout_s, EventLogUnavailable, setting=LOG_ROLE):
        return await answer
