"""Trades shares of rate limits between the workers of a machine, a few times a second, off the request path."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

import structlog

from common.values.clock import Clock
from edge.state.quota_allocator import (
    SharePool,
    SharesInvalid,
    encode_amounts,
    encode_shares,
    parse_amounts,
    parse_shares,
)
from edge.state.rate_limit import MACHINE_SLACK, SLACK, Bucket, RateLimiter

_log = structlog.get_logger(__name__)


class ShareFeed(Protocol):
    """The feed of one worker."""

    def send_shares(self, shares: bytes) -> None: ...


class QuotaLender:
    """
    The supervisor's side: `run` until cancelled. ``feeds``: the workers' feeds, by number; set before `run`.

    ``machines``: how many machines divide each limit, this one included. A worker's share is its share of the machine,
    times the machine's share of the limit.
    """

    def __init__(self, workers: int) -> None:
        self.feeds: Sequence[ShareFeed] = ()
        self.machines = 1
        self._pool = SharePool(workers)
        self._sent: list[list[tuple[Bucket, float]]] = [[] for _ in range(workers)]
        self._machine_shares: dict[Bucket, float] = {}
        self._machine_shares_until_s = 0.0
        self._machine_demand = Counter[Bucket]()

    def receive_demand(self, worker: int, raw: bytes) -> None:
        """Records the demand that *worker* reported."""
        try:
            demand = dict(parse_amounts(raw))
        except SharesInvalid as error:
            _log.error("quota_demand_malformed", worker=worker, reason=str(error))
            return
        self._pool.report(worker, demand)
        if self.machines > 1:
            for bucket, calls in demand.items():
                self._machine_demand[bucket] += round(calls)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._pool.beat_s)
            self.allocate()

    def allocate(self) -> None:
        """Sends every worker its shares; each responds with its current demand."""
        self._sent = self._pool.allocate()
        self._send()

    @property
    def has_machine_shares(self) -> bool:
        """Whether this machine's share of any limit is another than the equal one."""
        return bool(self._machine_shares)

    def take_demand(self) -> Mapping[Bucket, int]:
        """Calls since the last time, of buckets of which the machine may need another share."""
        demand, self._machine_demand = self._machine_demand, Counter()
        return demand

    def adopt(self, shares: Mapping[Bucket, float], machines: int, *, until_s: float) -> None:
        """
        *shares*: this machine's part of each limit, valid until the monotonic time *until_s*; of other limits it has an
        equal part. They apply at once.
        """
        changed = machines != self.machines or shares != self._machine_shares
        self.machines = machines
        self._machine_shares = dict(shares)
        self._machine_shares_until_s = until_s
        if changed:
            self._send()

    def drop_expired(self, now_s: float) -> None:
        """Returns to the equal share of all limits, if the shares that the machine holds are not valid any more."""
        if self._machine_shares and now_s >= self._machine_shares_until_s:
            self._machine_shares = {}
            self._send()

    def _send(self) -> None:
        for feed, shares in zip(self.feeds, self._sent, strict=True):
            feed.send_shares(encode_shares(self._of_all(shares), self.machines))

    def _of_all(self, shares: list[tuple[Bucket, float]]) -> list[tuple[Bucket, float]]:
        """A worker's *shares* of this machine as shares of all machines."""
        if self.machines == 1:
            return shares
        equal = MACHINE_SLACK / self.machines
        own = self._machine_shares
        resting = SLACK / self._pool.workers
        found = [(bucket, share * own.get(bucket, equal)) for bucket, share in shares]
        named = {bucket for bucket, _ in shares}
        found += [(bucket, resting * share) for bucket, share in own.items() if bucket not in named]
        return found


class QuotaExchange:
    """A worker's side: adopts its shares, returns its demand."""

    def __init__(self, limiter: RateLimiter, clock: Clock) -> None:
        self._limiter = limiter
        self._clock = clock

    def __call__(self, shares: bytes) -> bytes:
        """Malformed shares change nothing."""
        now_ms = self._clock.monotonic_ms()
        try:
            adopted, machines = parse_shares(shares)
        except SharesInvalid as error:
            _log.error("quota_shares_malformed", reason=str(error))
        else:
            self._limiter.set_machines(machines)
            self._limiter.adopt(adopted, now_ms)
        self._limiter.drop_expired(now_ms)
        return encode_amounts(list(self._limiter.take_demand().items()))
