"""Runs a simulation hour by hour: arrivals, decisions, events, the exchange of leases, and faults."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from time import process_time

from common.decision.dynamic_gates import expected_micros
from common.decision.rules.outcome import Fill
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import TYPE_OF, SnapshotObject
from common.snapshot.snapshot import apply_entries, build_snapshot
from common.values.environment import Environment
from control.delivery.leasing.budget_limits import BudgetFigures
from control.delivery.leasing.in_flight import STEP_MS
from control.operations.simulator.figures import figures_of
from control.operations.simulator.fleet import EdgeFleet
from control.operations.simulator.ledger import Event, Ledger
from control.operations.simulator.plans import Planned, is_dead
from control.operations.simulator.results import Outcome, SimulationResult
from control.operations.simulator.scenario import HOUR_MS, Fault, Scenario, at
from control.operations.simulator.traffic import Arrival, arrivals
from control.operations.simulator.world import SimulatedCampaign, World, make_world

_REFRESH_MS = 5_000
"""The maximum age of the ledger's figures, as in `control pace`."""


def simulate(scenario: Scenario, world: World | None = None) -> Outcome:
    """
    Returns the same outcome for the same scenario, except for its run time. *world*: None to generate it from the
    scenario.
    """
    return Simulation(scenario, world or make_world(scenario)).run()


