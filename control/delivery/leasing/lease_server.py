"""
The one process that grants: reads reports four times a second, stores its decisions, and only then sends grants.

While PostgreSQL or Redis is unavailable, nothing is granted and leases end. In neither case is anything granted twice.
Pure work runs in slices of the event loop: with 100 000 campaigns a piece takes tenths of a second. Between two slices
the loop serves PostgreSQL, the leader's lock and the internal listener. A thread would hold the interpreter as long.

The silence of workers is not measured by a clock that somebody sets. Where the wall clock was set, the server starts
over, and moves the stored instants of reports by as much.
"""

import asyncio
from collections.abc import Generator, Mapping
from dataclasses import replace
from datetime import datetime

import structlog

from common.pacing.lease_messages import LeaseMessageInvalid, encode_grants_steps, parse_report
from common.service.cooperative import batches, run_cooperatively
from common.values.clock import Clock, from_ms
from common.values.errors import Unavailable
from control.delivery.leasing import lease_journal
from control.delivery.leasing.budget_limits import BudgetFigures
from control.delivery.leasing.budget_limits_query import list_spendable
from control.delivery.leasing.figures_cache import FiguresCache
from control.delivery.leasing.in_flight import STEP_MS
from control.delivery.leasing.lease_allocator import LeaseAllocator
from control.delivery.leasing.lease_metrics import LeaseMetrics
from control.delivery.pacing.check_schedule import CheckSchedule
from control.ports.leases import LeaseMailbox, LeaseMailboxUnavailable
from control.storage.database import Database, describe_error

_ROUND_S = 0.25
_PAUSE_S = 1.0
"""After a fault."""
_SOON_S = 0.05
"""Pause while more checks are due: a new leader has to check all campaigns."""
_SWEEP_S = 60.0
_SWEEP_ANYWAY_S = 600.0
_SEND_S = 10.0
_SENT_PER_S = 2_500
"""Campaigns a second whose outstanding amounts are written: every ten seconds, with 100 000 campaigns every forty."""
_LIST_S = 10.0
_LIST_AGAIN_MS = 60_000
"""Overlap of two lists: changes of this long before the last list may have been committed after it."""
_LOOKS_AT_ONCE = 500
"""Campaigns that one round checks although no worker requested them."""
_SET_MS = 1_000
"""So much more, or less, has passed by the wall clock where it was set. It is a tenth of a lease's term."""
_AWAY = (Unavailable, LeaseMailboxUnavailable)
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pace")


