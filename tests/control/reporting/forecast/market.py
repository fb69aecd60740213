"""A simulated site with a past: what was recorded and counted of it, and what its next days really bring."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import orjson

from common.decision.decision_input import DecisionInput
from common.decision.record import is_sampled, record_of
from common.decision.recorded_gates import recording
from common.decision.rules.gates import Gates
from common.decision.rules.outcome import NoFill, NoFillReason
from common.pacing.curve import HOUR_MS, HOURS
from common.snapshot.codec import canonical_json, encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import TYPE_OF, Ad, Budget
from common.snapshot.snapshot import build_snapshot
from common.values.enums import Pacing
from common.values.environment import Environment
from common.values.ids import new_id
from control.operations.simulator.results import SimulationResult
from control.operations.simulator.run import simulate
from control.operations.simulator.scenario import Campaigns, Fleet, Scenario, read_scenario
from control.operations.simulator.traffic import Arrival, arrivals, usual_at
from control.operations.simulator.world import SimulatedCampaign, World, make_world
from control.reporting.forecast.job import Forecast, Job, Week
from control.reporting.forecast.simulate_period import forecast

PAST_H = 96
SAMPLE_PPM = 50_000
DAY_H = 24
COUNTRIES = ("de", "us", "gb", "fr", "es")


@dataclass(frozen=True, slots=True)
class Proposal:
    order: SimulatedCampaign
    ad: Ad

    @property
    def price(self) -> int:
        return self.order.campaign.bid_micros


@dataclass(frozen=True, slots=True)
class Market:
    scenario: Scenario
    world: World
    records: tuple[bytes, ...]
    weeks: dict[str, Week]
    days: list[int]

    def forecast(self, proposal: Proposal) -> Forecast:
        scenario, order = self.scenario, proposal.order
        found = forecast(
            Job(
                environment=Environment.LIVE,
                entries=[
                    ObjectChange(TYPE_OF[type(one)], one.id, encode_object(one))
                    for one in self.world.objects
                ],
                pacings={one.campaign.id: one.pacing for one in self.world.orders},
                campaign=order.campaign,
                ads=[proposal.ad],
                pacing=order.pacing,
                now_ms=scenario.start_ms,
                from_ms=scenario.start_ms,
                until_ms=scenario.end_ms,
                weeks=self.weeks,
                days=self.days,
                shown=scenario.events.shown,
                records=self.records,
            )
        )
        assert found is not None
        return found

    def deliver(self, proposal: Proposal) -> SimulationResult:
        """What the simulator then delivers of it."""
        world = replace(
            self.world,
            objects=(*self.world.objects, proposal.order.campaign, proposal.ad),
            orders=(*self.world.orders, proposal.order),
        )
        return simulate(self.scenario, world).results[proposal.order.campaign.id]


def a_market(seed: int, *, hours: int = 24, requests_a_day: int = 20_000) -> Market:
    """So many hours of it are ahead, and four days behind."""
    plain = read_scenario("days")
    scenario = plain.model_copy(
        update={
            "seed": seed,
            "hours": hours,
            "warm_up_h": 1,
            "traffic": plain.traffic.model_copy(
                update={"requests_a_day": requests_a_day, "dead": (), "flash": ()}
            ),
            "campaigns": Campaigns(count=10, sizes=(20, 200, 1000), demand=0.5, targeted=0.5),
            "fleet": Fleet(edges=1, exchange_s=2),
        }
    )
    world = make_world(scenario)
    return Market(scenario, world, *_past(scenario, world))


def a_proposal(market: Market, rng: Random) -> Proposal:
    """Of some size from a hundredth of the traffic to all of it."""
    order, ad = market.world.orders[0], _ad_of(market.world)
    bid_micros = rng.randint(100, 2000) * 10
    events = round(sum(market.world.usual) * 10 ** rng.uniform(-2, 0))
    targeting = rng.choice(
        (
            "",
            canonical_json({"device": {"types": ["mobile"]}}),
            canonical_json(
                {"geo": {"include": [{"country": one} for one in rng.sample(COUNTRIES, 2)]}}
            ),
        )
    )
    campaign = replace(
        order.campaign,
        id=new_id(),
        bid_micros=bid_micros,
        budget=Budget(events * bid_micros, None),
        targeting=targeting,
        start_at_ms=market.scenario.start_ms,
        end_at_ms=market.scenario.end_ms,
    )
    proposed = SimulatedCampaign(
        campaign, Pacing.EVEN, market.scenario.start_ms, market.scenario.end_ms
    )
    return Proposal(proposed, replace(ad, id=new_id(), campaign_id=campaign.id))


def _past(scenario: Scenario, world: World) -> tuple[tuple[bytes, ...], dict[str, Week], list[int]]:
    snapshot = build_snapshot(Environment.LIVE, "past", 1, world.objects)
    records, days = [], [0] * (PAST_H // DAY_H)
    requests: dict[str, list[int]] = defaultdict(lambda: [0] * HOURS)
    seen = [0] * HOURS
    first_hour = scenario.start_ms // HOUR_MS - PAST_H
    for hour in range(PAST_H):
        seen[(first_hour + hour) % HOURS] += 1
    for arrival in _before(scenario, world):
        hour = arrival.at_ms // HOUR_MS
        requests[arrival.caller.slot.id][hour % HOURS] += 1
        days[(hour - first_hour) // DAY_H] += 1
        if is_sampled(arrival.seed, SAMPLE_PPM):
            decision_input = DecisionInput(
                snapshot, arrival.caller, recording(Gates()), arrival.at_ms, arrival.seed
            )
            record = record_of(new_id(), decision_input, NoFill(NoFillReason.NO_CANDIDATE))
            records.append(orjson.dumps(record))
    weeks = {slot: Week(tuple(of), tuple(seen)) for slot, of in requests.items()}
    return tuple(records), weeks, days


def _before(scenario: Scenario, world: World) -> Iterator[Arrival]:
    """Traffic of the same kind, by other chances."""
    start_ms = scenario.start_ms - PAST_H * HOUR_MS
    past = scenario.model_copy(
        update={"start": scenario.start.fromtimestamp(start_ms / 1000, scenario.start.tzinfo)}
    )
    rng = Random(scenario.seed + 1000)
    usual = [usual_at(past, start_ms + hour * HOUR_MS) for hour in range(PAST_H)]
    for hour in range(PAST_H):
        from_ms = start_ms + hour * HOUR_MS
        yield from arrivals(
            past, world.users, usual, rng, from_ms=from_ms, until_ms=from_ms + HOUR_MS
        )


def _ad_of(world: World) -> Ad:
    return next(one for one in world.objects if isinstance(one, Ad))
