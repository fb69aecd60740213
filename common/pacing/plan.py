"""
How much of a budget should be spent by now. Shares are parts of a thousand million, money is micros; there are no
floats.

The share of a day or flight that has passed is measured in traffic, by `common.pacing.curve`: budget × passed traffic
(Agarwal et al., KDD 2014: spend follows the forecast of impressions).
"""

from dataclasses import dataclass
from typing import assert_never

from common.pacing.curve import Curve
from common.values.enums import Pacing

PPB = 1_000_000_000
"""Parts of a thousand million: the resolution in a flight of a month is three milliseconds."""
LAG_MS = 300_000
"""
A deficit of the last five minutes may be made up at once; an older one is spread over the rest. This is half of the
bound that CodeFund set for bursts (code_fund_ads#594), after spending a day's budget in one.
"""
RETURNED_UNITS = 2
"""
Of an older deficit, as many units as this may be made up at once, too, where that many fills were never shown. A small
campaign that restarted its plan for each of them would stay behind by their share for most of its flight.
"""
_SLACK_DIVISOR = 4
"""
A deficit of one unit and this part of one is more than rounding to whole events explains, and restarts the plan. With
half a unit, four hours without traffic were made up in a burst of three events.
"""
_AHEAD_MS = 60_000
_AHEAD_DIVISOR = 100
_LOOK_MS = 30_000
_LEAD_AT_START = 400_000_000
_LEAD_AT_END = 50_000_000