class Simulation:
    def __init__(self, scenario: Scenario, world: World) -> None:
        self.scenario = scenario
        self.world = world
        self.snapshot = build_snapshot(Environment.LIVE, scenario.name, 1, world.objects)
        self.fleet = EdgeFleet(scenario.fleet, scenario.settle_s * 1000)
        self.step_ms = scenario.fleet.exchange_s * 1000
        self.ledger = Ledger(scenario.settle_s * 1000, self.step_ms)
        self._rng = Random(scenario.seed + 1)
        self._orders = {order.campaign.id: order for order in world.orders}
        self._results = {name: SimulationResult(order) for name, order in self._orders.items()}
        self._curve = world.curve
        self._planned = {name: Planned(order, self._curve) for name, order in self._orders.items()}
        self._figures: dict[str, tuple[int, BudgetFigures | None]] = {}
        self._days: dict[str, str] = {}
        self._minute = 0
        self._faults = sorted(_moments(scenario))
        self._now_ms = scenario.start_ms
        self._opportunities = [0] * scenario.hours
        self._filled = [0] * scenario.hours

    def run(self) -> Outcome:
        begun_s = process_time()
        for hour in range(self.scenario.hours):
            first_ms = self.scenario.start_ms + hour * HOUR_MS
            for now_ms in range(first_ms, first_ms + HOUR_MS, self.step_ms):
                self._step(hour, now_ms)
            self._sample(hour, first_ms + HOUR_MS)
        seconds = process_time() - begun_s
        return Outcome(self.scenario, self._results, self._opportunities, self._filled, seconds)

    def run_for(self, until_s: int, *, begin_s: int = 0) -> None:
        """Simulates this many seconds from the start, without recording the hours."""
        start_ms = self.scenario.start_ms
        for now_ms in range(start_ms + begin_s * 1000, start_ms + until_s * 1000, self.step_ms):
            self._step((now_ms - start_ms) // HOUR_MS, now_ms)
        self._now_ms = start_ms + until_s * 1000

    def delivered_micros(self) -> dict[str, int]:
        """Delivered up to now, by campaign."""
        return {name: self.ledger.accounts[name].delivered for name in self._orders}

    def outstanding_micros(self) -> dict[str, int]:
        """By campaign, the most that may still be delivered if nothing more is granted, as published."""
        allocator, now_ms = self.fleet.allocator, self._now_ms
        return {
            name: allocator.outstanding_micros(name, self._read_figures(order, now_ms), now_ms)
            for name, order in self._orders.items()
        }

    def _step(self, hour: int, now_ms: int) -> None:
        until_ms = now_ms + self.step_ms
        while self._faults and self._faults[0][0] < until_ms:
            self._fail(*self._faults.pop(0)[1:], now_ms)
        self._serve(
            hour,
            arrivals(
                self.scenario,
                self.world.users,
                self.world.usual,
                self._rng,
                from_ms=now_ms,
                until_ms=until_ms,
            ),
        )
        self._settle(until_ms)
        self.fleet.report(until_ms)
        self.fleet.grant(
            lambda requested: self._figures_of(requested, until_ms), self._days, until_ms
        )
        self.fleet.take(until_ms)

    def _serve(self, hour: int, arriving: Iterable[Arrival]) -> None:
        workers = self.fleet.workers
        for arrival in arriving:
            self._opportunities[hour] += 1
            if not workers:
                continue
            fill = workers[arrival.seed % len(workers)].serve(self.snapshot, arrival)
            if fill is not None:
                self._filled[hour] += 1
                self._expect(arrival, fill)

    def _expect(self, arrival: Arrival, fill: Fill) -> None:
        """Expects the impression, if it is shown; a click or conversion is charged at the value of the impression."""
        events, campaign = self.scenario.events, fill.campaign
        if campaign.id not in self._orders or self._rng.random() >= events.shown:
            return
        micros = expected_micros(self.snapshot, arrival.caller.slot.id, campaign, fill.ad)
        after_ms = round(self._rng.expovariate(1 / events.after_s) * 1000)
        comes_ms = arrival.at_ms + min(after_ms, self.scenario.settle_s * 500)
        order = self._orders[campaign.id]
        self.ledger.expect(Event(comes_ms, arrival.at_ms, order.campaign, micros))

    def _settle(self, until_ms: int) -> None:
        spent = []
        for event, _ in self.ledger.settle(until_ms):
            campaign = event.campaign
            budget, account = campaign.budget, self.ledger.accounts[campaign.id]
            if budget is not None and account.charged_micros == budget.total_micros:
                spent.append(campaign.id)
        self._publish(
            replace(self.snapshot.campaigns[name], spent=True)
            for name in dict.fromkeys(spent)
            if not self.snapshot.campaigns[name].spent
        )

    def _publish(self, objects: Iterable[SnapshotObject]) -> None:
        """Publishes a delta to every worker at once."""
        entries = [ObjectChange(TYPE_OF[type(one)], one.id, encode_object(one)) for one in objects]
        if entries:
            self.snapshot = apply_entries(self.snapshot, self.snapshot.version + 1, entries)

    def _figures_of(self, requested: Sequence[str], now_ms: int) -> Mapping[str, BudgetFigures]:
        found = {}
        minute = (now_ms - self.scenario.settle_s * 1000) // STEP_MS
        if minute != self._minute:
            self._minute = minute
            self._figures.clear()
        for name in requested:
            read_ms, figures = self._figures.get(name, (-_REFRESH_MS, None))
            if name in self._orders and now_ms - read_ms >= _REFRESH_MS:
                figures = self._read_figures(self._orders[name], now_ms)
                self._figures[name] = (now_ms, figures)
            if figures is not None:
                found[name] = figures
        return found

    def _read_figures(self, order: SimulatedCampaign, now_ms: int) -> BudgetFigures | None:
        campaign = order.campaign
        if now_ms >= order.end_ms or self.snapshot.campaigns[campaign.id].spent:
            return None
        figures = figures_of(order, self.ledger, self._curve, now_ms)
        if figures.day:
            self._days[campaign.id] = figures.day
        return figures

    def _sample(self, hour: int, now_ms: int) -> None:
        """Records, at the end of an hour, the delivery and the plan of each campaign."""
        dead = is_dead(self.scenario, hour)
        for name, result in self._results.items():
            account = self.ledger.accounts[name]
            result.delivered.append(account.delivered)
            result.planned.append(self._planned[name].at_end_of(now_ms, is_dead=dead))
            result.charged_micros = account.charged_micros

    def _fail(self, kind: str, fault: Fault, now_ms: int) -> None:
        match kind:
            case "edge_dies":
                self.fleet.kill(fault.edge)
            case "edge_comes":
                self.fleet.boot(fault.edge, self.scenario.fleet.workers)
            case "redis_away":
                self.fleet.mailbox.lose()
            case "redis_comes":
                self.fleet.mailbox.is_unavailable = False
            case _:
                self.fleet.replace_allocator(now_ms)


def _moments(scenario: Scenario) -> Iterable[tuple[int, str, Fault]]:
    """The start and the end of each fault."""
    for fault in scenario.faults:
        begins_ms = at(scenario, fault.at_h)
        yield begins_ms, fault.kind, fault
        if fault.kind != "allocator_replaced":
            comes = "edge_comes" if fault.kind == "edge_dies" else "redis_comes"
            yield begins_ms + round(fault.for_s * 1000), comes, fault
