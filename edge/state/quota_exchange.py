"""Trades shares of rate limits between the workers of a machine, a few times a second, off the request path."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import structlog

from common.values.clock import Clock
from edge.state.quota_allocator import (
    SharePool,
    SharesInvalid,
    encode_amounts,
    parse_amounts,
)
from edge.state.rate_limit import RateLimiter

_log = structlog.get_logger(__name__)


class ShareFeed(Protocol):
    """The feed of one worker."""

    def send_shares(self, shares: bytes) -> None: ...


class QuotaLender:
    """The supervisor's side: `run` until cancelled. ``feeds``: the workers' feeds, by number; set before `run`."""

    def __init__(self, workers: int) -> None:
        self.feeds: Sequence[ShareFeed] = ()
        self._pool = SharePool(workers)

    def receive_demand(self, worker: int, raw: bytes) -> None:
        """Records the demand that *worker* reported."""
        try:
            self._pool.report(worker, dict(parse_amounts(raw)))
        except SharesInvalid as error:
            _log.error("quota_demand_malformed", worker=worker, reason=str(error))

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._pool.beat_s)
            self.allocate()

    def allocate(self) -> None:
        """Sends every worker its shares; each responds with its current demand."""
        for feed, shares in zip(self.feeds, self._pool.allocate(), strict=True):
            feed.send_shares(encode_amounts(shares))


class QuotaExchange:
    """A worker's side: adopts its shares, returns its demand."""

    def __init__(self, limiter: RateLimiter, clock: Clock) -> None:
        self._limiter = limiter
        self._clock = clock

    def __call__(self, shares: bytes) -> bytes:
        """Malformed shares change nothing."""
        now_ms = self._clock.now_ms()
        try:
            self._limiter.adopt(parse_amounts(shares), now_ms)
        except SharesInvalid as error:
            _log.error("quota_shares_malformed", reason=str(error))
        self._limiter.drop_expired(now_ms)
        return encode_amounts(list(self._limiter.take_demand().items()))
