"""Small worlds of any content, by a seed: values from small pools, so that wishes and callers meet often."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from common.decision.rules.kinds import DIMENSIONS, TARGETING_KINDS
from common.decision.rules.kinds.kind import AnyWord, OneValue, TargetingKind
from common.decision.rules.opportunity import Opportunity, Signals
from common.snapshot.codec import canonical_json, encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import (
    TYPE_OF,
    Account,
    Ad,
    AdRates,
    AudioLimits,
    Campaign,
    Property,
    Rate,
    Size,
    Slot,
    SlotRates,
    SnapshotObject,
)
from common.values.enums import (
    AccountState,
    AdStatus,
    CampaignStatus,
    Format,
    PricingModel,
    Priority,
)
from common.values.environment import Environment
from tests.support.builders import (
    a_campaign,
    a_property,
    a_slot,
    an_account,
    an_ad,
    an_opportunity,
)

T = TypeVar("T")

NOWS_MS = [
    base + step * 30 * 60_000 + extra
    for base in (
        1_774_742_400_000,  # 2026-03-29T00:00Z: Berlin goes to summer at 01:00Z
        1_793_491_200_000,  # 2026-11-01T00:00Z: New York goes to winter at 06:00Z
        1_775_311_200_000,  # 2026-04-04T14:00Z: Lord Howe turns back half an hour at 15:00Z
    )
    for step in range(16)
    for extra in (-1, 0, 1)
]
"""Half hours around changes of the clock, and a millisecond beside each."""
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
COUNTRIES, REGIONS = ["de", "us"], [None, "by", "ny"]
TAGS = ["de", "de-at", "pt", "pt-br", "pt-br-x"]
WORDS = ["a", "b", "c"]
KEYS = ["k", "l"]
DAYS = ["sun", "sat", "mon"]
TIMES = ["00:00", "01:30", "02:00", "02:30", "03:00", "14:30", "24:00"]
LENGTHS_MS = [15_000, 30_000]


class Worlds:
    """What is made of one seed, one after another."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.slots = [self._slot(number) for number in range(self.rng.randint(1, 3))]
        self.ids: list[str] = []

    def objects(self) -> list[SnapshotObject]:
        made: list[SnapshotObject] = [an_account(), a_property(), *self.slots]
        campaigns = [self.campaign() for _ in range(self.rng.randint(0, 12))]
        made += campaigns
        for campaign in campaigns:
            ads = [self.ad(campaign) for _ in range(self.rng.randint(0, 3))]
            made += ads
            made += [self.rates(ad) for ad in ads if self.maybe(0.3)]
        return made

    def delta(self, objects: dict[str, SnapshotObject]) -> list[ObjectChange]:
        """Changes of some of *objects*, which it keeps up."""
        return [self._entry(objects) for _ in range(self.rng.choice((1, 1, 1, 2, 3)))]

    def opportunity(self, slot: Slot | None = None) -> Opportunity:
        maybe, choice = self.maybe, self.rng.choice
        return an_opportunity(
            slot or choice(self.slots),
            format=choice((None,) * 6 + (Format.BANNER, Format.NATIVE)),
            width=choice((None, None, None, 300, 728)),
            height=choice((None, None, None, 90, 250)),
            child_directed=maybe(0.2),
            signals=self.signals(),
        )

    def signals(self) -> Signals:
        """Values of every kind; those of a new kind follow from its dimensions."""
        made: dict[str, Any] = {
            "country": self.rng.choice((None, *COUNTRIES)),
            "region": self.rng.choice(REGIONS),
            "languages": tuple(self.some(TAGS, 2)),
            "key_values": {key: frozenset(self.some(WORDS, 2)) for key in self.some(KEYS, 2)},
        }
        for dimension in DIMENSIONS:
            if isinstance(dimension, OneValue):
                made[dimension.signal] = self.rng.choice((None, *_pool(dimension)))
            elif isinstance(dimension, AnyWord):
                made[dimension.signal] = frozenset(self.some(WORDS, 2))
        return Signals(**made)

    def now_ms(self) -> int:
        return self.rng.choice(NOWS_MS)

    def campaign(self) -> Campaign:
        choice = self.rng.choice
        return a_campaign(
            bid_cents=choice((1, 100, 100, 500)),
            status=choice([CampaignStatus.ACTIVE] * 6 + [CampaignStatus.PAUSED]),
            priority=choice(list(Priority)),
            pricing_model=choice(
                [PricingModel.CPM, PricingModel.CPM, PricingModel.CPC, PricingModel.CPA]
            ),
            start_at_ms=choice((None, None, None, None, choice(NOWS_MS))),
            end_at_ms=choice((None, None, None, None, choice(NOWS_MS))),
            timezone=choice(ZONES),
            spent=self.maybe(0.1),
            requires=("nothing we know",) if self.maybe(0.05) else (),
            targeting=self.targeting(),
        )

    def ad(self, campaign: Campaign) -> Ad:
        choice = self.rng.choice
        ad_format = choice((Format.BANNER, Format.HTML, Format.NATIVE, Format.AUDIO))
        width, height = choice(((None, None), (300, 250), (728, 90)))
        content = {"media": [{"url": "https://brand.example/a", "duration_ms": choice(LENGTHS_MS)}]}
        recording = {"content": canonical_json(content)} if ad_format is Format.AUDIO else {}
        return an_ad(
            campaign,
            **recording,
            format=ad_format,
            width=width,
            height=height,
            categories=choice(((), (), ("7-39",), ("9",))),
            advertiser_domain=choice((None, "brand.example", "shop.brand.example")),
            weight=self.rng.randint(1, 5),
            slot_ids=choice(((), (), (), (), (choice(self.slots).id,))),
            status=choice([AdStatus.ACTIVE] * 6 + [AdStatus.DRAFT]),
            targeting=self.targeting() if self.maybe(0.3) else "",
        )

    def rates(self, ad: Ad) -> AdRates:
        def rate() -> Rate:
            return Rate(self.rng.choice((1000, 5000)), 100)

        own = tuple(SlotRates(slot.id, rate(), rate()) for slot in self.slots if self.maybe(0.5))
        return AdRates(ad.id, rate(), rate(), tuple(sorted(own, key=lambda one: one.slot_id)))

    def targeting(self) -> str:
        kinds = {kind.name: self.stored(kind) for kind in TARGETING_KINDS if self.maybe(0.15)}
        if self.maybe(0.15):
            kinds["slots"] = self._either("include", "exclude", [s.id for s in self.slots])
        return canonical_json(kinds) if kinds else ""

    def stored(self, kind: TargetingKind) -> Any:
        """What a campaign stores of *kind*; that of a new kind follows from its dimensions."""
        own: dict[str, Callable[[], Any]] = {
            "geo": lambda: {"include": self._areas(2), "exclude": self._areas(1)},
            "languages": lambda: self.some(TAGS, 2),
            "dayparts": self._dayparts,
            "key_values": self._key_values,
        }
        if kind.name in own:
            return own[kind.name]()
        made = {}
        for dimension in kind.dimensions:
            assert isinstance(dimension, OneValue | AnyWord), f"no stored values of {kind.name}"
            for path, most in zip(dimension.paths, (2, 1), strict=True):
                if path:
                    made[path] = self.some(_pool(dimension), most)
        return made

    def maybe(self, share: float) -> bool:
        return self.rng.random() < share

    def some(self, pool: list[T], most: int) -> list[T]:
        return self.rng.sample(pool, self.rng.randint(0, min(most, len(pool))))

    def _slot(self, number: int) -> Slot:
        choice = self.rng.choice
        return a_slot(
            key=f"slot-{number}",
            formats=choice(
                (tuple(Format), tuple(Format), tuple(Format), (Format.BANNER, Format.HTML))
            ),
            sizes=choice(((), (), (Size(300, 250),))),
            floor_micros=choice((0, 0, 1_000_000)),
            blocked_advertiser_domains=choice(((), (), ("brand.example",))),
            blocked_categories=choice(((), (), ("7",))),
            audio=choice((None, AudioLimits(max_duration_ms=LENGTHS_MS[0], max_ads=2))),
        )

    def _changed_slot(self, slot: Slot) -> Slot:
        if self.maybe(0.5):
            return replace(slot, floor_micros=self.rng.choice((0, 1_000_000, 2_000_000)))
        return replace(self._slot(0), id=slot.id, key=slot.key)

    def _entry(self, objects: dict[str, SnapshotObject]) -> ObjectChange:
        name = self.rng.choice(sorted(objects))
        item = objects[name]
        if self.maybe(0.2) and not isinstance(item, Account | Property | Slot):
            del objects[name]
            return ObjectChange(TYPE_OF[type(item)], item.id, None)
        changed = self._changed(item, objects)
        objects[_name(changed)] = changed
        return ObjectChange(TYPE_OF[type(changed)], changed.id, encode_object(changed))

    def _changed(self, item: SnapshotObject, objects: dict[str, SnapshotObject]) -> SnapshotObject:
        campaigns = [one for one in objects.values() if isinstance(one, Campaign)]
        match item:
            case Account():
                return replace(
                    item, state=self.rng.choice(list(AccountState)), funded=self.maybe(0.8)
                )
            case Property():
                return replace(item, blocked_categories=self.rng.choice(((), ("9",))))
            case Slot():
                changed = self._changed_slot(item)
                self.slots[self.slots.index(item)] = changed
                return changed
            case Campaign():
                other = self.campaign()
                return replace(other, id=self.rng.choice((item.id, item.id, other.id)))
            case Ad():
                owner = self.rng.choice(campaigns) if campaigns else a_campaign(id=item.campaign_id)
                return replace(self.ad(owner), id=self.rng.choice((item.id, an_ad(owner).id)))
            case _:
                return replace(self.rates(an_ad(a_campaign())), id=item.id)

    def _changed_place(self, item: Account | Property | Slot) -> Account | Property | Slot:
        match item:
            case Account():
                state = self.rng.choice([AccountState.ACTIVE] * 3 + [AccountState.SUSPENDED])
                return replace(item, state=state, funded=self.maybe(0.8))
            case Property():
                return replace(item, blocked_categories=self.rng.choice(((), ("9",))))
            case Slot():
                changed = self._changed_slot(item)
                self.slots[self.slots.index(item)] = changed
                return changed

    def _either(self, one: str, other: str, pool: list[str]) -> dict[str, list[str]]:
        return {one: self.some(pool, 2), other: self.some(pool, 1)}

    def _areas(self, most: int) -> list[dict[str, str]]:
        areas = [
            {"country": country} | ({} if region is None else {"region": region})
            for country in COUNTRIES
            for region in REGIONS
        ]
        return self.some(areas, most)

    def _dayparts(self) -> list[dict[str, Any]]:
        parts = []
        for _ in range(self.rng.randint(1, 2)):
            start, end = sorted(self.rng.sample(TIMES, 2))
            parts.append({"days": self.some(DAYS, 3) or ["sun"], "start": start, "end": end})
        return parts

    def _key_values(self) -> list[dict[str, Any]]:
        return [
            {
                "key": self.rng.choice(KEYS),
                "op": self.rng.choice(("in", "in", "not_in")),
                "values": self.some(WORDS, 2) or ["a"],
            }
            for _ in range(self.rng.randint(1, 3))
        ]


def _pool(dimension: OneValue | AnyWord) -> list[Any]:
    """A few values, of an enumeration or words."""
    members = [*dimension.of] if isinstance(dimension, OneValue) and dimension.of is not str else []
    return members[:3] or WORDS


def named(objects: list[SnapshotObject]) -> dict[str, SnapshotObject]:
    """By type and id."""
    return {_name(item): item for item in objects}


def _name(item: SnapshotObject) -> str:
    return f"{TYPE_OF[type(item)]} {item.id}"


ENVIRONMENT = Environment.LIVE
