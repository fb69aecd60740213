"""Commands that share a pipeline: a response that arrived while this process waited for the processor is received."""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Self, cast

import pytest
from redis.asyncio import Redis

from common.service.redis_client import patient_redis
from common.values.clock import FixedClock
from edge.adapters.adaptive_wait import AdaptiveWait
from edge.adapters.redis_batcher import RedisBatcher
from tests.support.builders import NOW_MS
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S

_STEP_MS = 25
_CLOCK = FixedClock(NOW_MS)


class AwayError(Exception):
    pass


class SlowRedis:
    """Answers *turns* turns of the loop after it was asked; never where that is None."""

    def __init__(self, turns: int | None) -> None:
        self._turns = turns

    @property
    def connection_pool(self) -> Self:
        return self

    async def get_connection(self) -> Self:
        return self

    async def ensure_connection(self, _: Self) -> None:
        pass

    def should_reconnect(self) -> bool:
        return False

    async def send_packed_command(self, _command: bytes) -> None:
        if self._turns is None:
            await asyncio.get_running_loop().create_future()
        for _ in range(self._turns or 0):
            await asyncio.sleep(0)

    async def parse_response(self, _: Self, _name: str) -> str:
        return "answer"


def a_pipeline(turns: int | None) -> RedisBatcher:
    """Whose callers have no time at all."""
    redis = cast(Redis, SlowRedis(turns))
    return RedisBatcher(redis, FixedClock(NOW_MS), unavailable=AwayError, call_s=0.5, wait_s=0)


async def test_an_answer_present_at_the_deadline_is_used() -> None:
    assert await a_pipeline(turns=1).call("PING") == "answer"


async def test_a_call_without_an_answer_fails() -> None:
    with pytest.raises(AwayError, match="no answer in time"):
        await a_pipeline(turns=None).call("PING")


async def test_an_answer_that_arrives_too_late_is_passed_to_its_callback() -> None:
    late, pipeline = list[str](), a_pipeline(turns=50)
    with pytest.raises(AwayError):
        await pipeline.call("PING", late=late.append)
    await pipeline.call("PING", wait_s=10)
    assert late == ["answer"]


@pytest.fixture
async def real(redis_server: RedisServer) -> AsyncIterator[RedisBatcher]:
    redis = patient_redis(redis_server.url, connect_s=PATIENCE_S)
    made = RedisBatcher(redis, _CLOCK, unavailable=AwayError, call_s=PATIENCE_S)
    yield made
    await made.close()


async def test_an_error_leaves_no_response_for_the_next_commands(
    real: RedisBatcher, namespace: str
) -> None:
    commands = ("SET", namespace, "1"), ("NO_SUCH_COMMAND",), ("GET", namespace)
    failed = await asyncio.gather(*[real.call(*one) for one in commands], return_exceptions=True)
    assert [type(one) for one in failed] == [AwayError] * 3
    _CLOCK.advance(ms=_STEP_MS * 4)

    assert await asyncio.gather(*[real.call("ECHO", word) for word in "ab"]) == [b"a", b"b"]


async def test_a_connection_is_used_again_until_the_server_closes_it(
    real: RedisBatcher, redis_server: RedisServer
) -> None:
    first = await real.call("CLIENT", "ID")
    assert await real.call("CLIENT", "ID") == first
    async with patient_redis(redis_server.url, connect_s=PATIENCE_S) as other:
        await other.client_kill_filter(_id=str(first))
        while any(one["id"] == str(first) for one in await other.client_list()):  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(_STEP_MS / 1000)

    assert await real.call("CLIENT", "ID") != first


def test_callers_wait_as_long_as_the_slowest_of_a_hundred_answers_take_within_bounds() -> None:
    wait = AdaptiveWait(min_s=0.003, max_s=0.015)
    waits = list[float]()
    for took_s in (0.001, 0.006, 0.2, 0.001):
        for _ in range(200):
            wait.record(took_s)
        waits.append(round(wait.wait_s, 6))
    assert waits == [0.003, 0.009, 0.015, 0.003]


def test_the_timeout_is_computed_again_with_every_twentieth_answer() -> None:
    wait = AdaptiveWait(min_s=0.003, max_s=0.015)
    for took_s in [0.001] * 20 + [0.006] * 19:
        wait.record(took_s)
    assert wait.wait_s == 0.003

    wait.record(0.006)

    assert round(wait.wait_s, 6) == 0.009


def test_the_first_callers_wait_the_longest_until_answers_show_how_long_they_take() -> None:
    wait = AdaptiveWait(min_s=0.003, max_s=0.015)
    waits = []
    for _ in range(21):
        waits.append(wait.wait_s)
        wait.record(0.001)
    assert waits == [0.015] * 20 + [0.003]


def test_a_single_slow_answer_changes_no_timeout() -> None:
    wait = AdaptiveWait(min_s=0.003, max_s=0.015)
    for number in range(1000):
        wait.record(0.05 if number % 150 == 149 else 0.001)
    assert wait.wait_s == 0.003


async def test_the_backoff_grows_with_each_failure_in_a_row_up_to_a_bound() -> None:
    clock, redis = FixedClock(NOW_MS), FailingRedis(turns=None)
    pipeline = RedisBatcher(cast(Redis, redis), clock, unavailable=AwayError, call_s=0.5)
    asked_ms = list[int]()
    for now_ms in range(0, 4000, _STEP_MS):
        before = redis.asked
        with pytest.raises(AwayError):
            await pipeline.call("PING")
        if redis.asked > before:
            asked_ms.append(now_ms)
        clock.advance(ms=_STEP_MS)
    rests = [later - earlier for earlier, later in pairwise(asked_ms)]
    due = [50, 100, 200, 400, 800, 1000]
    assert [at for at, rest in zip(due, rests, strict=False) if at <= rest <= at + _STEP_MS] == due


class FailingRedis(SlowRedis):
    asked = 0

    async def send_packed_command(self, _command: bytes) -> None:
        self.asked += 1
        raise ConnectionRefusedError
