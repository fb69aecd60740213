"""The same edge twice, one with the serve cache and one without: their answers and counts must be equal."""

import random
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import orjson
from uuid_utils import UUID

from common.decision.index import indexes_of
from common.decision.index.property_index import TREE_PARAMS, TreeParams
from common.http.answer import RawResponse
from common.pacing.lease_messages import run_to_end
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import TYPE_OF, Campaign, SnapshotObject
from common.snapshot.snapshot import apply_entries, build_snapshot
from common.values.environment import Environment
from edge.adapters.maxmind_geo import MaxmindGeo
from edge.context import EdgeContext
from edge.fastpath.http1.serve_path import ServeFastPath
from edge.fastpath.serve_cache.cache_filler import LookupCached
from edge.request.call import Call
from edge.runtime.metrics import EdgeMetrics
from edge.serving.serve_flow import serve_inline
from edge.spool.counters import Counters
from edge.state.rate_limit import RateLimiter
from loadtests.bench.heads import serve_heads
from loadtests.bench.serving import make_serving, write_places
from loadtests.bench.world import World
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.edge import RunningEdge, running_edge
from tests.support.leases import grant_lease

PEER = "127.0.0.1"
MANY_BLOCKS = TreeParams(leaf=16, first=8, run=4)
"""Divide the ads of a property into several blocks."""
_MAX_ROUNDS = 40
_MADE_IDS = re.compile(rb"(?<=X-Request-Id: )[0-9a-f]{24}|(?<=\"request_id\":\")[0-9a-f]{24}")


