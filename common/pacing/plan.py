"""
How much of a budget should be spent by now. Shares are parts of a thousand million, money is micros; nothing here is a
float.

The share of a day or flight that has passed is that of its traffic, as `common.pacing.curve` knows it: budget × passed
traffic (Agarwal et al., KDD 2014: spend follows the forecast of impressions).
"""

from dataclasses import dataclass
from typing import assert_never

from common.pacing.curve import Curve
from common.values.enums import Pacing

PPB = 1_000_000_000
"""Parts of a thousand million: a flight of a month is told to three milliseconds."""
LAG_MS = 300_000
"""
What should have been spent in the last five minutes may be made up at once; whatever is older is spread over the rest.
Half of what CodeFund bounds its bursts to (code_fund_ads#594), who had spent a day's budget in one.
"""
_AHEAD_MS = 60_000
_AHEAD_DIVISOR = 100
_LOOK_MS = 30_000
_LEAD_AT_START = 400_000_000
_LEAD_AT_END = 50_000_000


@dataclass(frozen=True, slots=True)
class Terms:
    """
    What is planned: *limit_micros* between two instants. ``unit_micros``: about what one fill commits, at least 1.
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
        So far ahead of the clock spend may be: a minute, or a hundredth of a short flight. Whoever starts a campaign
        sees at once that it delivers; five would take a part of what a month's hours may be off their plan.
        """
        return min(_AHEAD_MS, max(0, self.end_ms - self.start_ms) // _AHEAD_DIVISOR)

    def passed(self, at_ms: int) -> int:
        """The share of the traffic that came by then; where none comes at all, that of the time."""
        begun, ended = self.curve.until(self.start_ms), self.curve.until(self.end_ms)
        at_ms = min(at_ms, self.end_ms)
        if at_ms <= self.start_ms:
            return PPB if at_ms >= self.end_ms else 0
        if ended == begun:
            return (at_ms - self.start_ms) * PPB // (self.end_ms - self.start_ms)
        return (self.curve.until(at_ms) - begun) * PPB // (ended - begun)

    def planned_micros(self, at_ms: int) -> int:
        """As it was meant from the beginning."""
        return self.limit_micros * planned_share(self.pacing, self.passed(at_ms)) // PPB


class Plan:
    """
    Of one budget, in one day or flight. It begins on its terms, and goes on from where spend is when that falls behind.

    The plan of the rest is what remains × the share of the traffic that remains. So what was missed, in dead hours, by
    a late start or by an outage, is made up evenly over all that is left, never in a burst; and where demand is short
    throughout, the plan rises to take all of it. What was spent ahead of the plan is waited for.

    One that is made anew, because another process grants, knows its terms and what is spent, and no more: where spend
    is behind its terms it goes on from there, and so gives one event too early at most.
    """

    __slots__ = ("_at", "_begun", "_look_ms", "_micros", "_whole", "terms")

    def __init__(self, terms: Terms, used_micros: int, now_ms: int) -> None:
        self._at = 0
        """The share passed where it goes on from, and what is spent by then."""
        self._micros = 0
        self._look_ms = now_ms
        self._take(terms)
        if used_micros > self.planned_micros(now_ms + LAG_MS) + terms.unit_micros:
            self._go_on(used_micros, now_ms)
        self.follow(used_micros, now_ms)

    def planned_micros(self, at_ms: int) -> int:
        """Never falls, and is the limit in the end."""
        share = rest_share(self.terms.pacing, self._at, self._passed(at_ms))
        return self._micros + (self.terms.limit_micros - self._micros) * share // PPB

    def free_micros(self, used_micros: int, at_ms: int) -> int:
        """
        What may be granted beside *used_micros*: up to what is planned by then, rounded up to a whole unit, within the
        limit.

        So the first event may come at once, and the next when the first one's part of the traffic is over: a budget of
        a few events is served at instants that are known ahead, not by chance.
        """
        limit, unit = self.terms.limit_micros, self.terms.unit_micros
        share = rest_share(self.terms.pacing, self._at, self._passed(at_ms))
        missing = (limit - self._micros) * share - (used_micros - self._micros) * PPB
        if missing <= 0:
            return 0
        return min(-(-missing // (unit * PPB)) * unit, limit - used_micros)

    def follow(self, used_micros: int, now_ms: int) -> bool:
        """
        *used_micros*: spent, in flight and leased. True where that fell behind, and the plan goes on from there. It
        looks twice a minute at most.
        """
        if now_ms < self._look_ms:
            return False
        self._look_ms = now_ms + _LOOK_MS
        is_behind = used_micros + self.terms.unit_micros <= self.planned_micros(now_ms - LAG_MS)
        if is_behind:
            self._go_on(used_micros, now_ms)
        return is_behind

    def renew(self, terms: Terms, now_ms: int) -> None:
        """Other terms, or a curve that was learned: the plan goes on from where it is."""
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
        """As its terms say, at less cost."""
        terms = self.terms
        if self._whole > 0 and terms.start_ms < at_ms < terms.end_ms:
            return (terms.curve.until(at_ms) - self._begun) * PPB // self._whole
        return terms.passed(at_ms)

    def _go_on(self, micros: int, now_ms: int) -> None:
        self._at = self._passed(now_ms)
        self._micros = min(micros, self.terms.limit_micros)


def planned_share(pacing: Pacing, passed: int) -> int:
    """
    The share of the budget to be spent when *passed* of the traffic has come, both 0 … `PPB`; never falls.

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
    The share of what remained when *since* of the traffic had come, to be spent when *passed* has; all 0 … `PPB`.

    As the whole is planned, its rest is; a front-loaded one at least evenly, for nothing is planned behind the traffic
    at which it should be done, and what is left by then must not go in a burst.
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
