"""
The world of the serve benches: campaigns with every kind of targeting, each with a budget and a pace, and a last one
without targeting, so that every request is filled. Places come from a small geo database of addresses.
"""

from dataclasses import replace
from pathlib import Path
from random import Random

from common.service.secrets import KeyRing
from common.snapshot.model import Budget, Campaign, Pace
from common.values.enums import Priority
from deploy.standalone.geo import write_geo_database
from loadtests.bench.corpus import COUNTRIES, make_corpus
from loadtests.bench.world import World

_NEVER_SPENT_MICROS = 10**13
_PASSED_PPM = (500_000, 1_000_000)
"""The lowest and highest pass rate of pacing, in ppm."""


def make_serving(keys: KeyRing, *, campaigns: int, now_ms: int, seed: int = 1) -> World:
    """*campaigns* in all, on every slot, one of them without targeting."""
    rng = Random(seed)
    corpus = make_corpus(keys, campaigns=campaigns, seed=seed, now_ms=now_ms, by_slot=False)
    last, *others = corpus.campaigns
    paid = [_paid(rng, campaign) for campaign in others]
    made = corpus.with_campaigns([_for_everybody(last), *paid])
    paces = tuple(a_pace(rng, campaign) for campaign in paid)
    return replace(made, objects=(*made.objects, *paces))


def a_pace(rng: Random, campaign: Campaign) -> Pace:
    """A pace at some point of the campaign's budget."""
    return Pace(campaign.id, spent_micros=rng.randint(0, 10**9), pass_ppm=rng.randint(*_PASSED_PPM))


def write_places(path: Path) -> None:
    """Writes the geo database that `address_in` refers to."""
    places = {f"11.{number}.0.0/16": (name, name) for number, name in enumerate(COUNTRIES)}
    write_geo_database(path, places)


def address_in(country: str, rng: Random) -> str:
    return f"11.{COUNTRIES.index(country)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}"


def _paid(rng: Random, campaign: Campaign) -> Campaign:
    """The smallest budget is far more than a bench spends: the cost of checking is measured, not exhaustion."""
    total_micros = rng.randint(1, 9) * _NEVER_SPENT_MICROS
    daily_micros = total_micros if rng.random() < 0.5 else None
    return replace(campaign, budget=Budget(total_micros, daily_micros))


def _for_everybody(campaign: Campaign) -> Campaign:
    return replace(
        campaign,
        priority=Priority.HOUSE,
        bid_micros=0,
        targeting="",
        start_at_ms=None,
        end_at_ms=None,
    )
