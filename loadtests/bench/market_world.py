"""
A market with known click rates: bids for clicks in slots of one property, rates that drift, one new campaign a day.

Everything follows from one seed. A true rate is the product of the factors of its campaign, its ad and its slot, and a
small factor of ad and slot together; ad and campaign drift from day to day.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp

from common.decision.rules.opportunity import Opportunity
from common.snapshot.defaults import (
    default_banner,
    default_campaign,
    default_property,
    default_slot,
)
from common.snapshot.model import (
    Account,
    Ad,
    Campaign,
    Property,
    Slot,
    SnapshotObject,
)
from common.values.enums import AccountState, Objective, PricingModel, Surface
from common.values.environment import Environment

_USUAL_RATE = 0.01
_CAMPAIGN_SPREAD, _AD_SPREAD, _PAIR_SPREAD = 0.35, 0.45, 0.05
_DRIFT_A_DAY = 0.04
_ADS_A_CAMPAIGN = 2
_SLOT_FACTORS = (0.6, 0.9, 1.2, 1.6)
_ACCOUNT_ID, _PROPERTY_ID = "account", "property"


@dataclass(slots=True)
class TrueAd:
    """``rate``: clicks an impression in a slot of factor 1; ``pairs``: the ad's own factor in each slot."""

    campaign: Campaign
    ad: Ad
    rate: float
    pairs: tuple[float, ...]


@dataclass(slots=True)
class Market:
    seed: int
    ads: dict[str, TrueAd] = field(default_factory=dict)
    slots: tuple[Slot, ...] = ()
    property: Property = field(init=False)
    _rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)
        self.property = default_property(_PROPERTY_ID, _ACCOUNT_ID)
        self.slots = tuple(
            default_slot(f"slot-{number}", _PROPERTY_ID, f"slot-{number}")
            for number in range(len(_SLOT_FACTORS))
        )

    def open(self, ads: int) -> list[SnapshotObject]:
        """The objects of the first day."""
        objects: list[SnapshotObject] = [
            Account(_ACCOUNT_ID, AccountState.ACTIVE, stopped=False),
            self.property,
            *self.slots,
        ]
        while len(self.ads) < ads:
            objects += self._new_campaign(_ADS_A_CAMPAIGN)
        return objects

    def next_day(self) -> list[SnapshotObject]:
        """Rates drift, and one new campaign is added."""
        for one in self.ads.values():
            one.rate *= exp(self._rng.gauss(0, _DRIFT_A_DAY))
        return list(self._new_campaign(1))

    def true_rate(self, ad_id: str, slot: int) -> float:
        one = self.ads[ad_id]
        return one.rate * _SLOT_FACTORS[slot] * one.pairs[slot]

    def worth(self, ad_id: str, slot: int) -> float:
        """Expected micros of an impression."""
        return self.ads[ad_id].campaign.bid_micros * self.true_rate(ad_id, slot)

    def best_worth(self, slot: int) -> float:
        """Expected micros of an impression if all rates were known."""
        return max(self.worth(ad_id, slot) for ad_id in self.ads)

    def opportunities(self) -> tuple[Opportunity, ...]:
        """One opportunity a slot."""
        return tuple(_opportunity(self.property, slot) for slot in self.slots)

    def _new_campaign(self, ads: int) -> Iterator[SnapshotObject]:
        rng, number = self._rng, len(self.ads)
        campaign = default_campaign(
            _id("campaign", number),
            _ACCOUNT_ID,
            _PROPERTY_ID,
            rng.randint(20, 100) * 10_000,
            pricing_model=PricingModel.CPC,
            objective=Objective.TRAFFIC,
        )
        usual = _USUAL_RATE * exp(rng.gauss(0, _CAMPAIGN_SPREAD))
        yield campaign
        for one in range(ads):
            ad = default_banner(_id("ad", number + one), campaign)
            rate = usual * exp(rng.gauss(0, _AD_SPREAD))
            pairs = tuple(exp(rng.gauss(0, _PAIR_SPREAD)) for _ in _SLOT_FACTORS)
            self.ads[ad.id] = TrueAd(campaign, ad, rate, pairs)
            yield ad


def _opportunity(prop: Property, slot: Slot) -> Opportunity:
    return Opportunity(
        environment=Environment.LIVE,
        property=prop,
        slot=slot,
        format=None,
        width=None,
        height=None,
        surface=Surface.WEB,
        preview_ad_id=None,
        consent_limited=False,
        child_directed=False,
    )


def _id(kind: str, number: int) -> str:
    return f"{kind}-{number:05}"
