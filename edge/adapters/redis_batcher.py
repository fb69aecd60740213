"""
Sends the Redis commands of one moment together over one connection, and backs off after each failure.

It keeps its connection, and packs commands in C. A pipeline of redis-py takes its connection from the pool each time
and packs in Python, which costs more than the commands of a few events.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from hiredis import pack_command
from redis.asyncio import Redis
from redis.asyncio.connection import Connection
from redis.exceptions import ResponseError

from common.service.redis_client import answering
from common.values.clock import Clock
from edge.adapters.adaptive_wait import AdaptiveWait

BACKOFF_S = 1.0
"""The longest backoff. During a backoff every call fails at once: a hung Redis then delays few requests, not all."""
_FIRST_BACKOFF_S = 0.05
"""The first backoff of several failures in a row; each further one is twice as long. One hiccup thus costs little."""
_AT_ONCE = 500
_MAX_PROBES = 4
"""Turns of the loop after the deadline, microseconds each on an idle loop: to read, to parse and to deliver."""


Late = Callable[[Any], None]
"""Called with a response that arrived after its caller had stopped waiting."""


@dataclass(slots=True)
class Call:
    """A command that waits for its response."""

    arguments: tuple[Any, ...]
    answer: "asyncio.Future[Any]"
    queued_s: float
    late: Late | None


class RedisBatcher:
    """
    *unavailable*: the exception that callers get while Redis does not respond. *call_s*: the time limit of a pipeline.
    *wait_s*: how long a caller waits for its part of one, if that is less; up to *max_wait_s* while responses take
    longer. Belongs to one event loop.
    """

    _returned: ClassVar[tuple[type[ResponseError], ...]] = ()
    """Errors that are the response of their command alone. Any other fails all commands of its moment."""

    def __init__(
        self,
        redis: Redis,
        clock: Clock,
        *,
        unavailable: type[Exception],
        call_s: float,
        wait_s: float | None = None,
        max_wait_s: float | None = None,
    ) -> None:
        min_s = call_s if wait_s is None else wait_s
        self._waits = AdaptiveWait(min_s=min_s, max_s=max_wait_s or min_s)
        self._redis = redis
        self._connection: Connection | None = None
        """The connection in use, which redis-py closes after a failure; then it connects again."""
        self._clock = clock
        self._unavailable = unavailable
        self._call_s = call_s
        self._waiting: list[Call] = []
        self._sending: asyncio.Task[None] | None = None
        self._backoff_until_s = float("-inf")
        self._backoff_s = _FIRST_BACKOFF_S

    @property
    def wait_s(self) -> float:
        """How long a caller waits now."""
        return self._waits.wait_s

    async def call(
        self, *arguments: Any, wait_s: float | None = None, late: Late | None = None
    ) -> Any:
        """The command's response. *wait_s*: overrides the usual wait. Raises the exception ``unavailable``."""
        now_s = self._clock.monotonic_s()
        if now_s < self._backoff_until_s:
            raise self._unavailable("resting after a failure")
        call = Call(arguments, asyncio.get_running_loop().create_future(), now_s, late)
        self._waiting.append(call)
        if self._sending is None:
            self._sending = asyncio.create_task(self._send())
        loop = asyncio.get_running_loop()
        late_s = self._waits.wait_s if wait_s is None else wait_s
        refusal = loop.call_later(late_s, self._refuse_late, call, _MAX_PROBES)
        try:
            return await call.answer
        finally:
            refusal.cancel()

    @property
    def is_resting(self) -> bool:
        """Whether a backoff is under way."""
        return self._clock.monotonic_s() < self._backoff_until_s

    def refuse_resting(self) -> None:
        """For calls of which all must be sent, or none. Raises the exception ``unavailable`` during a backoff."""
        if self.is_resting:
            raise self._unavailable("resting after a failure")

    async def close(self) -> None:
        if self._sending is not None:
            await self._sending
        await self._redis.aclose()

    def _refuse_late(self, call: Call, looks: int) -> None:
        """
        Fails a late call, but only some turns after its deadline. If this process had to wait for the processor, the
        response has arrived and is only not yet read.
        """
        if call.answer.done():
            return
        if looks:
            asyncio.get_running_loop().call_soon(self._refuse_late, call, looks - 1)
        else:
            call.answer.set_exception(self._unavailable("no answer in time"))

    async def _send(self) -> None:
        try:
            while self._waiting:
                calls, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
                await self._pipeline(calls)
        finally:
            self._sending = None

    async def _pipeline(self, calls: list[Call]) -> None:
        try:
            async with answering(self._call_s, self._unavailable):
                answers = await self._exchange(calls)
        except self._unavailable as error:
            self._fail(calls, error)
            return
        self._backoff_s = _FIRST_BACKOFF_S
        self._waits.record(self._clock.monotonic_s() - calls[0].queued_s)
        for call, answer in zip(calls, answers, strict=True):
            if not call.answer.done():
                call.answer.set_result(answer)
            elif call.late is not None:
                call.late(answer)

    async def _exchange(self, calls: list[Call]) -> list[Any]:
        """
        Writes all commands at once and returns their responses. Raises the first error among them when all are read, so
        that none is left for the next commands.
        """
        connection = await self._connect()
        packed = b"".join([pack_command(call.arguments) for call in calls])
        await connection.send_packed_command(packed)
        answers: list[Any] = []
        for call in calls:
            try:
                answers.append(await self._redis.parse_response(connection, call.arguments[0]))
            except ResponseError as error:
                answers.append(error)
        for answer in answers:
            if isinstance(answer, ResponseError) and not isinstance(answer, self._returned):
                raise answer
        return answers

    async def _connect(self) -> Connection:
        """The connection, ready for commands: a new one where the server has closed it."""
        pool, connection = self._redis.connection_pool, self._connection
        if connection is None:
            made: Connection = await pool.get_connection()  # type: ignore[no-untyped-call]  # the library's, untyped
            self._connection = made
            return made
        if connection.should_reconnect():  # type: ignore[no-untyped-call]  # as above
            await connection.disconnect()
        await pool.ensure_connection(connection)
        return connection

    def _fail(self, calls: list[Call], error: Exception) -> None:
        """Fails the queued calls, too: they would reach the same failing server."""
        self._backoff_until_s = self._clock.monotonic_s() + self._backoff_s
        self._backoff_s = min(2 * self._backoff_s, BACKOFF_S)
        calls, self._waiting = calls + self._waiting, []
        for call in calls:
            if not call.answer.done():
                refusal = self._unavailable(str(error))
                refusal.__cause__ = error
                call.answer.set_exception(refusal)
