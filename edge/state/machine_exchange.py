"""
Exchanges a machine's demand for its shares of rate limits with the other edge machines of its environment, off the
request path. One instance a machine, in its supervisor.
"""

import asyncio
from typing import Final

import structlog

from common.values.clock import Clock
from edge.state.limit_store import LimitStore, LimitStoreUnavailable
from edge.state.machine_shares import HOLD_MS, MIN_DEMAND, LimitTable, TableInvalid, parse_table
from edge.state.quota_exchange import QuotaLender
from edge.state.rate_limit import Bucket

ALONE_S: Final = 5.0
"""Pause of a machine that has found no other; it only checks whether there is one."""
RESTING_S: Final = 1.0
BUSY_S: Final = 0.25
"""Pauses of several machines: without and with a bucket whose shares follow the demand."""
_MAX_REPORTED: Final = 128
"""Buckets of which a machine reports its demand, those with the largest."""
_CARRIED_OVER: Final = 0.5
_ATTEMPTS: Final = 5
"""Tries of one exchange; another machine may change the table in between."""

_log = structlog.get_logger(__name__)


class TableContended(Exception):
    """Other machines changed the table at every attempt. The next exchange is due soon."""


class MachineExchange:
    """`run` until cancelled. ``failures``, and the machines of *lender*, are for metrics."""

    def __init__(self, machine: str, lender: QuotaLender, store: LimitStore, clock: Clock) -> None:
        """*machine*: a name that no other machine of the environment has."""
        self.failures = 0
        self._machine = machine
        self._lender = lender
        self._store = store
        self._clock = clock
        self._demand: dict[Bucket, float] = {}
        self._since_s = clock.monotonic_s()
        self._is_unavailable = False

    @property
    def lender(self) -> QuotaLender:
        return self._lender

    async def run(self) -> None:
        while True:
            await self.step()
            await asyncio.sleep(self.pause_s)

    @property
    def pause_s(self) -> float:
        """The time until the next exchange."""
        if self._lender.machines == 1:
            return ALONE_S
        return BUSY_S if self._demand or self._lender.has_machine_shares else RESTING_S

    async def step(self) -> None:
        """
        Exchanges once. Where that fails, the machine keeps its shares for `HOLD_MS`, and then has its equal share of
        each limit, by the number of machines that it knew last.
        """
        demand = self._take_demand()
        try:
            await self._exchange(demand)
        except (LimitStoreUnavailable, TableContended) as error:
            self._failed(str(error))
        else:
            if self._is_unavailable:
                _log.info("limit_exchange_recovered")
            self._is_unavailable = False

    async def _exchange(self, demand: dict[Bucket, float]) -> None:
        for _ in range(_ATTEMPTS):
            stored = await self._store.read()
            table = self._parse(stored.raw)
            shares = table.exchange(self._machine, demand, stored.now_ms)
            if await self._store.replace(stored.version, table.encode()):
                self._lender.adopt(
                    shares, len(table.seen_ms), until_s=self._clock.monotonic_s() + HOLD_MS / 1000
                )
                return
        raise TableContended(f"other machines changed the table {_ATTEMPTS} times")

    def _parse(self, raw: bytes) -> LimitTable:
        """An unreadable table is replaced: a later release may have written it."""
        try:
            return parse_table(raw)
        except TableInvalid as error:
            _log.error("limit_table_malformed", reason=str(error))
            return LimitTable()

    def _failed(self, reason: str) -> None:
        self.failures += 1
        if not self._is_unavailable:
            _log.warning("limit_exchange_failed", reason=reason)
        self._is_unavailable = True
        self._lender.drop_expired(self._clock.monotonic_s())

    def _take_demand(self) -> dict[Bucket, float]:
        """Calls a second, over about the last two exchanges."""
        now_s = self._clock.monotonic_s()
        elapsed_s, self._since_s = max(now_s - self._since_s, BUSY_S / 2), now_s
        reported = self._lender.take_demand()
        lately = {
            bucket: self._demand.get(bucket, 0.0) * _CARRIED_OVER
            + reported.get(bucket, 0.0) / elapsed_s * (1 - _CARRIED_OVER)
            for bucket in self._demand.keys() | reported.keys()
        }
        wanted = [bucket for bucket, calls_s in lately.items() if calls_s >= MIN_DEMAND]
        wanted.sort(key=lately.__getitem__, reverse=True)
        self._demand = {bucket: lately[bucket] for bucket in wanted[:_MAX_REPORTED]}
        return self._demand
