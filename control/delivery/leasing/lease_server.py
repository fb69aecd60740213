"""
The one process that grants: reads reports four times a second, stores its decisions, and only then sends grants.

While PostgreSQL or Redis is unavailable, nothing is granted and leases end. In neither case is anything granted twice.
Pure work runs in a thread, one piece after another: with 100 000 campaigns a piece takes tenths of a second. Meanwhile
the loop must serve PostgreSQL, the leader's lock and the internal listener.
"""

import asyncio

import structlog

from common.pacing.lease_messages import LeaseMessageInvalid, encode_grants, parse_report
from common.values.clock import Clock, from_ms
from common.values.errors import Unavailable
from control.delivery.leasing import lease_journal
from control.delivery.leasing.budget_limits_query import list_spendable
from control.delivery.leasing.figures_cache import FiguresCache
from control.delivery.leasing.in_flight import STEP_MS
from control.delivery.leasing.lease_allocator import LeaseAllocator
from control.delivery.leasing.lease_metrics import LeaseMetrics
from control.delivery.pacing.looks import Looks
from control.ports.leases import LeaseMailbox, LeaseMailboxUnavailable
from control.storage.database import Database, describe_trouble

_ROUND_S = 0.25
_SOON_S = 0.05
"""Pause while more checks are due: a new leader has to check all campaigns."""
_SWEEP_S = 60.0
_SWEEP_ANYWAY_S = 600.0
_TELL_S = 10.0
_TOLD_A_S = 2_500
"""Campaigns a second whose outstanding amounts are written: every ten seconds, with 100 000 campaigns every forty."""
_LIST_S = 10.0
_LIST_AGAIN_MS = 60_000
"""Overlap of two lists: changes of this long before the last list may have been committed after it."""
_LOOKS_AT_ONCE = 500
"""Campaigns that one round checks although no worker requested them."""
_AWAY = (Unavailable, LeaseMailboxUnavailable)
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pace")


