"""
A synthetic property with any number of campaigns that use all eight kinds of targeting, and requests that match some.

Seeded: the same on every machine. Two ads a campaign, eight slots. How narrow the targeting is was made up, but has the
usual shape: half of the targeted values are included and half excluded, few countries and languages make most of the
traffic, and a request matches about one campaign in a hundred. Bids are spread over 100 … 2 000 cents.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from common.decision.rules.opportunity import Opportunity, Signals
from common.service.secrets import KeyRing
from common.snapshot.codec import canonical_json
from common.snapshot.model import Campaign
from common.values.enums import Browser, DeviceType, OperatingSystem, Priority, Surface
from common.values.environment import Environment
from loadtests.bench.world import World, make_world

_T = TypeVar("_T")

SLOTS = 8
NOW_MS = 1_800_000_000_000
_DAY_MS = 86_400_000
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
COUNTRIES = (
    "de",
    "us",
    "gb",
    "fr",
    "es",
    "it",
    "nl",
    "pl",
    "at",
    "ch",
    "be",
    "se",
    "dk",
    "no",
    "fi",
    "pt",
    "cz",
    "ie",
    "br",
    "mx",
    "ca",
    "au",
    "jp",
    "in",
    "tr",
    "gr",
    "ro",
    "hu",
    "za",
    "sg",
)
_LANGUAGES = ("de", "en", "fr", "es", "it", "nl", "pl", "pt", "tr", "ja")
_SPOKEN = ("de", "en", "en-us", "en-gb", "de-at", "fr", "es", "it", "nl", "pl", "pt-br", "tr", "ja")
_ZONES = ("Europe/Berlin", "Europe/London", "America/New_York", "UTC")
WORDS = tuple(f"word-{number}" for number in range(300))
_SEGMENTS = tuple(f"segment-{number}" for number in range(60))
VALUES = {
    key: tuple(f"{key}-{n}" for n in range(12)) for key in ("section", "author", "plan", "age")
}
_PRIORITIES = {
    Priority.SPONSORSHIP: 2,
    Priority.STANDARD: 10,
    Priority.AUCTION: 83,
    Priority.HOUSE: 5,
}


def make_corpus(
    keys: KeyRing, *, campaigns: int, seed: int = 1, now_ms: int = NOW_MS, by_slot: bool = True
) -> World:
    """
    A world of `make_world` with two ads a campaign, bids, flights around *now_ms* and targeting of *seed*. Without
    *by_slot* all campaigns run on every slot: seven kinds of targeting.
    """
    rng = Random(seed)
    plain = make_world(keys, campaigns=campaigns, slots=SLOTS, ads=2)
    slot_ids = [slot.id for slot in plain.slots] if by_slot else []
    made = [_varied(rng, campaign, slot_ids, now_ms) for campaign in plain.campaigns]
    return plain.with_campaigns(made)


def an_opportunity(world: World, rng: Random) -> Opportunity:
    """A request to the world's property; most of them differ in what is targeted."""
    return Opportunity(
        environment=Environment.LIVE,
        property=world.property,
        slot=rng.choice(world.slots),
        format=None,
        width=None,
        height=None,
        surface=Surface.WEB,
        preview_ad_id=None,
        consent_limited=False,
        child_directed=False,
        signals=signals(rng),
    )


def signals(rng: Random) -> Signals:
    country = skewed(rng, COUNTRIES)
    return Signals(
        country=country,
        region=rng.choice((None, "by", "ny", "idf", "cat")),
        device=rng.choices((DeviceType.MOBILE, DeviceType.DESKTOP, DeviceType.TABLET), (60, 35, 5))[
            0
        ],
        os=rng.choice(tuple(OperatingSystem)),
        browser=rng.choice(tuple(Browser)),
        languages=tuple({skewed(rng, _SPOKEN) for _ in range(rng.randint(1, 3))}),
        keywords=frozenset(rng.sample(WORDS, rng.randint(3, 8))),
        key_values={key: frozenset({rng.choice(values)}) for key, values in VALUES.items()},
        segments=frozenset(rng.sample(_SEGMENTS, rng.randint(0, 10))),
    )


def make_targeting(rng: Random, slot_ids: Sequence[str] = ()) -> str:
    """A campaign's targeting of all eight kinds, or without *slot_ids* of the other seven."""
    return canonical_json(_targeting(rng, slot_ids))


def _varied(rng: Random, campaign: Campaign, slot_ids: list[str], now_ms: int) -> Campaign:
    return replace(
        campaign,
        priority=rng.choices(list(_PRIORITIES), list(_PRIORITIES.values()))[0],
        bid_micros=rng.randint(100, 2000) * 10,
        start_at_ms=now_ms - rng.randint(0, 60) * _DAY_MS,
        end_at_ms=now_ms + rng.randint(1, 60) * _DAY_MS,
        timezone=rng.choice(_ZONES),
        targeting=make_targeting(rng, slot_ids),
    )


def _targeting(rng: Random, slot_ids: Sequence[str]) -> dict[str, Any]:
    kinds: dict[str, Any] = {
        "geo": _geo(rng),
        "device": {"types": rng.sample(("mobile", "desktop", "tablet"), 2)},
        "languages": list({skewed(rng, _LANGUAGES) for _ in range(4)}),
        "dayparts": [
            {
                "days": rng.choice((_DAYS, _DAYS[:5], _DAYS[:5], _DAYS[5:], _DAYS[3:])),
                "start": f"{rng.randint(0, 9):02}:00",
                "end": f"{rng.randint(15, 24):02}:00",
            }
        ],
        "keywords": _either(
            rng, {"any": rng.sample(WORDS, rng.randint(5, 20))}, {"none": rng.sample(WORDS, 3)}
        ),
        "key_values": [
            {
                "key": key,
                "op": rng.choice(("in", "not_in")),
                "values": rng.sample(VALUES[key], rng.randint(3, 8)),
            }
            for key in rng.sample(sorted(VALUES), 2)
        ],
        "segments": _either(
            rng, {"include": rng.sample(_SEGMENTS, 5)}, {"exclude": rng.sample(_SEGMENTS, 3)}
        ),
    }
    if slot_ids:
        kinds["slots"] = _either(
            rng, {"include": rng.sample(slot_ids, 5)}, {"exclude": list(slot_ids[:1])}
        )
    return kinds


def _geo(rng: Random) -> dict[str, Any]:
    areas = [{"country": country} for country in {skewed(rng, COUNTRIES) for _ in range(6)}]
    regions = [{"country": "de", "region": "by"}] if rng.random() < 0.2 else []
    return _either(rng, {"include": areas + regions}, {"exclude": areas[:2] + regions})


def _either(rng: Random, one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return one if rng.random() < 0.5 else other


def skewed(rng: Random, choices: Sequence[_T]) -> _T:
    """A random choice; the first choices are the most frequent, with a distribution as of words (Zipf)."""
    return rng.choices(choices, [1 / rank for rank in range(1, len(choices) + 1)])[0]
