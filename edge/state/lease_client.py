"""
Exchanges leases in the background: once a second it sends a report and receives grants. It does so sooner for new
campaigns. A campaign that was activated is leased before its first request, and so are all campaigns when a worker
starts.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

import structlog

from common.pacing.lease_messages import LeaseMessageInvalid, encode_report, parse_grants_steps
from common.pacing.worker_leases import LeasedBudgets
from common.service.cooperative import TimeSlice, run_cooperatively
from common.snapshot.snapshot import Snapshot
from common.values.clock import Clock
from edge.ports import LeaseStore, LeaseStoreUnavailable
from edge.state.commit_file import CommitFile

PAUSE_S = 1.0
_SOON_S = 0.1
_BEGIN_S, _BEGIN_MOST_S = 0.75, 2.0
_CAMPAIGNS_A_S = 80_000
SETTLE_S = 1.0
"""How long the acknowledgement of a snapshot waits for leases of campaigns that are new in it."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger("leases")


def begin_s(campaigns: int) -> float:
    """
    How long a starting worker waits for its first leases before it listens, in seconds: two rounds of an allocator, and
    the time that leases of so many *campaigns* take. Without grants, it then answers calls without budgets.
    """
    return min(_BEGIN_MOST_S, _BEGIN_S + campaigns / _CAMPAIGNS_A_S)


class LeaseClient:
    """*worker*: a name of this boot of this worker, never used before. Belongs to one event loop."""

    def __init__(
        self,
        budgets: LeasedBudgets,
        store: LeaseStore,
        clock: Clock,
        worker: str,
        commits: CommitFile | None = None,
    ) -> None:
        """*commits*: the file to which *budgets* write each commit."""
        self._commits = commits
        self.failures = 0
        """Exchanges that failed."""
        self._budgets = budgets
        self._store = store
        self._clock = clock
        self._worker = worker
        self._end: asyncio.TimerHandle | None = None
        self._hurry_until_ms = self._clock.monotonic_ms() + round(_BEGIN_MOST_S * 1000)
        self._is_woken = False
        self._roused = asyncio.Event()
        """Set by `_wake`, which ends the pause, and by a request, which may end it."""
        self._budgets.on_request = self._roused.set
        self._settled = asyncio.Event()
        self._exchanged = asyncio.Event()

    def expect(self, snapshot: Snapshot, campaign_ids: Iterable[str]) -> None:
        """*campaign_ids* changed in *snapshot*, the current one. Requests leases now for those that are new."""
        if self._budgets.expect(snapshot, campaign_ids):
            self._settled.clear()
            self._hurry_until_ms = self._clock.monotonic_ms() + round(SETTLE_S * 1000)
            self._wake()

    async def settle(self, timeout_s: float = SETTLE_S) -> None:
        """Waits until every expected lease is answered, or the store fails; *timeout_s* at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._settled.wait()

    async def next_grants(self) -> None:
        """Waits until one more report is answered, or fails, sooner than usual."""
        self._exchanged.clear()
        self._wake()
        await self._exchanged.wait()

    @property
    def is_settled(self) -> bool:
        return self._settled.is_set()

    async def run(self) -> None:
        """Exchanges until cancelled."""
        refused: frozenset[str] = frozenset()
        while True:
            await self.exchange()
            refused = await self._pause(refused)

    async def exchange(self) -> None:
        """Sends one report, and applies whatever was granted."""
        if self._commits is not None and self._commits.needs_room:
            await asyncio.to_thread(self._commits.make_room)
        at_ms = self._clock.monotonic_ms()
        report = encode_report(await run_cooperatively(self._budgets.report_steps(at_ms)))
        try:
            raw = await self._store.exchange(self._worker, report)
            if raw is not None:
                await self._apply(raw)
        except LeaseStoreUnavailable as error:
            self._settled.set()
            self.failures += 1
            if self.failures == 1:
                _log.warning("leases_unavailable", reason=str(error))
        except LeaseMessageInvalid as error:
            self.failures += 1
            _log.warning("lease_grants_malformed", reason=str(error))
        if not self._is_hurried():
            self._settled.set()
        self._check_term()
        self._exchanged.set()

    async def _apply(self, raw: bytes) -> None:
        slices = TimeSlice()
        grants = await run_cooperatively(parse_grants_steps(raw), slices)
        await run_cooperatively(self._budgets.apply_steps(grants), slices)

    async def close(self) -> None:
        """Sends the last report, which returns all leases."""
        await run_cooperatively(self._budgets.release_steps())
        before = self.failures
        await self.exchange()
        if self._commits is not None and self.failures == before:
            self._commits.remove()
        if self._end is not None:
            self._end.cancel()

    async def _pause(self, refused: frozenset[str]) -> frozenset[str]:
        """
        Pauses before the next exchange. The pause is cut short while expected leases are unanswered, and by a campaign
        that was not refused before, because it may be new. Returns the campaigns refused now.
        """
        now_s = asyncio.get_running_loop().time
        until_s = now_s() + PAUSE_S
        while not self._is_woken and (left_s := until_s - now_s()) > 0:
            may_end = self._budgets.has_requests or self._is_hurried()
            self._roused.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left_s, _SOON_S) if may_end else left_s):
                    await self._roused.wait()
            # A first request waits a little, so that others share its report.
            if may_end and (self._is_hurried() or not self._budgets.newly_requested <= refused):
                break
        self._is_woken = False
        return self._budgets.newly_requested

    def _wake(self) -> None:
        self._is_woken = True
        self._roused.set()

    def _is_hurried(self) -> bool:
        return self._budgets.is_waiting and self._clock.monotonic_ms() < self._hurry_until_ms

    def _check_term(self) -> None:
        """Closes the leases exactly at the end of their term, even while an exchange is waiting."""
        now_ms = self._clock.monotonic_ms()
        self._budgets.check_term(now_ms)
        if self._end is not None:
            self._end.cancel()
        left_s = (self._budgets.until_ms - now_ms) / 1000
        if left_s > 0:
            loop = asyncio.get_running_loop()
            self._end = loop.call_later(left_s, self._check_term)