@dataclass(frozen=True, slots=True)
class Terms:
    """
    The terms of a plan: *limit_micros* between two instants. ``unit_micros``: about what one fill commits, at least 1.
    ``pacing``: never asap, which has no plan.
    """

    limit_micros: int
    unit_micros: int
    pacing: Pacing
    start_ms: int
    end_ms: int
    curve: Curve

    @property
    def ahead_ms(self) -> int:
        """
        How far spend may be ahead of the clock: a minute, or a hundredth of a short flight. So a campaign visibly
        delivers as soon as it starts. Five minutes would use up part of the tolerance of a month's hours.
        """
        return min(_AHEAD_MS, max(0, self.end_ms - self.start_ms) // _AHEAD_DIVISOR)

    def passed(self, at_ms: int) -> int:
        """Returns the share of the traffic up to *at_ms*; where no traffic is expected, the share of the time."""
        begun, ended = self.curve.until(self.start_ms), self.curve.until(self.end_ms)
        at_ms = min(at_ms, self.end_ms)
        if at_ms <= self.start_ms:
            return PPB if at_ms >= self.end_ms else 0
        if ended == begun:
            return (at_ms - self.start_ms) * PPB // (self.end_ms - self.start_ms)
        return (self.curve.until(at_ms) - begun) * PPB // (ended - begun)

    def planned_micros(self, at_ms: int) -> int:
        """Returns the original plan at *at_ms*."""
        return self.limit_micros * planned_share(self.pacing, self.passed(at_ms)) // PPB


class Plan:
    """
    The plan of one budget, for one day or flight. It starts with its terms, and restarts from the actual spend where
    that falls behind.

    The plan of the rest is the remaining budget × the share of the remaining traffic. So a deficit from hours without
    traffic, a late start or an outage is made up evenly over the rest, never in a burst. Where demand is always short,
    the plan rises to take all of it. Where spend is ahead, the plan waits.

    When another process takes over as allocator, it creates the plan anew from the terms and the spend. If spend is
    behind the terms it continues from the actual spend, and so allows at most one event too early.
    """

    __slots__ = (
        "_at",
        "_begun",
        "_committed",
        "_look_ms",
        "_micros",
        "_returned",
        "_whole",
        "terms",
    )

    def __init__(self, terms: Terms, used_micros: int, now_ms: int) -> None:
        self._at = 0
        """The passed share at which the plan restarts, and the spend up to there."""
        self._micros = 0
        self._look_ms = now_ms
        self._committed = 0
        """What was spent or in flight at the last check."""
        self._returned = 0
        """How much of the present deficit is fills that were never shown."""
        self._take(terms)
        if used_micros > self.planned_micros(now_ms + LAG_MS) + terms.unit_micros:
            self._go_on(used_micros, now_ms)
        self.follow(used_micros, now_ms)

    def planned_micros(self, at_ms: int) -> int:
        """Never falls, and ends at the limit."""
        share = rest_share(self.terms.pacing, self._at, self._passed(at_ms))
        return self._micros + (self.terms.limit_micros - self._micros) * share // PPB

    def free_micros(self, used_micros: int, at_ms: int) -> int:
        """
        Returns what may be granted beside *used_micros*: up to the planned amount at that time, rounded up to a whole
        unit, within the limit.

        So the first event may come at once, and the next one after the first one's part of the traffic. A budget of a
        few events is served at predictable instants, not at random ones.
        """
        limit, unit = self.terms.limit_micros, self.terms.unit_micros
        share = rest_share(self.terms.pacing, self._at, self._passed(at_ms))
        missing = (limit - self._micros) * share - (used_micros - self._micros) * PPB
        if missing <= 0:
            return 0
        return min(-(-missing // (unit * PPB)) * unit, limit - used_micros)

    def follow(self, used_micros: int, now_ms: int, available_micros: int = 0) -> bool:
        """
        *used_micros*: spent, in flight and leased; *available_micros*: the leased part. Returns True where it fell
        behind, and the plan restarts from it. It checks at most twice a minute.
        """
        if now_ms < self._look_ms:
            return False
        self._look_ms = now_ms + _LOOK_MS
        unit = self.terms.unit_micros
        committed_micros = used_micros - available_micros
        returned = self._returned + max(0, self._committed - committed_micros)
        behind_micros = self.planned_micros(now_ms - LAG_MS) - used_micros
        self._committed = committed_micros
        self._returned = min(returned, RETURNED_UNITS * unit) if behind_micros > 0 else 0
        is_behind = behind_micros >= unit + unit // _SLACK_DIVISOR + self._returned
        if is_behind:
            self._go_on(used_micros, now_ms)
            self._returned = 0
        return is_behind

    def renew(self, terms: Terms, now_ms: int) -> None:
        """Applies other terms, or a newly learned curve: the plan continues from its current amount."""
        if terms is self.terms:
            return
        if terms != self.terms:
            planned = min(self.planned_micros(now_ms), terms.limit_micros)
            self._take(terms)
            self._go_on(planned, now_ms)

    def _take(self, terms: Terms) -> None:
        self.terms = terms
        self._begun = terms.curve.until(terms.start_ms)
        self._whole = terms.curve.until(terms.end_ms) - self._begun

    def _passed(self, at_ms: int) -> int:
        """Like `Terms.passed`, at less cost."""
        terms = self.terms
        if self._whole > 0 and terms.start_ms < at_ms < terms.end_ms:
            return (terms.curve.until(at_ms) - self._begun) * PPB // self._whole
        return terms.passed(at_ms)

    def _go_on(self, micros: int, now_ms: int) -> None:
        self._at = self._passed(now_ms)
        self._micros = min(micros, self.terms.limit_micros)


def planned_share(pacing: Pacing, passed: int) -> int:
    """
    Returns the share of the budget to be spent when *passed* of the traffic has come, both 0 … `PPB`; never falls.

    even: as much as has passed. front_loaded: ahead of that by 40 % at the start, falling in a straight line to 5 % at
    the end (Google Ad Manager's figures for FRONTLOADED). asap: everything at once.
    """
    match pacing:
        case Pacing.EVEN:
            return passed
        case Pacing.FRONT_LOADED:
            lead = _LEAD_AT_START - (_LEAD_AT_START - _LEAD_AT_END) * passed // PPB
            return min(PPB, passed * (PPB + lead) // PPB)
        case Pacing.ASAP:
            return PPB
        case _:
            assert_never(pacing)


def rest_share(pacing: Pacing, since: int, passed: int) -> int:
    """
    Of the budget that remained when *since* of the traffic had come, returns the share to be spent when *passed* has;
    all 0 … `PPB`.

    The rest is planned like the whole. A front-loaded plan is at least even: it plans nothing after the traffic at
    which it should be complete, and what is left by then must not be spent in a burst.
    """
    if since >= PPB:
        return PPB
    if passed <= since:
        return 0
    evenly = (passed - since) * PPB // (PPB - since)
    if pacing is Pacing.EVEN:
        return evenly
    before = planned_share(pacing, since)
    if before >= PPB:
        return evenly if pacing is Pacing.FRONT_LOADED else PPB
    shaped = (planned_share(pacing, passed) - before) * PPB // (PPB - before)
    return max(evenly, shaped)
