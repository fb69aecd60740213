"""
The one process that grants: hears workers four times a second, keeps what it decided, and only then tells them.

PostgreSQL away: nothing is granted, and leases end. Redis away: the same. Either way nothing is granted twice.
"""

import asyncio
from collections.abc import Iterable

import structlog

from common.clock import Clock
from common.errors import Unavailable
from common.pacing.lease_messages import LeaseMessageInvalid, encode_grants, parse_report
from control.database import Database, describe_trouble
from control.pacing import books
from control.pacing.bounds import read_figures
from control.pacing.grantor import STEP_MS, Figures, Grantor
from control.pacing.lease_metrics import LeaseMetrics
from control.ports.leases import LeaseDesk, LeaseDeskUnavailable

_ROUND_S = 0.25
_SWEEP_S = 60.0
_TELL_S = 10.0
_LOOK_AGAIN_S = 5.0
"""So old may the ledger's figures of a campaign be: charges that they lack still count as in flight."""
_QUARTER_MS = 900_000
"""Every zone's midnight falls on a quarter of an hour, and then no figure of before holds."""
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
        self._figures: dict[str, tuple[float, Figures | None]] = {}
        self._quarter = 0
        self._days: dict[str, str] = {}
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
        figures = await self._figures_of(asked)
        before = set(grantor.workers)
        grantor.grant(figures, now_ms)
        await self._keep(grantor, now_ms)
        told = {name: encode_grants(grantor.grants(name, self._days)) for name in heard}
        await self._desk.put(told)
        await self._desk.forget(before - set(grantor.workers))
        self._metrics.granted(len(asked))

    def _outstanding(self, grantor: Grantor, now_ms: int) -> dict[str, int]:
        """Of every campaign that may still deliver something. By figures that may be old, it is rather too much."""
        return {
            name: grantor.outstanding_micros(name, known[1] if known else None, now_ms)
            for name in grantor.active
            for known in (self._figures.get(name),)
        }

    async def _begin(self) -> Grantor:
        first_minute = (self._clock.now_ms() - self._settle_ms) // STEP_MS
        async with self._database.service() as session:
            grantor = Grantor(await books.begin_epoch(session), settle_ms=self._settle_ms)
            commits = await books.read_commits(session, first_minute)
            grantor.restore(await books.read_books(session), commits)
        self._figures.clear()
        return grantor

    def _hear(self, grantor: Grantor, reports: dict[str, bytes], now_ms: int) -> list[str]:
        heard = []
        for worker, raw in reports.items():
            try:
                report = parse_report(raw)
            except LeaseMessageInvalid as error:
                self._metrics.unreadable.inc()
                _log.warning("report_unreadable", worker=worker, reason=str(error))
                continue
            if grantor.hear(worker, report, now_ms):
                heard.append(worker)
        return heard

    async def _figures_of(self, campaign_ids: Iterable[str]) -> dict[str, Figures]:
        now_s = self._clock.monotonic_s()
        quarter = self._clock.now_ms() // _QUARTER_MS
        if quarter != self._quarter:
            self._quarter = quarter
            self._figures.clear()
        wanted = list(campaign_ids)
        old = [
            name
            for name in wanted
            if name not in self._figures or now_s - self._figures[name][0] > _LOOK_AGAIN_S
        ]
        if old:
            async with self._database.service() as session:
                read = await read_figures(
                    session, old, now=self._clock.now(), settle_ms=self._settle_ms
                )
            for name in old:
                self._figures[name] = (now_s, read.get(name))
        found = {name: self._figures[name][1] for name in wanted}
        for name, one in found.items():
            if one is not None and one.day:
                self._days[name] = one.day
            else:
                self._days.pop(name, None)
        return {name: one for name, one in found.items() if one is not None}

    async def _keep(self, grantor: Grantor, now_ms: int) -> None:
        minute = now_ms // STEP_MS
        async with self._database.service() as session:
            await books.keep(
                session, grantor.epoch, grantor.take_books(), {minute: grantor.commits_of(minute)}
            )
            if self._clock.monotonic_s() - self._swept_s > _SWEEP_S:
                first = (now_ms - self._settle_ms) // STEP_MS
                await books.sweep(session, grantor.workers, first)
                self._swept_s = self._clock.monotonic_s()
            if self._clock.monotonic_s() - self._told_s > _TELL_S:
                outstanding = self._outstanding(grantor, now_ms)
                await books.keep_outstanding(session, outstanding, self._clock.now())
                self._metrics.outstanding.set(sum(outstanding.values()))
                self._told_s = self._clock.monotonic_s()
