"""
Snapshots from Redis. Pulls and notifications have a connection each. Every call has a time limit, and none is retried
here: a Redis that hangs costs one second, not the client's default of five.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress

from redis.asyncio.client import PubSub

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.service.redis_settings import SNAPSHOT_ROLE
from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import (
    Delta,
    FullHeader,
    FullState,
    Heartbeat,
    parse_full,
    parse_full_header,
    parse_heartbeat,
    parse_message,
)
from common.values.environment import Environment
from edge.ports import SnapshotSourceUnavailable

_CALL_S = 1.0
_CHUNKS_AT_ONCE = 8
_CHUNKS_S = 10.0
_FULL_TRIES = 3


class RedisSnapshotSource:
    def __init__(
        self,
        url: str,
        channels: Channels,
        environment: Environment,
        *,
        quiet_s: float = 2.0,
    ) -> None:
        """
        *quiet_s* without a message, and the subscription's connection is checked with a ping; it has as long to
        respond.
        """
        self.reports_failed = 0
        self._quiet_s = quiet_s
        self._channels = channels.on(url)
        self._environment = environment
        self._pulls = patient_redis(url, connect_s=_CALL_S)
        self._notifications = patient_redis(url, connect_s=_CALL_S)

    async def head(self) -> Heartbeat | None:
        raw = await self._get(self._channels.snapshot_head(self._environment))
        return None if raw is None else parse_heartbeat(raw)

    async def full(self) -> FullState | None:
        for _ in range(_FULL_TRIES):
            raw = await self._get(self._channels.snapshot_full(self._environment))
            if raw is None:
                return None
            header = parse_full_header(raw)
            chunks = await self._chunks(header)
            if chunks is not None:
                return await asyncio.to_thread(parse_full, header, chunks)
        raise SnapshotSourceUnavailable("the full snapshot is being replaced; its chunks are gone")

    async def deltas(self, after: int, through: int) -> Sequence[Delta] | None:
        versions = range(after + 1, through + 1)
        if not versions:
            return []
        names = [self._channels.snapshot_delta(self._environment, version) for version in versions]
        deltas = []
        for version, raw in zip(versions, await self._get_many(names), strict=True):
            if raw is None:
                return None
            message = parse_message(raw)
            if not isinstance(message, Delta) or message.version != version:
                raise SnapshotInvalid(f"the message stored as delta {version} is not that delta")
            deltas.append(message)
        return deltas

    async def subscribe(self) -> AsyncGenerator[Heartbeat | Delta, None]:
        pubsub = self._notifications.pubsub()
        try:
            async with answering(_CALL_S, SnapshotSourceUnavailable, setting=SNAPSHOT_ROLE):
                await pubsub.subscribe(self._channels.snapshot_changes(self._environment))
            while True:
                raw = await _next_message(pubsub, self._quiet_s)
                try:
                    message = parse_message(raw)
                except SnapshotInvalid:
                    continue
                yield message
        finally:
            with suppress(SnapshotSourceUnavailable):
                async with answering(_CALL_S, SnapshotSourceUnavailable, setting=SNAPSHOT_ROLE):
                    await pubsub.aclose()  # type: ignore[no-untyped-call]  # redis-py left it bare

    async def report(self, statuses: Mapping[str, bytes]) -> bool:
        try:
            async with answering(_CALL_S, SnapshotSourceUnavailable, setting=SNAPSHOT_ROLE):
                name = self._channels.edge_workers(self._environment)
                await self._pulls.hset(
                    name, items=[part for item in statuses.items() for part in item]
                )
        except SnapshotSourceUnavailable:
            self.reports_failed += 1
            return False
        return True

    async def close(self) -> None:
        await self._pulls.aclose()
        await self._notifications.aclose()

    async def _get(self, name: str) -> bytes | None:
        async with answering(_CALL_S, SnapshotSourceUnavailable, setting=SNAPSHOT_ROLE):
            return _as_bytes(await self._pulls.get(name))

    async def _get_many(self, names: list[str]) -> list[bytes | None]:
        async with answering(_CHUNKS_S, SnapshotSourceUnavailable, setting=SNAPSHOT_ROLE):
            return [_as_bytes(value) for value in await self._pulls.mget(names)]

    async def _chunks(self, header: FullHeader) -> list[bytes] | None:
        """None if a chunk is gone."""
        chunks: list[bytes] = []
        for first in range(0, header.chunks, _CHUNKS_AT_ONCE):
            numbers = range(first, min(first + _CHUNKS_AT_ONCE, header.chunks))
            names = [
                self._channels.snapshot_chunk(self._environment, header.version, number)
                for number in numbers
            ]
            found = await self._get_many(names)
            present = [chunk for chunk in found if chunk is not None]
            if len(present) != len(found):
                return None
            chunks += present
        return chunks


async def _next_message(pubsub: PubSub, quiet_s: float) -> bytes:
    """Waits as long as the connection is alive. Raises `SnapshotSourceUnavailable` when it is not."""
    pinged = False
    while True:
        async with answering(quiet_s + _CALL_S, SnapshotSourceUnavailable, setting=SNAPSHOT_ROLE):
            found = await pubsub.get_message(timeout=quiet_s)
            if found is None and pinged:
                raise SnapshotSourceUnavailable(
                    "Redis does not respond on the connection for snapshot notifications"
                )
            if found is None:
                await pubsub.ping()
        pinged = found is None
        if found is not None and found["type"] == "message":
            return bytes(found["data"])


def _as_bytes(value: bytes | str | None) -> bytes | None:
    """The client is configured to return bytes; its types allow text."""
    return value.encode() if isinstance(value, str) else value