class CountedLookup:
    """A cache lookup that counts its ``hits``."""

    def __init__(self, lookup: LookupCached) -> None:
        self.hits = 0
        self._lookup = lookup

    def __call__(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        answer = self._lookup(data, start, end, peer)
        self.hits += answer is not None
        return answer


@dataclass
class EdgePair:
    """``edges``: with the cache, without it. ``requests``: each filled in ``world``. ``lookup``: of the cache."""

    world: World
    requests: list[bytes]
    edges: tuple[RunningEdge, RunningEdge]
    paths: tuple[ServeFastPath, ServeFastPath]
    lookup: CountedLookup

    def begin(self, objects: Iterable[SnapshotObject], params: TreeParams = TREE_PARAMS) -> None:
        """Starts over with a snapshot of *objects* and a lease of each campaign's whole budget."""
        kept = list(objects)
        for edge in self.edges:
            context = edge.context
            context.rng = random.Random(5)
            context.limiter = RateLimiter(workers=1)
            context.budgets = lease_all(one for one in kept if isinstance(one, Campaign))
            context.counters = Counters(context.spool, edge.clock, is_test=False)
            context.metrics = EdgeMetrics()
            context.new_token_id = _token_ids()
            snapshot = build_snapshot(Environment.LIVE, "e", 1, kept)
            indexes_of(snapshot, context.settings.ranking, params)
            edge.adopt(snapshot)

    def change(self, *objects: SnapshotObject) -> None:
        """Both edges adopt a delta of *objects*."""
        entries = [ObjectChange(TYPE_OF[type(one)], one.id, encode_object(one)) for one in objects]
        for edge in self.edges:
            before = edge.context.snapshots.current()
            edge.adopt(apply_entries(before, before.version + 1, entries))

    def advance(self, *, ms: int) -> None:
        for edge in self.edges:
            edge.clock.advance(ms=ms)

    def serve(self, requests: Sequence[bytes]) -> int:
        """Returns the number of fills; fails where answers or counts of the two edges differ."""
        return sum(one is not None for one in self.winners(requests))

    def winners(self, requests: Sequence[bytes]) -> list[str | None]:
        """Returns the campaign that fills each request, or None; fails as `serve` does."""
        return [one["campaign_id"] if one else None for one in self.fills(requests)]

    def fills(self, requests: Sequence[bytes]) -> list[dict[str, Any] | None]:
        """Returns the fill of each request, or None; fails as `serve` does."""
        found: list[dict[str, Any] | None] = []
        for request in requests:
            cached, uncached = (
                _without_made_ids(path.find_answer(request, 0, len(request) - 4, PEER))
                for path in self.paths
            )
            assert cached == uncached
            found.append(_parse_fill(cached))
        assert self._counts(0) == self._counts(1)
        return found

    def hits(self, requests: Sequence[bytes]) -> int:
        """Returns how many of *requests* the cache answered at once; fails as `serve` does."""
        before = self.lookup.hits
        self.serve(requests)
        return self.lookup.hits - before

    def fill_cache(self, requests: Sequence[bytes]) -> None:
        """
        Serves *requests* until the cache answers all of them; fails where it does not come to that.

        That takes some rounds: which ads are tried depends on each request's seed.
        """
        for _ in range(_MAX_ROUNDS):
            if self.hits(requests) == len(requests):
                return
        raise AssertionError(f"not all of {len(requests)} requests are answered by the cache")

    def _counts(self, number: int) -> tuple[object, ...]:
        context = self.edges[number].context
        context.counters.gather()
        return (
            context.counters._rows,
            dict(context.metrics.decisions),
            dict(context.metrics.refusals),
            run_to_end(context.budgets.count_steps()),
            len(context.limiter),
            context.peek_seed(),
        )


@asynccontextmanager
async def edge_pair(folder: Path) -> AsyncIterator[EdgePair]:
    """*folder*: for a geo database."""
    world = make_serving(KEY_RING, campaigns=40, now_ms=NOW_MS)
    requests = serve_heads(world, 150, seed=3).requests
    snapshot = build_snapshot(Environment.LIVE, "e", 1, world.objects)
    async with (
        running_edge(snapshot, proxies_count=1) as one,
        running_edge(snapshot, proxies_count=1) as other,
    ):
        write_places(folder / "places.mmdb")
        geo = MaxmindGeo(folder / "places.mmdb")
        geo.refresh()
        one.context.geo = other.context.geo = geo
        cached, uncached = ServeFastPath(one.app), ServeFastPath(other.app, serve_by_slow_path)
        cached.lookup_cached = lookup = CountedLookup(cached.lookup_cached)
        yield EdgePair(world, requests, (one, other), (cached, uncached), lookup)


def serve_by_slow_path(edge: EdgeContext, call: Call) -> RawResponse | None:
    """Another function than `serve_inline` itself, for which the fast path has a cache."""
    return serve_inline(edge, call)


def lease_all(campaigns: Iterable[Campaign]) -> LeasedBudgets:
    """Leases of each campaign's whole budget."""
    budgets = LeasedBudgets()
    for number, campaign in enumerate(campaigns, 1):
        if campaign.budget is not None:
            grant_lease(budgets, campaign, campaign.budget.total_micros or 0, number=number)
    return budgets


def with_distinct_bids(objects: Iterable[SnapshotObject]) -> list[SnapshotObject]:
    """No two paid campaigns tie."""
    bids = count(1_000, 10)
    return [
        replace(one, bid_micros=next(bids)) if isinstance(one, Campaign) and one.bid_micros else one
        for one in objects
    ]


def with_query(request: bytes, *more: bytes) -> bytes:
    """*request* with *more* parameters."""
    return request.replace(b" HTTP/", b"".join(b"&" + one for one in more) + b" HTTP/", 1)


def with_header(request: bytes, line: bytes) -> bytes:
    """*request* with one more header line."""
    return request[:-2] + line + b"\r\n\r\n"


def _token_ids() -> Callable[[int], UUID]:
    numbers = count(1)
    return lambda now_ms: UUID(int=now_ms << 80 | next(numbers))


def _without_made_ids(answer: bytes | None) -> bytes | None:
    """*answer* without the request id that the edge made."""
    return answer if answer is None else _MADE_IDS.sub(b"made", answer)


def _parse_fill(answer: bytes | None) -> dict[str, Any] | None:
    if answer is None or not answer.startswith(b"HTTP/1.1 200 "):
        return None
    found: dict[str, Any] = orjson.loads(answer.partition(b"\r\n\r\n")[2])
    return found
