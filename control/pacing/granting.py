"""
The one process that grants: hears workers four times a second, keeps what it decided, and only then tells them.

PostgreSQL away: nothing is granted, and leases end. Redis away: the same. Either way nothing is granted twice.
"""

import asyncio

import structlog

from common.clock import Clock
from common.errors import Unavailable
from common.pacing.lease_messages import LeaseMessageInvalid, encode_grants, parse_report
from control.database import Database, describe_trouble
from control.pacing import books
from control.pacing.commits import STEP_MS
from control.pacing.grantor import Grantor
from control.pacing.known import Known
from control.pacing.lease_metrics import LeaseMetrics
from control.ports.leases import LeaseDesk, LeaseDeskUnavailable

_ROUND_S = 0.25
_SWEEP_S = 60.0
_TELL_S = 10.0
_AWAY = (Unavailable, LeaseDeskUnavailable)
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pace")


class Granting:
    """*settle_s*: how long after a serve its events may come."""

    def __init__(
        self,
        database: Database,
        desk: LeaseDesk,
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
        self._grantor: Grantor | None = None
        self._known = Known(database, clock, settle_ms=self._settle_ms)
        self._reports: dict[str, bytes] = {}
        """As they were last found: what still lies there was heard."""
        self._heard_epoch = 0
        """The latest that a worker knows of: later than ours, where the database went back."""
        self._folded_minute = 0
        self._swept_s = self._told_s = float("-inf")
        self.trouble: str | None = None
        """Why nothing could be granted the last time, None when it could."""

    async def run(self) -> None:
        """Until cancelled, or another process grants."""
        self._grantor = None
        while True:
            try:
                await self.round()
                self.trouble = None
            except books.Replaced:
                self._grantor = None
                _log.warning("replaced")
            except _AWAY as error:
                # What was not kept must not be remembered either.
                self._grantor = None
                self.trouble = describe_trouble(error)
                self._metrics.failures.inc()
                _log.warning("pace_waits", reason=self.trouble)
            await asyncio.sleep(_ROUND_S)

    async def round(self) -> None:
        """Hears, grants, keeps, tells. Raises `Replaced`, `Unavailable`, `LeaseDeskUnavailable`."""
        if self._grantor is None:
            self._grantor = await self._begin()
        grantor = self._grantor
        now_ms = self._clock.now_ms()
        heard = self._hear(grantor, await self._desk.reports(), now_ms)
        if not heard:
            return
        asked = grantor.asked
        figures = await self._known.read(asked)
        before = set(grantor.workers)
        grantor.grant(figures, now_ms)
        await self._keep(grantor, now_ms)
        days = self._known.days
        told = {name: encode_grants(grantor.grants(name, days)) for name in heard}
        await self._desk.put(told)
        await self._desk.forget(before - set(grantor.workers))
        self._metrics.granted(len(asked))

    def _outstanding(self, grantor: Grantor, now_ms: int) -> dict[str, int]:
        """Of every campaign that may still deliver something. By figures that may be old, it is rather too much."""
        return {
            name: grantor.outstanding_micros(name, self._known.find(name), now_ms)
            for name in grantor.active
        }

    async def _begin(self) -> Grantor:
        first_minute = (self._clock.now_ms() - self._settle_ms) // STEP_MS
        async with self._database.service() as session:
            epoch = await books.begin_epoch(session, self._heard_epoch)
            grantor = Grantor(epoch, settle_ms=self._settle_ms)
            memory = await books.read_memory(session, first_minute)
        grantor.restore(memory.books, memory.minutes)
        self._known.forget_all()
        self._reports = {}
        self._folded_minute = 0
        self._swept_s = float("-inf")
        return grantor

    def _hear(self, grantor: Grantor, reports: dict[str, bytes], now_ms: int) -> list[str]:
        heard = []
        known, self._reports = self._reports, reports
        for worker, raw in reports.items():
            if known.get(worker) == raw:
                continue
            try:
                report = parse_report(raw)
            except LeaseMessageInvalid as error:
                self._metrics.unreadable.inc()
                _log.warning("report_unreadable", worker=worker, reason=str(error))
                continue
            self._heard_epoch = max(self._heard_epoch, report.epoch)
            if grantor.hear(worker, report, now_ms):
                heard.append(worker)
        if self._heard_epoch > grantor.epoch:
            raise books.Replaced
        return heard

    async def _keep(self, grantor: Grantor, now_ms: int) -> None:
        now_s = self._clock.monotonic_s()
        async with self._database.service() as session:
            await books.keep(session, grantor.epoch, grantor.take_round())
            if now_s - self._swept_s > _SWEEP_S:
                first = (now_ms - self._settle_ms) // STEP_MS
                minutes = grantor.minutes_from(self._folded_minute)
                await books.fold(session, grantor.books, minutes, first)
                # What is committed in this minute after it is in the next fold.
                self._swept_s, self._folded_minute = now_s, now_ms // STEP_MS
            if now_s - self._told_s > _TELL_S:
                outstanding = self._outstanding(grantor, now_ms)
                await books.keep_outstanding(session, outstanding, self._clock.now())
                self._metrics.outstanding.set(sum(outstanding.values()))
                self._told_s = now_s
