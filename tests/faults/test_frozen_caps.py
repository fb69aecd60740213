"""Frequency caps while Redis hangs: a worker answers in time, and shows no capped ad if counts are unknown."""

from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median

import pytest

from tests.faults.capped_world import DEADLINE_S, World, capped_world
from tests.support.paced import paced, report
from tests.support.servers import RedisServer
from tests.support.waiting import until


@pytest.fixture
async def world(redis: RedisServer, namespace: str, tmp_path: Path) -> AsyncIterator[World]:
    async with capped_world(redis.url, namespace, tmp_path) as world:
        yield world


async def test_caps_hold_again_when_redis_answers_again(world: World, redis: RedisServer) -> None:
    await world.see("anna")

    async def knows_anna() -> bool:
        return await world.one("mixed", "uid=anna") == "open"

    await until(knows_anna)
    redis.freeze()
    try:
        frozen = [await world.one("mixed", f"uid={uid}") for uid in ("anna", "ben")]
    finally:
        redis.thaw()

    async def knows_ben() -> bool:
        return await world.one("capped", "uid=ben") == "capped"

    await until(knows_ben)
    assert frozen == ["open", "open"]
    assert await world.one("mixed", "uid=anna") == "open"


async def test_a_callers_own_counter_is_used_while_redis_hangs(
    world: World, redis: RedisServer
) -> None:
    redis.freeze()
    try:
        (first,) = await paced(
            world.edge.port, [world.serve("capped", "uid=anna&seen=none")], rate=1
        )
        assert first.answer is not None
        (cap,) = first.answer.json["caps"]
        again = await world.one("capped", f"uid=anna&seen={cap['name']}.1")
        silent = await world.one("capped", "uid=anna")
    finally:
        redis.thaw()
    assert first.answer.json["campaign_id"] == world.capped
    assert (again, silent) == ("204", "204")


async def test_a_frozen_redis_stops_capped_ads_and_nothing_else(
    world: World, redis: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    await through_a_freeze(world, redis, capsys, seconds=3, rate=200)


@pytest.mark.long
async def test_a_redis_frozen_for_long_stops_capped_ads_and_nothing_else(
    world: World, redis: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    await through_a_freeze(world, redis, capsys, seconds=30, rate=400)


async def through_a_freeze(
    world: World,
    redis: RedisServer,
    capsys: pytest.CaptureFixture[str],
    *,
    seconds: int,
    rate: int,
) -> None:
    """Every caller is a new person with consent; half ask where only the capped campaign could serve."""

    def of_people(name: str) -> list[bytes]:
        return [
            world.serve("capped" if number % 2 else "mixed", f"uid={name}{number}")
            for number in range(seconds * rate)
        ]

    before = await paced(world.edge.port, of_people("before"), rate=rate)
    redis.freeze()
    try:
        during = await paced(world.edge.port, of_people("during"), rate=rate)
    finally:
        redis.thaw()
    report(capsys, "serve with a uid, Redis answering", before)
    report(capsys, "serve with a uid, Redis frozen", during)
    half = seconds * rate // 2
    assert world.outcomes(before)["capped"] > half // 4
    assert world.outcomes(during) == {"open": half, "204": half}
    assert median(one.late_s for one in during) < DEADLINE_S
