"""The exchange behind the requests: once a second, sooner for what may be new, leases are told and asked for."""

import asyncio

import structlog

from common.clock import Clock
from common.pacing.lease_messages import LeaseMessageInvalid, encode_report, parse_grants_steps
from common.pacing.worker_leases import LeasedBudgets
from edge.ports import LeaseStore, LeaseStoreUnavailable
from edge.slices import Slices, in_slices

PAUSE_S = 1.0
_SOON_S = 0.1
_log: structlog.stdlib.BoundLogger = structlog.get_logger("leases")


class Leasing:
    """*worker*: a name of this boot of this worker, that none had before. Belongs to one event loop."""

    def __init__(
        self, budgets: LeasedBudgets, store: LeaseStore, clock: Clock, worker: str
    ) -> None:
        self.failures = 0
        """Exchanges that came to nothing."""
        self._budgets = budgets
        self._store = store
        self._clock = clock
        self._worker = worker
        self._end: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Until cancelled."""
        refused: frozenset[str] = frozenset()
        while True:
            await self.exchange()
            refused = await self._pause(refused)

    async def exchange(self) -> None:
        """One report, and whatever was granted."""
        at_ms = self._monotonic_ms()
        report = encode_report(await in_slices(self._budgets.report_steps(at_ms)))
        try:
            raw = await self._store.exchange(self._worker, report)
            if raw is not None:
                await self._apply(raw)
        except LeaseStoreUnavailable as error:
            self.failures += 1
            if self.failures == 1:
                _log.warning("leases_unavailable", reason=str(error))
        except LeaseMessageInvalid as error:
            self.failures += 1
            _log.warning("grants_unreadable", reason=str(error))
        self._look_at_the_term()

    async def _apply(self, raw: bytes) -> None:
        slices = Slices()
        grants = await in_slices(parse_grants_steps(raw), slices)
        await in_slices(self._budgets.apply_steps(grants), slices)

    async def close(self) -> None:
        """The last report: nothing is kept for itself."""
        self._budgets.give_back_all()
        await self.exchange()
        if self._end is not None:
            self._end.cancel()

    async def _pause(self, refused: frozenset[str]) -> frozenset[str]:
        """Cut short by a campaign that was not refused before: it may be new. Gives those refused now."""
        for _ in range(round(PAUSE_S / _SOON_S)):
            await asyncio.sleep(_SOON_S)
            if not self._budgets.newly_asked <= refused:
                break
        return self._budgets.newly_asked

    def _look_at_the_term(self) -> None:
        """Closes at the very end of the term, whatever the exchange is waiting for then."""
        now_ms = self._monotonic_ms()
        self._budgets.check_term(now_ms)
        if self._end is not None:
            self._end.cancel()
        left_s = (self._budgets.until_ms - now_ms) / 1000
        if left_s > 0:
            loop = asyncio.get_running_loop()
            self._end = loop.call_later(left_s, self._look_at_the_term)

    def _monotonic_ms(self) -> int:
        return int(self._clock.monotonic_s() * 1000)
