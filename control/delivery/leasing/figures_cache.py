"""Campaign data cached while leases are granted: the ledger's figures for seconds, forecasts for minutes."""

from collections.abc import Generator, Sequence
from heapq import nsmallest

import structlog
from sqlalchemy.exc import DBAPIError

from common.service.cooperative import batches, run_cooperatively
from common.values.clock import Clock
from common.values.errors import UNFORESEEN
from control.delivery.leasing.budget_limits import HOLDS_MS, BudgetFigures
from control.delivery.leasing.budget_limits_query import read_figures
from control.delivery.pacing.traffic_forecast import TrafficForecast, read_forecasts
from control.storage.database import Database, sql_state

_FIGURES_S = 5.0
"""Maximum age of the figures of a requested campaign; charges that they lack count as in flight."""
_FORECAST_S = 300.0
"""Maximum age of curve and rates: they are learned hourly and every minute, and change slowly."""
_AT_ONCE = 500
"""
Maximum of campaigns that one round reads, and of forecasts that it renews.

The process must confirm every second that it leads, so a round must be short.
"""
_MAX_OLD = 2 * _AT_ONCE
"""Old figures that a search collects before it drops all but the oldest."""
_CONTENT_CLASS = "22"
"""SQLSTATE class of values that a statement cannot handle."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pace")


class FiguresCache:
    """Bounded by the campaigns that may spend: each of them is checked every five minutes, and others are removed."""

    def __init__(self, database: Database, clock: Clock, *, settle_ms: int) -> None:
        self._database = database
        self._clock = clock
        self._settle_ms = settle_ms
        self._figures: dict[str, tuple[float, BudgetFigures | None]] = {}
        """By campaign; None for one that may spend nothing."""
        self._forecasts: dict[str, tuple[float, TrafficForecast]] = {}
        self._swept_s = float("-inf")
        self._failing: set[str] = set()
        """Campaigns whose figures could not be computed last. They may spend nothing, and hold up no other."""
        self.days: dict[str, str] = {}
        """Current day by campaign, for campaigns with a daily budget."""

    def find(self, campaign_id: str) -> BudgetFigures | None:
        """Returns the figures as last read."""
        return self._figures.get(campaign_id, (0.0, None))[1]

    async def read(
        self, campaign_ids: Sequence[str], due: Sequence[str] = ()
    ) -> tuple[dict[str, BudgetFigures], set[str]]:
        """
        Returns figures of campaigns that may spend now, and those of *campaign_ids* that were not read because there
        were too many. *due* are read again.
        """
        now_s, now_ms = self._clock.monotonic_s(), self._clock.now_ms()
        if now_s - self._swept_s > _FORECAST_S:
            self._swept_s = now_s
            self._remove_ended(now_s)
        found, unread, wanted = await run_cooperatively(
            self._find_cached(campaign_ids, due, now_s, now_ms)
        )
        if wanted:
            read = await self._refresh(wanted, now_s)
            for name in wanted:
                found.pop(name, None)
            found |= read
        return found, unread.difference(wanted)

    def _find_cached(
        self, campaign_ids: Sequence[str], due: Sequence[str], now_s: float, now_ms: int
    ) -> Generator[None, None, tuple[dict[str, BudgetFigures], set[str], list[str]]]:
        """Returns cached figures, campaigns of *campaign_ids* without any, and those to read now: oldest first."""
        found, unread = {}, []
        old: list[tuple[float, str]] = []
        for batch in batches(campaign_ids):
            for name in batch:
                cached = self._figures.get(name)
                if cached is None or not self._holds(cached, now_s, now_ms):
                    unread.append(name)
                    continue
                if now_s - cached[0] > _FIGURES_S:
                    old.append((cached[0], name))
                if cached[1] is not None:
                    found[name] = cached[1]
            if len(old) > _MAX_OLD:
                old = nsmallest(_AT_ONCE, old)
            yield
        oldest = [name for _, name in nsmallest(_AT_ONCE, old)]
        names = list(dict.fromkeys((*due, *unread, *oldest)))
        return found, set(unread), names[: max(_AT_ONCE, len(due))]

    def clear(self) -> None:
        self._figures.clear()

    def _remove_ended(self, now_s: float) -> None:
        for name in [name for name, (_, figures) in self._figures.items() if figures is None]:
            if now_s - self._figures[name][0] > _FIGURES_S:
                del self._figures[name]
                self._failing.discard(name)
        for name in self._forecasts.keys() - self._figures.keys():
            del self._forecasts[name]

    @staticmethod
    def _holds(cached: tuple[float, BudgetFigures | None], now_s: float, now_ms: int) -> bool:
        read_s, figures = cached
        if figures is None:
            return now_s - read_s <= _FIGURES_S
        over = figures.day and now_ms >= figures.change_ms
        return not over and (now_s - read_s) * 1000 < HOLDS_MS

    async def _refresh(self, names: list[str], now_s: float) -> dict[str, BudgetFigures]:
        """Reads campaigns apart where one of them fails, for example because PostgreSQL lacks its time zone."""
        try:
            read = await self._read_from_database(names, now_s)
        except (*UNFORESEEN, DBAPIError) as error:
            if isinstance(error, DBAPIError) and not sql_state(error).startswith(_CONTENT_CLASS):
                raise
            if len(names) == 1:
                self._note_failure(names[0], error, now_s)
                return {}
            half = len(names) // 2
            first = await self._refresh(names[:half], now_s)
            return first | await self._refresh(names[half:], now_s)
        self._failing.difference_update(names)
        return read

    def _note_failure(self, name: str, error: Exception, now_s: float) -> None:
        self._figures[name] = (now_s, None)
        self.days.pop(name, None)
        if name not in self._failing:
            self._failing.add(name)
            _log.error("campaign_figures_failed", campaign=name, exc_info=error)

    async def _read_from_database(self, names: list[str], now_s: float) -> dict[str, BudgetFigures]:
        now = self._clock.now()
        async with self._database.service() as session:
            aged = self._aged(names, now_s)
            for name, forecast in (
                await read_forecasts(session, aged, now) if aged else {}
            ).items():
                self._forecasts[name] = (now_s, forecast)
            forecasts = {
                name: self._forecasts[name][1] for name in names if name in self._forecasts
            }
            read = await read_figures(session, forecasts, now=now, settle_ms=self._settle_ms)
        for name in names:
            self._figures[name] = (now_s, read.get(name))
            if name in read and read[name].day:
                self.days[name] = read[name].day
            else:
                self.days.pop(name, None)
        return read

    def _aged(self, names: list[str], now_s: float) -> list[str]:
        new = [name for name in names if name not in self._forecasts]
        old = [
            name
            for name in names
            if name in self._forecasts and now_s - self._forecasts[name][0] > _FORECAST_S
        ]
        return new + old
