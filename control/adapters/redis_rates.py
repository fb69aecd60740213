"""Exchange of spent rates on one short Redis stream: each process appends its own and reads the others' entries."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import orjson

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.values.ids import new_id
from control.ports.rates import RatesUnavailable, Spend

_CALL_S = 1.0
_KEPT = 1000
"""Entries of the stream: at two a second, eight minutes of one process, a minute of eight."""
_AT_ONCE = 200
_START = b"0-0"


class RedisRateLimitSync:
    def __init__(self, url: str, channels: Channels) -> None:
        self._stream = channels.rates
        self._redis = patient_redis(url, connect_s=_CALL_S)
        self._own = new_id().encode()
        self._last: bytes | None = None
        """Id of the last entry seen; None before the first `receive`."""

    async def report(self, spent: Mapping[str, Spend]) -> None:
        if not spent:
            return
        raw = orjson.dumps({name: (one.seconds, one.max_s) for name, one in spent.items()})
        async with _bounded():
            await self._redis.xadd(
                self._stream, {"by": self._own, "spent": raw}, maxlen=_KEPT, approximate=True
            )

    async def receive(self) -> Sequence[Mapping[str, Spend]]:
        async with _bounded():
            if self._last is None:
                newest: Any = await self._redis.xrevrange(self._stream, count=1)
                self._last = newest[0][0] if newest else _START
                return ()
            entries: Any = await self._redis.xrange(
                self._stream, min=b"(" + self._last, count=_AT_ONCE
            )
        if entries:
            self._last = entries[-1][0]
        return [_parse(fields[b"spent"]) for _, fields in entries if fields[b"by"] != self._own]

    async def close(self) -> None:
        await self._redis.aclose()


def _parse(raw: bytes) -> dict[str, Spend]:
    return {name: Spend(*values) for name, values in orjson.loads(raw).items()}


def _bounded() -> AbstractAsyncContextManager[None]:
    return answering(_CALL_S, RatesUnavailable)
