"""
The past of an account as records of the event log: what its edges would have written, on a virtual clock.

Requests come from a scenario, `decide` chooses the ads, and budgets follow their plans by the hour. What people do with
an ad is drawn from the rates below, which are usual for small publishers. Nothing in a record is about a real person.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from common.decision.decide import decide
from common.decision.dynamic_gates import expected_micros
from common.decision.rules.gates import Gates
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill
from common.snapshot.snapshot import Snapshot, build_snapshot
from common.tracking.event import NOTHING_FOLLOWS_MS, CounterRecord, EventRecord
from common.values.environment import Environment
from control.operations.simulator.audience import Audience, Timed
from control.operations.simulator.plans import Planned, is_dead
from control.operations.simulator.scenario import HOUR_MS, Scenario
from control.operations.simulator.traffic import Arrival, arrivals
from control.operations.simulator.world import SimulatedCampaign, World

DAY_MS = 24 * HOUR_MS

_CounterKey = tuple[
    str, str, str | None, str | None, str, str | None, str | None, str | None, str | None
]
"""A `CounterRow` without its count."""


@dataclass(slots=True)
class _Budgets:
    """What each campaign may still commit in the present hour, by its plan; in micros by campaign id."""

    plans: Mapping[str, Planned]
    limits: Mapping[str, int]
    flights: Mapping[str, tuple[int, int]]
    committed: Counter[str] = field(default_factory=Counter)
    available: dict[str, int] = field(default_factory=dict)

    def begin_hour(self, start_ms: int, *, dead: bool) -> None:
        end_ms = start_ms + HOUR_MS
        for name, plan in self.plans.items():
            first_ms, last_ms = self.flights[name]
            if not first_ms <= start_ms < last_ms:
                self.available[name] = 0
                continue
            planned = plan.at_end_of(end_ms, is_dead=dead)
            limit = self.limits[name] if planned is None else planned
            self.available[name] = max(0, limit - self.committed[name])

    def commit(self, name: str, micros: int) -> None:
        self.committed[name] += micros
        self.available[name] = self.available.get(name, 0) - micros


def history(scenario: Scenario, world: World, until_ms: int) -> Iterator[Sequence[Timed]]:
    """
    Returns the records of each UTC day from the scenario's start to *until_ms*, in its last hour, in order of time.

    The same scenario and world give the same records. Campaigns without a budget are not served.
    """
    waiting: list[Timed] = []
    day = scenario.start_ms // DAY_MS
    for hour, records in _hours(scenario, world, until_ms):
        now_day = (scenario.start_ms + hour * HOUR_MS) // DAY_MS
        if now_day != day:
            yield _until(waiting, now_day * DAY_MS)
            day = now_day
        waiting += records
    yield _until(waiting, until_ms)


def _until(waiting: list[Timed], until_ms: int) -> list[Timed]:
    """Removes the records before *until_ms* from *waiting* and returns them in order."""
    waiting.sort(key=_instant)
    count = sum(at_ms < until_ms for at_ms, _ in waiting)
    due = waiting[:count]
    del waiting[:count]
    return due


def _hours(scenario: Scenario, world: World, until_ms: int) -> Iterator[tuple[int, list[Timed]]]:
    snapshot = build_snapshot(Environment.LIVE, scenario.name, 1, world.objects)
    audience = Audience(Random(scenario.seed + 2), scenario.events.shown)
    rng = Random(scenario.seed + 1)
    budgets = _budgets_of(world)
    for hour in range(scenario.hours):
        start_ms = scenario.start_ms + hour * HOUR_MS
        budgets.begin_hour(start_ms, dead=is_dead(scenario, hour))
        end_ms = min(start_ms + HOUR_MS, until_ms)
        coming = arrivals(
            scenario, world.users, world.usual, rng, from_ms=start_ms, until_ms=end_ms
        )
        yield hour, _serve_hour(snapshot, budgets, audience, coming, end_ms - 1)


def _serve_hour(
    snapshot: Snapshot,
    budgets: _Budgets,
    audience: Audience,
    coming: Iterator[Arrival],
    counted_ms: int,
) -> list[Timed]:
    """*counted_ms*: when the requests are counted."""
    records: list[Timed] = []
    counts: Counter[_CounterKey] = Counter()
    gates = Gates(available_micros=budgets.available)
    for arrival in coming:
        decision = decide(snapshot, arrival.caller, gates, arrival.at_ms, arrival.seed)
        counts[_counter_key(arrival.caller, decision)] += 1
        if not isinstance(decision, Fill):
            continue
        reactions = audience.react(arrival, decision)
        records += reactions
        campaign = decision.campaign
        if any(_is_valid(one) for one in reactions) and campaign.id in budgets.plans:
            slot_id = arrival.caller.slot.id
            budgets.commit(campaign.id, expected_micros(snapshot, slot_id, campaign, decision.ad))
    records.append((counted_ms, _counter(counted_ms, counts)))
    return records


def _counter_key(caller: Opportunity, decision: Decision) -> _CounterKey:
    device = caller.signals.device
    visitor = caller.signals.country, None if device is None else device.value
    place = caller.property.id, caller.slot.id
    if isinstance(decision, Fill):
        ad_format = decision.ad.format
        shown = decision.campaign.id, decision.ad.id, "fill"
        return *place, *shown, *visitor, caller.surface_of(ad_format).value, ad_format.value
    return *place, None, None, decision.reason.value, *visitor, caller.surface.value, None


def _counter(at_ms: int, counts: Mapping[_CounterKey, int]) -> CounterRecord:
    """Its watermark is that of a writer that has ended: nobody waits for these records."""
    rows = tuple((*key, count) for key, count in counts.items())
    return CounterRecord(at_ms, NOTHING_FOLLOWS_MS, is_test=False, rows=rows)


def _budgets_of(world: World) -> _Budgets:
    return _Budgets(
        {order.campaign.id: Planned(order, world.curve) for order in world.orders},
        {order.campaign.id: _limit_of(order) for order in world.orders},
        {order.campaign.id: (order.start_ms, order.end_ms) for order in world.orders},
    )


def _limit_of(order: SimulatedCampaign) -> int:
    budget = order.campaign.budget
    return 0 if budget is None else budget.total_micros or 0


def _is_valid(record: Timed) -> bool:
    """Robots use up no budget."""
    return isinstance(record[1], EventRecord) and record[1].reason.valid


def _instant(record: Timed) -> int:
    return record[0]
