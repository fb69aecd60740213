"""Claimed (token, kind) pairs in Redis: a key each, with the token's life."""

import asyncio
import uuid
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis

from common.channels import Channels
from common.clock import Clock
from common.environment import Environment
from common.redis_client import answering, patient_redis
from edge.ports import TokenStoreUnavailable

CALL_S = 0.05
REST_S = 1.0
"""After a failure every call is refused at once for so long: a hung Redis costs one request its 50 ms, not all."""
_PIPELINE = 500


@dataclass(slots=True)
class _Call:
    arguments: tuple[Any, ...]
    answer: "asyncio.Future[Any]"


class RedisTokenStore:
    """Calls of one moment travel in one pipeline over one connection. Belongs to one event loop."""

    def __init__(
        self,
        redis: Redis,
        channels: Channels,
        environment: Environment,
        clock: Clock,
        *,
        call_s: float = CALL_S,
    ) -> None:
        """*call_s*: what the port promises, and no more than a test on a busy machine may change."""
        self._redis = redis
        self._call_s = call_s
        self._channels = channels
        self._environment = environment
        self._clock = clock
        self._waiting: list[_Call] = []
        self._sending: asyncio.Task[None] | None = None
        self._rest_until_s = float("-inf")

    @classmethod
    def open(
        cls,
        url: str,
        channels: Channels,
        environment: Environment,
        clock: Clock,
        *,
        call_s: float = CALL_S,
    ) -> "RedisTokenStore":
        """Connects when first asked."""
        redis = patient_redis(url, connect_s=call_s)
        return cls(redis, channels, environment, clock, call_s=call_s)

    async def seen(self, token_id: uuid.UUID, kind: str) -> bool:
        return bool(await self._call("EXISTS", self._key(token_id, kind)))

    async def claim(self, token_id: uuid.UUID, kind: str, *, ttl_s: int) -> None:
        await self._call("SET", self._key(token_id, kind), b"1", "NX", "EX", ttl_s)

    async def close(self) -> None:
        if self._sending is not None:
            await self._sending
        await self._redis.aclose()

    def _key(self, token_id: uuid.UUID, kind: str) -> str:
        return self._channels.token_claim(self._environment, token_id.hex, kind)

    async def _call(self, *arguments: Any) -> Any:
        if self._clock.monotonic_s() < self._rest_until_s:
            raise TokenStoreUnavailable("resting after a failure")
        call = _Call(arguments, asyncio.get_running_loop().create_future())
        self._waiting.append(call)
        if self._sending is None:
            self._sending = asyncio.create_task(self._send())
        try:
            async with asyncio.timeout(self._call_s):
                return await call.answer
        except TimeoutError:
            raise TokenStoreUnavailable("no answer in time") from None

    async def _send(self) -> None:
        try:
            while self._waiting:
                calls, self._waiting = self._waiting[:_PIPELINE], self._waiting[_PIPELINE:]
                await self._pipeline(calls)
        finally:
            self._sending = None

    async def _pipeline(self, calls: list[_Call]) -> None:
        try:
            async with (
                answering(self._call_s, TokenStoreUnavailable),
                self._redis.pipeline(transaction=False) as pipe,
            ):
                for call in calls:
                    pipe.execute_command(*call.arguments)
                answers = await pipe.execute()
        except TokenStoreUnavailable as error:
            self._fail(calls, error)
            return
        for call, answer in zip(calls, answers, strict=True):
            if not call.answer.done():
                call.answer.set_result(answer)

    def _fail(self, calls: list[_Call], error: TokenStoreUnavailable) -> None:
        """Those that wait behind would meet the same server."""
        self._rest_until_s = self._clock.monotonic_s() + REST_S
        calls, self._waiting = calls + self._waiting, []
        for call in calls:
            if not call.answer.done():
                refusal = TokenStoreUnavailable(str(error))
                refusal.__cause__ = error
                call.answer.set_exception(refusal)