class LeaseServer:
    """*settle_s*: how long after a serve its events may arrive."""

    def __init__(
        self,
        database: Database,
        desk: LeaseMailbox,
        clock: Clock,
        metrics: LeaseMetrics,
        *,
        settle_s: float,
    ) -> None:
        self._database = database
        self._desk = desk
        self._clock = clock
        self._metrics = metrics
        self._settle_ms = round(settle_s * 1000)
        self._grantor: LeaseAllocator | None = None
        self._known = FiguresCache(database, clock, settle_ms=self._settle_ms)
        self._looks = Looks()
        self._listed_s, self._listed_ms = float("-inf"), 0
        """When campaigns were last listed, and the instant from which changes are listed next."""
        self._reports: dict[str, bytes] = {}
        """Reports of the last round; an unchanged one was already processed."""
        self._heard_epoch = 0
        """The latest epoch that a worker reported; it is later than ours where the database was restored."""
        self._folded_minute = 0
        self._swept_s = self._told_s = float("-inf")
        self._journal_bytes = self._book_bytes = 0
        """Bytes of the journal since the books were last rewritten, and bytes of those books."""
        self.trouble: str | None = None
        """Reason of the last round's failure, or None."""

    async def run(self) -> None:
        """Runs until cancelled. Starts over where another process grants."""
        self._grantor = None
        while True:
            try:
                await self.round()
                self.trouble = None
            except lease_journal.LostLeadership:
                self._grantor = None
                _log.warning("leadership_lost")
            except _AWAY as error:
                # State that was not stored must not stay in memory either.
                self._grantor = None
                self.trouble = describe_trouble(error)
                self._metrics.failures.inc()
                _log.warning("pace_backend_unavailable", reason=self.trouble, retry_in_s=_ROUND_S)
            is_behind = self._looks.is_due(self._clock.now_ms()) and self.trouble is None
            await asyncio.sleep(_SOON_S if is_behind else _ROUND_S)

    async def round(self) -> None:
        """
        Reads reports, grants, stores, sends. Raises `lease_journal.LostLeadership`, `Unavailable`,
        `LeaseMailboxUnavailable`.
        """
        if self._grantor is None:
            self._grantor = await self._begin()
        grantor = self._grantor
        now_ms = self._clock.now_ms()
        reports = await self._desk.reports()
        heard = await asyncio.to_thread(self._hear, grantor, reports, now_ms)
        await self._list_spendable()
        due = self._looks.take(now_ms, _LOOKS_AT_ONCE)
        if not heard and not due:
            return
        asked = grantor.asked
        figures, unread = await self._known.read(asked, due)
        for name, found in figures.items():
            if name not in self._looks:
                self._looks.put_next(name, now_ms, found.change_ms)
        before = set(grantor.workers)
        await asyncio.to_thread(grantor.grant, figures, now_ms, due=due, unread=unread)
        await self._keep(grantor, now_ms)
        await self._desk.put(await asyncio.to_thread(self._encode_grants, grantor, heard))
        await self._desk.forget(before - set(grantor.workers))
        self._metrics.granted(len(asked))

    async def _list_spendable(self) -> None:
        """Schedules checks of campaigns that are new or changed."""
        now_s, now_ms = self._clock.monotonic_s(), self._clock.now_ms()
        if now_s - self._listed_s < _LIST_S:
            return
        async with self._database.service() as session:
            names = await list_spendable(session, from_ms(self._listed_ms))
        self._listed_s, self._listed_ms = now_s, now_ms - _LIST_AGAIN_MS
        for name in names:
            self._looks.put(name, now_ms)

    def _encode_grants(self, grantor: LeaseAllocator, workers: list[str]) -> dict[str, bytes]:
        days = self._known.days
        return {name: encode_grants(grantor.grants(name, days)) for name in workers}

    def _outstanding(self, grantor: LeaseAllocator, now_ms: int) -> dict[str, int]:
        """
        Outstanding micros of every campaign that may still deliver.

        Where figures are old, they are rather too high.
        """
        return {
            name: grantor.outstanding_micros(name, self._known.find(name), now_ms)
            for name in grantor.active
        }

    async def _begin(self) -> LeaseAllocator:
        first_minute = (self._clock.now_ms() - self._settle_ms) // STEP_MS
        async with self._database.service() as session:
            epoch = await lease_journal.begin_epoch(session, self._heard_epoch)
            grantor = LeaseAllocator(epoch, settle_ms=self._settle_ms)
            memory = await lease_journal.read_state(session, first_minute)
        grantor.restore(memory.books, memory.minutes)
        self._known.forget_all()
        self._looks = Looks()
        self._listed_s, self._listed_ms = float("-inf"), 0
        self._reports = {}
        self._folded_minute = 0
        self._swept_s = float("-inf")
        return grantor

    def _hear(self, grantor: LeaseAllocator, reports: dict[str, bytes], now_ms: int) -> list[str]:
        heard = []
        known, self._reports = self._reports, reports
        for worker, raw in reports.items():
            if known.get(worker) == raw:
                continue
            try:
                report = parse_report(raw)
            except LeaseMessageInvalid as error:
                self._metrics.unreadable.inc()
                _log.warning("lease_report_malformed", worker=worker, reason=str(error))
                continue
            self._heard_epoch = max(self._heard_epoch, report.epoch)
            if grantor.hear(worker, report, now_ms):
                heard.append(worker)
        if self._heard_epoch > grantor.epoch:
            raise lease_journal.LostLeadership
        return heard

    def _is_fold_due(self, now_s: float) -> bool:
        """
        Whether to rewrite the books: once the journal is as large as they are.

        So the written bytes stay at twice the changed bytes.
        """
        age_s = now_s - self._swept_s
        has_grown = self._journal_bytes >= self._book_bytes
        return age_s > _SWEEP_S and (has_grown or age_s > _SWEEP_ANYWAY_S)

    async def _keep(self, grantor: LeaseAllocator, now_ms: int) -> None:
        now_s = self._clock.monotonic_s()
        async with self._database.service() as session:
            entry = await asyncio.to_thread(grantor.take_round)
            self._journal_bytes += await lease_journal.keep(session, grantor.epoch, entry)
            if self._is_fold_due(now_s):
                first = (now_ms - self._settle_ms) // STEP_MS
                minutes = grantor.commits.minutes_from(self._folded_minute)
                self._book_bytes = await lease_journal.fold(session, grantor.books, minutes, first)
                self._journal_bytes = 0
                # Later commits of this minute are part of the next fold.
                self._swept_s, self._folded_minute = now_s, now_ms // STEP_MS
            if now_s - self._told_s > max(_TELL_S, len(grantor.active) / _TOLD_A_S):
                outstanding = await asyncio.to_thread(self._outstanding, grantor, now_ms)
                await lease_journal.keep_outstanding(session, outstanding, self._clock.now())
                self._metrics.outstanding.set(sum(outstanding.values()))
                self._told_s = now_s
