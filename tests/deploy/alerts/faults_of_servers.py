"""Faults of servers: Redis, PostgreSQL, the mail server, and processes of the control plane."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from signal import SIGKILL

import asyncpg

from tests.deploy.alerts.world import World, repeated
from tests.e2e.customer import Customer
from tests.support.waiting import until

_TOKENS = 10
_LOCKED_S = 7.0
"""Longer than the objective of freshness, and shorter than the limit of a statement."""


@asynccontextmanager
async def redis_is_frozen(world: World) -> AsyncIterator[None]:
    """Meanwhile, impressions arrive of ads that were served before: capped ads are not served now."""
    tokens = await world.traffic.serve(_TOKENS)
    world.on.redis.freeze()
    try:
        async with repeated(lambda: world.traffic.track(tokens)):
            yield
    finally:
        world.on.redis.thaw()


@asynccontextmanager
async def redis_is_slow(world: World) -> AsyncIterator[None]:
    """It responds, but not within the 15 ms for which a serve request waits at most."""
    redis = world.on.redis
    async with repeated(lambda: pulse(redis.freeze, redis.thaw, stopped_s=0.06)):
        yield


@asynccontextmanager
async def postgres_is_killed(world: World) -> AsyncIterator[None]:
    world.on.postgres.kill()
    try:
        yield
    finally:
        world.on.postgres.start()


@asynccontextmanager
async def ingest_waits_for_a_lock(world: World) -> AsyncIterator[None]:
    """Again and again, a transaction of somebody else locks the table of events for seconds."""
    connection = await asyncpg.connect(world.on.postgres.url)

    async def lock() -> None:
        async with connection.transaction():
            await connection.execute("lock table events in access exclusive mode")
            await asyncio.sleep(_LOCKED_S)

    try:
        async with repeated(lock):
            yield
    finally:
        await connection.close()


@asynccontextmanager
async def publish_is_frozen(world: World) -> AsyncIterator[None]:
    with world.on.stack.frozen("publish"):
        yield


@asynccontextmanager
async def mails_are_refused(world: World) -> AsyncIterator[None]:
    """The mail server refuses the mail that a new customer gets."""
    world.mails.on_recipient = "451 try again later"
    try:
        await Customer.sign_up(world.on.stack.demo, world.customer.http)
        yield
    finally:
        world.mails.on_recipient = "250 OK"


@asynccontextmanager
async def a_job_lacks_a_right(world: World) -> AsyncIterator[None]:
    await world.execute("revoke select on reset_requests from placard_service")
    try:
        yield
    finally:
        await world.execute("grant select on reset_requests to placard_service")


@asynccontextmanager
async def the_ledger_is_changed_by_hand(world: World) -> AsyncIterator[None]:
    """The ledger is checked once a day, and whenever another scheduler begins."""
    change = "update campaign_spend set spent_micros = spent_micros + $1 where campaign_id = $2"

    async def is_changed() -> bool:
        return await world.execute(change, 1, world.campaign_id) == "UPDATE 1"

    await until(is_changed)
    os.kill(world.on.stack.pid_of("work"), SIGKILL)
    try:
        yield
    finally:
        await world.execute(change, -1, world.campaign_id)


async def pulse(stop: Callable[[], None], go_on: Callable[[], None], *, stopped_s: float) -> None:
    stop()
    try:
        await asyncio.sleep(stopped_s)
    finally:
        go_on()
