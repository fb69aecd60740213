"""A simulated worker and a live edge of one worker: the same leases, requests and seeds, the same winners and spend."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import Fill
from common.pacing.lease_messages import Grants, Report
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.model import Property, SnapshotObject
from common.snapshot.snapshot import Snapshot, build_snapshot
from common.values.clock import from_ms
from common.values.enums import DeviceType
from common.values.environment import Environment
from control.operations.simulator.fleet import Worker
from control.operations.simulator.run import Simulation
from control.operations.simulator.scenario import Campaigns, Scenario, Traffic, read_scenario
from control.operations.simulator.traffic import Arrival, UserPopulation
from control.operations.simulator.world import World, make_world
from tests.support.builders import NOW_MS, a_key, a_property
from tests.support.edge import RunningEdge, running_edge

SECONDS = 90
AGENTS = {
    DeviceType.MOBILE: (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
        "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
    ),
    DeviceType.DESKTOP: (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Chrome/126.0.0.0 Safari/537.36"
    ),
}


@dataclass(slots=True)
class Log:
    """What a worker met, in its order: instants of reports, grants, arrivals with the ad that won (None: none)."""

    entries: list[Any] = field(default_factory=list)

    def arrivals(self) -> list[tuple[Arrival, str | None]]:
        return [one for one in self.entries if isinstance(one, tuple)]


class LoggedBudgets(LeasedBudgets):
    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def report(self, at_ms: int) -> Report:
        self._log.entries.append(at_ms)
        return super().report(at_ms)

    def apply(self, grants: Grants) -> None:
        self._log.entries.append(grants)
        super().apply(grants)


class LoggedWorker(Worker):
    def __init__(self, log: Log) -> None:
        super().__init__(1, "edge-1/logged")
        self.log = log
        self.budgets = LoggedBudgets(log)

    def serve(self, snapshot: Snapshot, arrival: Arrival) -> Fill | None:
        fill = super().serve(snapshot, arrival)
        self.log.entries.append((arrival, None if fill is None else fill.ad.id))
        return fill


class Seeds(random.Random):
    """Gives the seeds it was made of, one after the other."""

    def __init__(self, seeds: Iterable[int]) -> None:
        super().__init__(0)
        self._seeds = iter(seeds)

    def getrandbits(self, k: int, /) -> int:
        assert k == 64
        return next(self._seeds)


def a_scenario() -> Scenario:
    plain = read_scenario("days")
    return plain.model_copy(
        update={
            "start": from_ms(NOW_MS),
            "hours": 1,
            "traffic": Traffic(requests_a_day=1_000_000, hours=(1,) * 24, kinds=60),
            "campaigns": Campaigns(count=12, sizes=(3, 60, 500), demand=0.5, targeted=0.5),
            "fleet": plain.fleet.model_copy(update={"edges": 1, "exchange_s": 1}),
        }
    )


def a_world(scenario: Scenario) -> World:
    """Its callers say what an edge without a geo database can see: their device."""
    world = make_world(scenario)
    devices = list(AGENTS)
    callers = [
        replace(caller, signals=Signals(device=devices[number % 2]))
        for number, caller in enumerate(world.users.callers)
    ]
    return replace(world, users=UserPopulation(callers, world.users.weights))


def simulated(scenario: Scenario, world: World) -> Log:
    log = Log()
    simulation = Simulation(scenario, world)
    simulation.fleet.workers[:] = [LoggedWorker(log)]
    simulation.run_for(SECONDS)
    return log


def with_secret(objects: Iterable[SnapshotObject]) -> Iterator[SnapshotObject]:
    """A live edge signs: its property needs the secret that its keys open."""
    for one in objects:
        if isinstance(one, Property):
            yield a_property(id=one.id, account_id=one.account_id)
        else:
            yield one


async def lived(edge: RunningEdge, log: Log, key: str) -> list[str | None]:
    """The winners of a live edge that meets what *log* says."""
    winners: list[str | None] = []
    at_ms = 0
    budgets = edge.context.budgets
    assert isinstance(budgets, LeasedBudgets)
    for entry in log.entries:
        if isinstance(entry, Grants):
            budgets.apply(entry)
            budgets.check_term(at_ms)
        elif isinstance(entry, int):
            at_ms = entry
            budgets.report(at_ms)
            budgets.check_term(at_ms)
        else:
            winners.append(await _asked(edge, entry[0], key))
    return winners


async def _asked(edge: RunningEdge, arrival: Arrival, key: str) -> str | None:
    edge.clock.advance(ms=arrival.at_ms - edge.clock.now_ms())
    caller = arrival.caller
    device = caller.signals.device
    assert device is not None
    answer = await edge.serve(f"slot={caller.slot.key}", key, f"User-Agent: {AGENTS[device]}")
    assert answer.status in (200, 204), answer
    return str(orjson.loads(answer.body)["ad_id"]) if answer.status == 200 else None


async def test_a_live_edge_and_a_simulated_worker_choose_and_spend_alike() -> None:
    scenario = a_scenario()
    world = a_world(scenario)
    log = simulated(scenario, world)
    expected = [ad_id for _, ad_id in log.arrivals()]
    text, key = a_key(property_id=world.users.callers[0].property.id)
    snapshot = build_snapshot(Environment.LIVE, "epoch", 1, [*with_secret(world.objects), key])

    async with running_edge(snapshot) as edge:
        edge.context.rng = Seeds(arrival.seed for arrival, _ in log.arrivals())
        winners = await lived(edge, log, text.text)

    price = {ad.id: snapshot.campaigns[ad.campaign_id].bid_micros for ad in snapshot.ads.values()}
    spend = sum(price[ad_id] for ad_id in winners if ad_id)
    assert winners == expected
    assert spend == sum(price[ad_id] for ad_id in expected if ad_id)
    assert sum(ad_id is not None for ad_id in winners) > len(winners) / 5
    assert len(set(winners)) > 3
