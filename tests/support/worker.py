"""One edge worker in the test's own loop: its context alone, or its app over real HTTP to an httpx client."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from common.http.listen import listen
from common.snapshot.snapshot import Snapshot
from common.tracking.event import EventRecord
from common.values.clock import Clock, FixedClock
from common.values.environment import Environment
from edge.context import EdgeContext
from edge.http.route_table import create_app
from edge.ports import MailStore, TokenStore
from edge.runtime.metrics import EdgeMetrics
from edge.settings import EdgeSettings
from edge.snapshots.handle import SnapshotHandle
from edge.spool.counters import Counters
from edge.spool.spool import Spool
from edge.state.frequency_caps import FrequencyCaps
from edge.state.rate_limit import RateLimiter
from edge.state.signing_keys import SigningSecrets
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.http_client import http_client
from tests.support.memory_caps import MemoryCapStore
from tests.support.memory_mails import MemoryMailStore
from tests.support.memory_tokens import MemoryTokenStore
from tests.support.records import a_writer


@asynccontextmanager
async def an_edge(
    spool_dir: Path,
    snapshot: Snapshot,
    *,
    tokens: TokenStore | None = None,
    mails: MailStore | None = None,
    spool_max_bytes: int = 1 << 22,
) -> AsyncIterator[EdgeContext]:
    """Its clock is a `FixedClock` at `NOW_MS`; the token store is in memory unless given."""
    clock: Clock = FixedClock(NOW_MS)
    environment = snapshot.environment
    spool = Spool.open(spool_dir, a_writer(), max_bytes=spool_max_bytes, sync_ms=1)
    yield EdgeContext(
        settings=_settings(environment),
        environment=environment,
        clock=clock,
        rng=random.Random(1),
        snapshots=SnapshotHandle.fixed(snapshot),
        secrets=SigningSecrets(KEY_RING),
        limiter=RateLimiter(workers=1),
        tokens=tokens or MemoryTokenStore(clock),
        frequency_caps=FrequencyCaps(MemoryCapStore(), bytes(32)),
        spool=spool,
        counters=Counters(spool, clock, is_test=environment.is_test),
        metrics=EdgeMetrics(),
        mails=mails or MemoryMailStore(),
    )
    await spool.close()


@asynccontextmanager
async def served(edge: EdgeContext) -> AsyncIterator[httpx.AsyncClient]:
    """A client of *edge*'s app on loopback; redirects are not followed."""

    @asynccontextmanager
    async def lifetime() -> AsyncIterator[EdgeContext]:
        yield edge

    listener = await listen(create_app(lifetime), host="127.0.0.1", port=0)
    try:
        url = f"http://127.0.0.1:{listener.port}"
        async with http_client(base_url=url) as client:
            yield client
    finally:
        await listener.close(drain_s=1)


def later(edge: EdgeContext, *, s: float) -> None:
    """Moves the edge's clock on."""
    clock = edge.clock
    assert isinstance(clock, FixedClock)
    clock.advance(ms=round(s * 1000))


async def events_of(edge: EdgeContext) -> list[EventRecord]:
    """Every event the edge has kept, in order."""
    records = await edge.spool.read(0, 1_000_000)
    return [record.body for record in records if isinstance(record.body, EventRecord)]


def _settings(environment: Environment) -> EdgeSettings:
    return EdgeSettings(
        environment=environment,
        edge_url="https://edge.example",
        redis_url="redis://nowhere",
        key_file=Path("nowhere"),
    )
