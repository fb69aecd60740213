"""Redis, Kafka or PostgreSQL lost alone, under traffic."""

import httpx

from deploy.drills.figures import Figures
from deploy.drills.ground import DrillImpossible, Ground, ground
from deploy.drills.oracle import Traffic
from deploy.standalone.server import Server

_COUNT = 100
_RECONCILE = "python -m control reconcile --explain"


async def lose_redis() -> Figures:
    """Redis is killed and comes back empty: streams, claims, caps and leases are gone."""
    figures = Figures("redis-lost", _RECONCILE)
    with ground() as on:
        await _lose(on, on.redis, figures, is_wiped=True)
    return figures


async def lose_kafka() -> Figures:
    """The broker is killed and comes back with its data."""
    figures = Figures("kafka-lost", _RECONCILE)
    with ground(with_kafka=True) as on:
        if on.kafka is None:
            raise DrillImpossible("the stack has no Kafka")
        await _lose(on, on.kafka, figures)
    return figures


async def lose_postgres() -> Figures:
    """The server is killed and comes back with its data."""
    figures = Figures("postgres-lost", "python -m control admin money check")
    with ground() as on:
        await _lose(on, on.postgres, figures)
        on.check_control("admin", "money", "check")
        figures.notes["ledger"] = "balances equal their postings"
    return figures


async def _lose(on: Ground, server: Server, figures: Figures, *, is_wiped: bool = False) -> None:
    async with httpx.AsyncClient(timeout=20) as http:
        traffic = Traffic.on(on.stack.demo, on.postgres.url, http)
        await traffic.show(_COUNT)
        held = await traffic.serve(_COUNT)
        server.kill()
        if is_wiped:
            on.redis.wipe()
        await traffic.track(held)
        before = dict(traffic.serves)
        await traffic.serve(_COUNT)
        during = {status: count - before.get(status, 0) for status, count in traffic.serves.items()}
        figures.notes["serves_without_it"] = {str(one): count for one, count in during.items()}
        with figures.timed("recovery"):
            with figures.timed("start"):
                server.start()
            await traffic.settle()
        with figures.timed("next_event"):
            await traffic.until_it_serves()
        figures.of(traffic, await traffic.settle())
