"""
Computes a forecast. Pure: draws the expected number of requests from the recorded ones, and decides each again.

Each request is decided for the running campaigns, with their budgets and plans, and for the proposed campaign alone;
the one that ranks first gets it. The proposed campaign takes what its own plan allows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from common.decision.decide import decide
from common.decision.rules.gates import Gates
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Fill
from common.decision.rules.ranking import ecpm_micros, rank_of
from common.pacing.curve import HOUR_MS, HOURS, MICRO, Curve, learned_weights, summed
from common.snapshot.snapshot import Snapshot
from common.values.enums import EventKind, Source
from control.reporting.forecast.budgets import CompetingBudgets, Spending, proposed_spending
from control.reporting.forecast.confidence_intervals import Tally, forecast_of
from control.reporting.forecast.forecast_snapshot import alone_of, world_of
from control.reporting.forecast.job import Forecast, Job
from control.reporting.forecast.sampled_users import SampledUser, SampledUsers

MAX_DRAWN = 20_000
MIN_DRAWN = 4_000
"""Of fewer expected requests, each is drawn more than once."""
MIN_RECORDS = 100
_PLAYED = frozenset({Source.SPONSORSHIP, Source.DIRECT, Source.AUCTION})
_NOBODY: Mapping[str, int] = {}
_PERCENT = 100


@dataclass(frozen=True, slots=True)
class Drawn:
    at_ms: int
    caller: SampledUser
    seed: int


def forecast(job: Job) -> Forecast | None:
    """Returns None where too little traffic was recorded to forecast."""
    snapshot = world_of(job)
    callers = SampledUsers(job.records, snapshot)
    weights = {
        slot_id: learned_weights(week.requests, week.seen)
        for slot_id, week in job.weeks.items()
        if slot_id in callers.slots and any(week.requests)
    }
    if callers.read < MIN_RECORDS or not weights:
        return None
    curve = Curve(summed(weights.values()))
    expected = requests_between(job, weights)
    count = min(MAX_DRAWN, max(MIN_DRAWN, round(expected)))
    tally = Tally(requests=expected, weight=expected * job.shown / count, records=callers.read)
    alone = alone_of(job, snapshot)
    play = _Play(job, snapshot, alone, curve, tally)
    for drawn in _draw(job, callers, weights, count, Random(job.seed)):
        play.serve(drawn)
    return forecast_of(job, tally)


def requests_between(job: Job, weights: Mapping[str, tuple[int, ...]]) -> float:
    return sum(sum(by_slot) for _, _, by_slot in _hours(job, weights))


class _Play:
    def __init__(
        self, job: Job, snapshot: Snapshot, alone: Snapshot, curve: Curve, tally: Tally
    ) -> None:
        self._job = job
        self._snapshot = snapshot
        self._alone = alone
        self._tally = tally
        self._competitors = CompetingBudgets(job, snapshot, curve, tally.weight)
        self._own: Spending = proposed_spending(job, curve)
        self._goal = _goal_of(job)

    def serve(self, drawn: Drawn) -> None:
        """Counts the request, and spends the budget of the campaign that gets it."""
        opportunity, counts = drawn.caller.opportunity, _NOBODY if drawn.caller.is_counted else None
        available_micros = self._competitors.advance_to(drawn.at_ms, drawn.seed)
        decision = decide(
            self._snapshot,
            opportunity,
            Gates(available_micros=available_micros, counts=counts),
            drawn.at_ms,
            drawn.seed,
        )
        competitor = decision if isinstance(decision, Fill) and decision.source in _PLAYED else None
        own = self._fits(drawn, opportunity, counts)
        taken = False
        if own is not None:
            taken = self._count(drawn, opportunity, own, competitor)
        if competitor is not None and not taken:
            self._competitors.commit(competitor, opportunity.slot.id)

    def _fits(
        self, drawn: Drawn, opportunity: Opportunity, counts: Mapping[str, int] | None
    ) -> Fill | None:
        found = decide(self._alone, opportunity, Gates(counts=counts), drawn.at_ms, drawn.seed)
        return (
            found
            if isinstance(found, Fill) and found.campaign.id == self._job.campaign.id
            else None
        )

    def _count(
        self, drawn: Drawn, opportunity: Opportunity, own: Fill, competitor: Fill | None
    ) -> bool:
        tally = self._tally
        tally.matched += 1
        if competitor is not None and self._ranks_first(
            competitor, own, opportunity.slot.id, drawn.seed
        ):
            tally.booked += 1
            return False
        if competitor is not None:
            tally.contested += 1
        micros = self._micros(own, opportunity.slot.id)
        tally.micros += micros
        if self._goal is not None and tally.delivered * tally.weight >= self._goal:
            tally.limited_by_goal += 1
            return False
        if self._own.available_micros(drawn.at_ms) < micros * tally.weight / 2:
            return False
        tally.delivered += 1
        self._own.used_micros += round(micros * tally.weight)
        return True

    def _ranks_first(self, competitor: Fill, own: Fill, slot_id: str, seed: int) -> bool:
        theirs, ours = self._place(competitor, slot_id), self._place(own, slot_id)
        return theirs < ours or (theirs == ours and seed % 2 == 0)

    def _place(self, fill: Fill, slot_id: str) -> tuple[int, int]:
        rates = self._snapshot.rates.get(fill.ad.id)
        return rank_of(fill.campaign), -ecpm_micros(fill.campaign, fill.ad, rates, slot_id)

    def _micros(self, own: Fill, slot_id: str) -> int:
        """The expected cost of one impression."""
        return max(1, ecpm_micros(own.campaign, own.ad, None, slot_id) // 1000)


def _draw(
    job: Job, callers: SampledUsers, weights: Mapping[str, tuple[int, ...]], count: int, rng: Random
) -> Iterator[Drawn]:
    """*count* requests in order of time, evenly spread over the expected ones."""
    slots = list(weights)
    step = requests_between(job, weights) / count
    passed, point = 0.0, step / 2
    for start_ms, end_ms, by_slot in _hours(job, weights):
        requests = sum(by_slot)
        while point < passed + requests:
            at_ms = start_ms + int((end_ms - start_ms) * (point - passed) / requests)
            slot_id = rng.choices(slots, by_slot)[0]
            yield Drawn(at_ms, callers.draw(slot_id, at_ms, rng), rng.getrandbits(64))
            point += step
        passed += requests


def _hours(
    job: Job, weights: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[int, int, list[float]]]:
    """Start, end and expected requests by slot, of each hour of the period."""
    start_ms = job.from_ms
    while start_ms < job.until_ms:
        hour = start_ms // HOUR_MS
        end_ms = min((hour + 1) * HOUR_MS, job.until_ms)
        part = (end_ms - start_ms) / HOUR_MS / MICRO
        yield start_ms, end_ms, [of_week[hour % HOURS] * part for of_week in weights.values()]
        start_ms = end_ms


def _goal_of(job: Job) -> int | None:
    goal = job.campaign.goal
    return goal.total if goal is not None and goal.kind is EventKind.IMPRESSION else None