class LeaseServer:
    """*settle_s*: how long after a serve its events may arrive."""

    def __init__(
        self,
        database: Database,
        mailbox: LeaseMailbox,
        clock: Clock,
        metrics: LeaseMetrics,
        *,
        settle_s: float,
    ) -> None:
        self._database = database
        self._mailbox = mailbox
        self._clock = clock
        self._metrics = metrics
        self._settle_ms = round(settle_s * 1000)
        self._allocator: LeaseAllocator | None = None
        self._figures = FiguresCache(database, clock, settle_ms=self._settle_ms)
        self._checks = CheckSchedule()
        self._listed_s, self._listed_ms = float("-inf"), 0
        """When campaigns were last listed, and the instant from which changes are listed next."""
        self._listed: dict[str, datetime] = {}
        """Campaigns of the last list, with their last changes: lists overlap, and a change needs one check."""
        self._reports: dict[str, bytes] = {}
        """Reports of the last round; an unchanged one was already processed."""
        self._reported_epoch = 0
        """The latest epoch that a worker reported; it is later than ours where the database was restored."""
        self._folded_minute = 0
        self._swept_s = self._sent_s = float("-inf")
        self._ahead_ms: int | None = None
        """How far the wall clock was ahead of the monotonic clock when the allocator began; None: it never began."""
        self._stored_ahead_ms: int | None = None
        """The same, of the last stored round; None: another process may have stored since."""
        self._journal_bytes = self._written_bytes = 0
        """Bytes of the journal since the full state was last written, and bytes of that state."""
        self.error: str | None = None
        """Reason of the last round's failure, or None."""

    async def run(self) -> None:
        """Runs until cancelled. Starts over where another process grants."""
        self._start_over()
        while True:
            try:
                await self.round()
                self.error = None
            except lease_journal.LostLeadership:
                self._start_over()
                _log.warning("leadership_lost")
            except _AWAY as error:
                # State that was not stored must not stay in memory either.
                self._allocator = None
                self.error = describe_error(error)
                self._metrics.failures.inc()
                _log.warning("pace_backend_unavailable", reason=self.error, retry_in_s=_ROUND_S)
            except Exception as error:  # noqa: BLE001 - begun anew, instead of the process, which takes seconds
                self._allocator = None
                self.error = f"{type(error).__name__}: {error}"
                self._metrics.failures.inc()
                _log.exception("pace_round_failed", retry_in_s=_PAUSE_S)
                await asyncio.sleep(_PAUSE_S)
            is_behind = self._checks.is_due(self._clock.now_ms()) and self.error is None
            await asyncio.sleep(_SOON_S if is_behind else _ROUND_S)

    async def round(self) -> None:
        """
        Reads reports, grants, stores, sends. Raises `lease_journal.LostLeadership`, `Unavailable`,
        `LeaseMailboxUnavailable`.
        """
        now_ms = self._clock.now_ms()
        ahead_ms = now_ms - self._clock.monotonic_ms()
        set_by_ms = _set_by(self._ahead_ms, ahead_ms)
        if set_by_ms:
            _log.warning("clock_changed", by_ms=set_by_ms)
            self._allocator = None
        if self._allocator is None:
            self._allocator = await self._begin(_set_by(self._stored_ahead_ms, ahead_ms))
            self._ahead_ms = ahead_ms
        allocator = self._allocator
        reports = await self._mailbox.reports()
        received = await run_cooperatively(self._receive_reports(allocator, reports, now_ms))
        await self._list_spendable()
        due = self._checks.take(now_ms, _LOOKS_AT_ONCE)
        if not received and not due:
            return
        requested = allocator.requested_campaigns
        figures, unread = await self._figures.read(requested, due)
        await run_cooperatively(self._schedule_figures(figures, now_ms))
        before = set(allocator.workers)
        await run_cooperatively(allocator.grant_steps(figures, now_ms, due=due, unread=unread))
        await self._store(allocator, now_ms)
        self._stored_ahead_ms = self._ahead_ms
        await self._mailbox.put(await run_cooperatively(self._encode_grants(allocator, received)))
        await self._mailbox.delete(before - set(allocator.workers))
        self._metrics.granted(len(requested))

    def _start_over(self) -> None:
        """What is stored may be of another process, with a clock of its own."""
        self._allocator = self._ahead_ms = self._stored_ahead_ms = None

    async def _list_spendable(self) -> None:
        """Schedules checks of campaigns that are new or changed."""
        now_s, now_ms = self._clock.monotonic_s(), self._clock.now_ms()
        if now_s - self._listed_s < _LIST_S:
            return
        before, self._listed = self._listed, {}
        async with self._database.service() as session:
            async for page in list_spendable(session, from_ms(self._listed_ms)):
                for name, changed_at in page.items():
                    if before.get(name) != changed_at:
                        self._checks.put(name, now_ms)
                self._listed |= page
        self._listed_s, self._listed_ms = now_s, now_ms - _LIST_AGAIN_MS

    def _schedule_figures(
        self, figures: Mapping[str, BudgetFigures], now_ms: int
    ) -> Generator[None, None, None]:
        for batch in batches(figures.items()):
            for name, found in batch:
                if name not in self._checks:
                    self._checks.put_next(name, now_ms, found.change_ms)
            yield

    def _encode_grants(
        self, allocator: LeaseAllocator, workers: list[str]
    ) -> Generator[None, None, dict[str, bytes]]:
        found = {}
        for name in workers:
            grants = yield from allocator.grants_steps(name, self._figures.days)
            found[name] = yield from encode_grants_steps(grants)
        return found

    def _outstanding(
        self, allocator: LeaseAllocator, now_ms: int
    ) -> Generator[None, None, dict[str, int]]:
        """
        Outstanding micros of every campaign that may still deliver.

        Where figures are old, they are rather too high.
        """
        found = {}
        for batch in batches(allocator.active):
            for name in batch:
                found[name] = allocator.outstanding_micros(name, self._figures.find(name), now_ms)
            yield
        return found

    async def _begin(self, set_by_ms: int) -> LeaseAllocator:
        """*set_by_ms*: by how much the wall clock was set since the last stored round."""
        first_minute = (self._clock.now_ms() - self._settle_ms) // STEP_MS
        async with self._database.service() as session:
            epoch = await lease_journal.begin_epoch(session, self._reported_epoch)
            allocator = LeaseAllocator(epoch, settle_ms=self._settle_ms)
            state = await lease_journal.read_state(session, first_minute)
        workers = {
            name: replace(one, reported_ms=one.reported_ms + set_by_ms)
            for name, one in state.worker_leases.items()
        }
        await run_cooperatively(allocator.restore_steps(workers, state.minutes, state.holds))
        self._figures.clear()
        self._checks = CheckSchedule()
        self._listed_s, self._listed_ms, self._listed = float("-inf"), 0, {}
        self._reports = {}
        self._folded_minute = 0
        self._swept_s = float("-inf")  # the next round stores all workers
        return allocator

    def _receive_reports(
        self, allocator: LeaseAllocator, reports: dict[str, bytes], now_ms: int
    ) -> Generator[None, None, list[str]]:
        received = []
        before, self._reports = self._reports, reports
        for worker, raw in reports.items():
            if before.get(worker) == raw:
                continue
            try:
                report = parse_report(raw)
            except LeaseMessageInvalid as error:
                self._metrics.unreadable.inc()
                _log.warning("lease_report_malformed", worker=worker, reason=str(error))
                continue
            self._reported_epoch = max(self._reported_epoch, report.epoch)
            if (yield from allocator.receive_report_steps(worker, report, now_ms)):
                received.append(worker)
        if self._reported_epoch > allocator.epoch:
            raise lease_journal.LostLeadership
        return received

    def _is_fold_due(self, now_s: float) -> bool:
        """
        Whether to rewrite the books: once the journal is as large as they are.

        So the written bytes stay at twice the changed bytes.
        """
        age_s = now_s - self._swept_s
        has_grown = self._journal_bytes >= self._written_bytes
        return age_s > _SWEEP_S and (has_grown or age_s > _SWEEP_ANYWAY_S)

    async def _store(self, allocator: LeaseAllocator, now_ms: int) -> None:
        now_s = self._clock.monotonic_s()
        async with self._database.service() as session:
            entry = await run_cooperatively(allocator.take_round_steps())
            self._journal_bytes += await lease_journal.store_round(session, allocator.epoch, entry)
            if self._is_fold_due(now_s):
                first = (now_ms - self._settle_ms) // STEP_MS
                minutes = allocator.commits.minutes_from(self._folded_minute)
                self._written_bytes = await lease_journal.fold(
                    session, allocator.worker_leases, minutes, first
                )
                self._journal_bytes = 0
                # Later commits of this minute are part of the next fold.
                self._swept_s, self._folded_minute = now_s, now_ms // STEP_MS
            if now_s - self._sent_s > max(_SEND_S, allocator.leased_count / _SENT_PER_S):
                outstanding = await run_cooperatively(self._outstanding(allocator, now_ms))
                await lease_journal.store_outstanding(session, outstanding, self._clock.now())
                self._metrics.outstanding.set(sum(outstanding.values()))
                self._sent_s = now_s


def _set_by(before_ms: int | None, ahead_ms: int) -> int:
    """By how much the wall clock was set; 0: not, or by less than `_SET_MS`."""
    set_by_ms = 0 if before_ms is None else ahead_ms - before_ms
    return set_by_ms if abs(set_by_ms) >= _SET_MS else 0
