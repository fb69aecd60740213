"""The simulated world: the objects that edges have, what only the control plane has of campaigns, and the users."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from uuid import UUID

from common.decision.rules.opportunity import Opportunity, Signals
from common.pacing.curve import HOURS, Curve
from common.snapshot.codec import canonical_json
from common.snapshot.defaults import (
    default_banner,
    default_campaign,
    default_property,
    default_slot,
)
from common.snapshot.model import (
    Account,
    Ad,
    Budget,
    Campaign,
    Property,
    Slot,
    SnapshotObject,
)
from common.values.enums import AccountState, DeviceType, Pacing, PricingModel, Surface
from common.values.environment import Environment
from control.operations.simulator.scenario import HOUR_MS, Scenario
from control.operations.simulator.traffic import UserPopulation, usual_at, usual_by_hour

_COUNTRIES = ("de", "us", "gb", "fr", "es", "it", "nl", "pl")
_DEVICES = {DeviceType.MOBILE: 60, DeviceType.DESKTOP: 35, DeviceType.TABLET: 5}
_DAY_H = 24
_WEIGHT = 1_000
_EVENT_PARTS = 100
_MIN_FLIGHT = 0.3
_DAILY_ROOM = 5, 4
"""A daily budget is five fourths of an even share."""


@dataclass(frozen=True, slots=True)
class SimulatedCampaign:
    """``pacing``: not published to edges. The flight is bounded on both sides."""

    campaign: Campaign
    pacing: Pacing
    start_ms: int
    end_ms: int

    @property
    def unit_micros(self) -> int:
        """The approximate cost of one impression."""
        campaign = self.campaign
        is_cpm = campaign.pricing_model is PricingModel.CPM
        return max(1, campaign.bid_micros // (1 if is_cpm else _EVENT_PARTS))


@dataclass(frozen=True, slots=True)
class World:
    """``usual``: requests of each hour from the start on, without spikes or outages; ``curve``: that of a week."""

    objects: tuple[SnapshotObject, ...]
    orders: tuple[SimulatedCampaign, ...]
    users: UserPopulation
    usual: Sequence[float]
    curve: Curve


def make_world(scenario: Scenario) -> World:
    """Everything follows from the scenario and its seed."""
    rng = Random(scenario.seed)
    account = Account(_id(rng), AccountState.ACTIVE, stopped=False)
    prop = default_property(_id(rng), account.id)
    slots = tuple(
        default_slot(_id(rng), prop.id, f"slot-{number + 1}")
        for number in range(scenario.traffic.slots)
    )
    usual = usual_by_hour(scenario)
    orders = tuple(_orders(scenario, rng, prop, sum(usual)))
    slot_ids = [slot.id for slot in slots]
    ads = tuple(_ad(scenario, rng, order.campaign, slot_ids) for order in orders)
    campaigns = tuple(order.campaign for order in orders)
    return World(
        (account, prop, *slots, *campaigns, *ads),
        orders,
        _users(scenario, rng, prop, slots),
        usual,
        Curve([round(usual_at(scenario, hour * HOUR_MS) * _WEIGHT) for hour in range(HOURS)]),
    )


def _users(
    scenario: Scenario, rng: Random, prop: Property, slots: Sequence[Slot]
) -> UserPopulation:
    """The first countries and users are the most frequent, falling off as words do (Zipf)."""
    callers = [_caller(rng, prop, rng.choice(slots)) for _ in range(scenario.traffic.kinds)]
    return UserPopulation(callers, [1 / (rank + 10) for rank in range(len(callers))])


def _caller(rng: Random, prop: Property, slot: Slot) -> Opportunity:
    country = rng.choices(_COUNTRIES, [1 / rank for rank in range(1, len(_COUNTRIES) + 1)])[0]
    device = rng.choices(list(_DEVICES), list(_DEVICES.values()))[0]
    signals = Signals(country=country, device=device)
    plain = (None, None, None, Surface.WEB, None, False, False)
    return Opportunity(Environment.LIVE, prop, slot, *plain, signals)


def _orders(
    scenario: Scenario, rng: Random, prop: Property, requests: float
) -> list[SimulatedCampaign]:
    campaigns = scenario.campaigns
    sizes = [campaigns.sizes[number % len(campaigns.sizes)] for number in range(campaigns.count)]
    scale = 1.0 if campaigns.demand is None else campaigns.demand * requests / sum(sizes)
    return [
        _order(scenario, rng, prop, max(1, round(size * scale)), number)
        for number, size in enumerate(sizes)
    ]


def _order(
    scenario: Scenario, rng: Random, prop: Property, events: int, number: int
) -> SimulatedCampaign:
    campaigns = scenario.campaigns
    start_h, end_h = 0, scenario.hours
    if rng.random() < campaigns.short:
        flight = rng.randint(round(scenario.hours * _MIN_FLIGHT), scenario.hours)
        start_h = rng.randint(0, scenario.hours - flight)
        end_h = start_h + flight
        events = max(1, events * flight // scenario.hours)
    start_ms, end_ms = (scenario.start_ms + hour * HOUR_MS for hour in (start_h, end_h))
    campaign = _campaign(rng, prop, start_ms, end_ms)
    price = campaign.bid_micros
    days = -(-(end_h - start_h) // _DAY_H)
    daily = None
    if rng.random() < campaigns.daily:
        daily = max(1, -(-events * _DAILY_ROOM[0] // (_DAILY_ROOM[1] * days))) * price
    targeting = _targeting(rng) if rng.random() < campaigns.targeted else ""
    budget = Budget(events * price, daily)
    pacing = Pacing(campaigns.pacing[number % len(campaigns.pacing)])
    return SimulatedCampaign(
        replace(campaign, budget=budget, targeting=targeting), pacing, start_ms, end_ms
    )


def _targeting(rng: Random) -> str:
    if rng.random() < 0.5:  # noqa: PLR2004 - one or the other
        return canonical_json({"device": {"types": ["mobile"]}})
    areas = [{"country": country} for country in rng.sample(_COUNTRIES[:5], 3)]
    return canonical_json({"geo": {"include": areas}})


def _campaign(rng: Random, prop: Property, start_ms: int, end_ms: int) -> Campaign:
    campaign_id, bid_micros = _id(rng), rng.randint(100, 2000) * 10
    flight = {"start_at_ms": start_ms, "end_at_ms": end_ms}
    return default_campaign(campaign_id, prop.account_id, prop.id, bid_micros, **flight)


def _ad(scenario: Scenario, rng: Random, campaign: Campaign, slot_ids: list[str]) -> Ad:
    most, ad_id = scenario.campaigns.slots, _id(rng)
    if most is None:
        return default_banner(ad_id, campaign)
    chosen = tuple(rng.sample(slot_ids, min(most, len(slot_ids))))
    return default_banner(ad_id, campaign, slot_ids=chosen)


def _id(rng: Random) -> str:
    return str(UUID(int=rng.getrandbits(128), version=4))
