"""What is known of campaigns while leases are granted: the ledger's figures for seconds, their outlook for minutes."""

from collections.abc import Iterable

from common.clock import Clock
from control.database import Database
from control.pacing.bounds import read_figures
from control.pacing.commits import STEP_MS
from control.pacing.outlook import Outlook, read_outlooks
from control.pacing.spending import Figures

_FIGURES_S = 5.0
"""So old may the ledger's figures of a campaign be: charges that they lack still count as in flight."""
_OUTLOOK_S = 300.0
"""So old may curve and rates be: they are learned each hour and each minute, and move slowly."""
_OUTLOOKS_AT_ONCE = 500
"""Renewed in one round; a campaign that is met the first time waits for nobody."""
_QUARTER_MS = 900_000
"""Every zone's midnight falls on a quarter of an hour, and then no figure of before holds."""


class Known:
    def __init__(self, database: Database, clock: Clock, *, settle_ms: int) -> None:
        self._database = database
        self._clock = clock
        self._settle_ms = settle_ms
        self._figures: dict[str, tuple[float, Figures | None]] = {}
        self._outlooks: dict[str, tuple[float, Outlook]] = {}
        self._standing = (0, 0)
        """The quarter of an hour, and the first minute whose commits are young: with another figures do not agree."""
        self.days: dict[str, str] = {}
        """Campaign to its day, of those with a budget a day."""

    def find(self, campaign_id: str) -> Figures | None:
        """As last read."""
        return self._figures.get(campaign_id, (0.0, None))[1]

    async def read(self, campaign_ids: Iterable[str]) -> dict[str, Figures]:
        """Of those that may spend a budget now."""
        now_s = self._clock.monotonic_s()
        now_ms = self._clock.now_ms()
        standing = now_ms // _QUARTER_MS, (now_ms - self._settle_ms) // STEP_MS
        if standing != self._standing:
            self._standing = standing
            self._figures.clear()
        found, old = {}, []
        for name in campaign_ids:
            known = self._figures.get(name)
            if known is None or now_s - known[0] > _FIGURES_S:
                old.append(name)
            elif known[1] is not None:
                found[name] = known[1]
        if old:
            found |= await self._look_again(old, now_s)
        return found

    def forget_all(self) -> None:
        self._figures.clear()

    async def _look_again(self, names: list[str], now_s: float) -> dict[str, Figures]:
        now = self._clock.now()
        async with self._database.service() as session:
            aged = self._aged(names, now_s)
            for name, outlook in (await read_outlooks(session, aged, now) if aged else {}).items():
                self._outlooks[name] = (now_s, outlook)
            outlooks = {name: self._outlooks[name][1] for name in names if name in self._outlooks}
            read = await read_figures(session, outlooks, now=now, settle_ms=self._settle_ms)
        for name in names:
            self._figures[name] = (now_s, read.get(name))
            if name in read and read[name].day:
                self.days[name] = read[name].day
            else:
                self.days.pop(name, None)
        return read

    def _aged(self, names: list[str], now_s: float) -> list[str]:
        new = [name for name in names if name not in self._outlooks]
        old = [
            name
            for name in names
            if name in self._outlooks and now_s - self._outlooks[name][0] > _OUTLOOK_S
        ]
        return new + old[:_OUTLOOKS_AT_ONCE]
