"""Redis, Kafka or PostgreSQL lost alone, under traffic."""

from collections.abc import Callable

from deploy.drills.figures import Figures
from deploy.drills.ground import under_traffic
from deploy.drills.oracle import Traffic
from deploy.standalone.server import Server

_COUNT = 100
_RECONCILE = "python -m control reconcile --explain"


async def lose_redis() -> Figures:
    """Redis is killed and comes back empty: streams, claims, caps and leases are gone."""
    figures = Figures("redis-lost", _RECONCILE)
    async with under_traffic() as (on, traffic):
        await _lose(traffic, on.redis, figures, wipe=on.redis.wipe)
    return figures


async def lose_kafka() -> Figures:
    """The broker is killed and comes back with its data."""
    figures = Figures("kafka-lost", _RECONCILE)
    async with under_traffic(with_kafka=True) as (on, traffic):
        await _lose(traffic, on.broker, figures)
    return figures


async def lose_postgres() -> Figures:
    """The server is killed and comes back with its data."""
    figures = Figures("postgres-lost", "python -m control admin money check")
    async with under_traffic() as (on, traffic):
        await _lose(traffic, on.postgres, figures)
        on.check_control("admin", "money", "check")
        figures.notes["ledger"] = "balances equal their postings"
    return figures


async def _lose(
    traffic: Traffic, server: Server, figures: Figures, *, wipe: Callable[[], None] | None = None
) -> None:
    await traffic.show(_COUNT)
    held = await traffic.serve(_COUNT)
    server.kill()
    if wipe is not None:
        wipe()
    await traffic.track(held)
    figures.notes["serves_without_it"] = await traffic.count_serves(_COUNT)
    with figures.timed("recovery"):
        with figures.timed("start"):
            server.start()
        await traffic.settle()
    with figures.timed("next_event"):
        await traffic.until_it_serves()
    figures.of(traffic, await traffic.settle())
