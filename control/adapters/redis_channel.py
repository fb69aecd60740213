"""
The snapshot channel on Redis: one string a delta, one string a chunk of the full state, pub/sub for notifications.

Every command is limited to one second and never retried here; publish decides what to repeat.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.service.redis_settings import SNAPSHOT_ROLE
from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import (
    Delta,
    FullHeader,
    FullState,
    Heartbeat,
    encode_delta,
    encode_full,
    encode_heartbeat,
    parse_full_header,
    parse_heartbeat,
)
from common.values.environment import Environment
from control.ports.snapshots import SnapshotChannelUnavailable

_CALL_S = 1.0
_MAX_NOTICE_BYTES = 65_536
"""A larger delta is not part of the notification: Redis drops subscribers that fall 8 MB behind."""
_DELTA_KEPT_S = 7 * 86_400
_UNFINISHED_KEPT_S = 600
_REPLACED_KEPT_S = 60
"""How long a reader with the old header may still fetch the old chunks."""


class RedisSnapshotChannel:
    def __init__(self, url: str, channels: Channels, *, ring: int) -> None:
        self._channels = channels.on(url)
        self._ring = ring
        self._redis = patient_redis(url, connect_s=_CALL_S)

    async def put_full(self, environment: Environment, full: FullState) -> None:
        raw, chunks = await asyncio.to_thread(encode_full, full)
        before = await self._find_header(environment)
        names = self._chunk_names(environment, full.version, len(chunks))
        for name, chunk in zip(names, chunks, strict=True):
            async with _bounded():
                await self._redis.set(name, chunk, ex=_UNFINISHED_KEPT_S)
        async with _bounded(), self._redis.pipeline(transaction=True) as act:
            for name in names:
                act.persist(name)
            act.set(self._channels.snapshot_full(environment), raw)
            for name in self._names_of(environment, before):
                if name not in names:
                    act.expire(name, _REPLACED_KEPT_S)
            await act.execute()

    async def put_delta(self, environment: Environment, delta: Delta) -> None:
        raw = encode_delta(delta)
        head = encode_heartbeat(Heartbeat(delta.epoch, delta.version, delta.digest, delta.at_ms))
        oldest = self._channels.snapshot_delta(environment, delta.version - self._ring)
        async with _bounded(), self._redis.pipeline(transaction=True) as act:
            name = self._channels.snapshot_delta(environment, delta.version)
            act.set(name, raw, ex=_DELTA_KEPT_S)
            act.delete(oldest)
            act.set(self._channels.snapshot_head(environment), head)
            channel = self._channels.snapshot_changes(environment)
            act.publish(channel, raw if len(raw) <= _MAX_NOTICE_BYTES else head)
            await act.execute()

    async def beat(self, environment: Environment, beat: Heartbeat) -> None:
        raw = encode_heartbeat(beat)
        async with _bounded(), self._redis.pipeline(transaction=True) as act:
            act.set(self._channels.snapshot_head(environment), raw)
            act.publish(self._channels.snapshot_changes(environment), raw)
            await act.execute()

    async def find_head(self, environment: Environment) -> Heartbeat | None:
        async with _bounded():
            raw = _as_bytes(await self._redis.get(self._channels.snapshot_head(environment)))
        try:
            return None if raw is None else parse_heartbeat(raw)
        except SnapshotInvalid:
            return None

    async def has_full(self, environment: Environment, epoch: str) -> int | None:
        header = await self._find_header(environment)
        if header is None or header.epoch != epoch:
            return None
        whole = await self._has_all(self._names_of(environment, header))
        return header.version if whole else None

    async def has_deltas(self, environment: Environment, after: int, through: int) -> bool:
        versions = range(after + 1, through + 1)
        names = [self._channels.snapshot_delta(environment, version) for version in versions]
        return await self._has_all(names)

    async def find_workers(self, environment: Environment) -> Mapping[str, bytes]:
        async with _bounded():
            found = await self._redis.hgetall(self._channels.edge_workers(environment))
        pairs = ((_as_bytes(name) or b"", _as_bytes(raw) or b"") for name, raw in found.items())
        return {name.decode("utf-8", "replace"): raw for name, raw in pairs}

    async def remove_workers(self, environment: Environment, names: Collection[str]) -> None:
        if names:
            async with _bounded():
                await self._redis.hdel(self._channels.edge_workers(environment), *names)

    async def close(self) -> None:
        await self._redis.aclose()

    async def _find_header(self, environment: Environment) -> FullHeader | None:
        async with _bounded():
            raw = _as_bytes(await self._redis.get(self._channels.snapshot_full(environment)))
        try:
            return None if raw is None else parse_full_header(raw)
        except SnapshotInvalid:
            return None

    async def _has_all(self, names: Sequence[str]) -> bool:
        if not names:
            return True
        async with _bounded():
            found: int = await self._redis.exists(*names)
        return found == len(names)

    def _names_of(self, environment: Environment, header: FullHeader | None) -> list[str]:
        if header is None:
            return []
        return self._chunk_names(environment, header.version, header.chunks)

    def _chunk_names(self, environment: Environment, version: int, count: int) -> list[str]:
        numbers = range(count)
        return [self._channels.snapshot_chunk(environment, version, n) for n in numbers]


def _bounded() -> AbstractAsyncContextManager[None]:
    return answering(_CALL_S, SnapshotChannelUnavailable, setting=SNAPSHOT_ROLE)


def _as_bytes(value: bytes | str | None) -> bytes | None:
    """The client is configured to return bytes; its types allow text."""
    return value.encode() if isinstance(value, str) else value
