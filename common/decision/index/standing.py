"""Which of a property's slots an ad stands in, and which standing gate keeps it out of the others."""

from dataclasses import dataclass

from common.decision.eligibility import (
    GATES_ANYWHERE,
    STANDING_GATES,
    StandingGate,
)
from common.decision.gates import Ranking
from common.decision.index.candidate import Drop, Order, order_of
from common.decision.targeting import Targeting, parse_targeting
from common.snapshot.model import Ad, AdRates, Campaign, Slot
from common.snapshot.snapshot import Snapshot

SlotDrop = tuple[str, Drop | None]
"""A slot's id, and what keeps the ad out of it; None where it stands."""

_MOST_FACES = 20_000
_ORDERED = tuple(enumerate(STANDING_GATES))
_ANYWHERE = _ORDERED[: len(GATES_ANYWHERE)]
_BY_SLOT = _ORDERED[len(GATES_ANYWHERE) : -1]
_LAST = _ORDERED[-1:]
"""The floor: it asks what the ad is worth, which differs from ad to ad of the same face."""


@dataclass(slots=True)
class Entry:
    """An ad in the slots where it has the same order."""

    campaign: Campaign
    ad: Ad
    order: Order
    slots: tuple[SlotDrop, ...]
    campaign_targeting: Targeting
    ad_targeting: Targeting


class Standing:
    """For one property whose slots and blocks stay as they are."""

    def __init__(self, slots: tuple[Slot, ...], ranking: Ranking) -> None:
        self.slots = slots
        self._ranking = ranking
        self._faces: dict[object, tuple[Drop | None, ...]] = {}
        self._shared: dict[object, tuple[SlotDrop, ...]] = {}

    def with_slot(self, slot: Slot) -> "Standing":
        """For the property with *slot* in place of the one of its id."""
        slots = tuple(slot if one.id == slot.id else one for one in self.slots)
        return Standing(slots, self._ranking)

    def orders(self, campaign: Campaign, ad: Ad, rates: AdRates | None) -> dict[Order, list[int]]:
        """The orders *ad* has, each with the numbers of the slots where it has it."""
        if not self.slots:
            return {}
        if rates is None or not rates.by_slot:
            order = order_of(campaign, ad, rates, self.slots[0].id, self._ranking)
            return {order: list(range(len(self.slots)))}
        found: dict[Order, list[int]] = {}
        for number, slot in enumerate(self.slots):
            order = order_of(campaign, ad, rates, slot.id, self._ranking)
            found.setdefault(order, []).append(number)
        return found

    def entries(self, snapshot: Snapshot, campaign: Campaign, ad: Ad) -> list[Entry]:
        targetings = parse_targeting(campaign.targeting), parse_targeting(ad.targeting)
        drops = self._drops(snapshot, campaign, ad, targetings)
        orders = self.orders(campaign, ad, snapshot.rates.get(ad.id))
        return [
            Entry(campaign, ad, order, self._named(numbers, drops), *targetings)
            for order, numbers in orders.items()
        ]

    def _named(self, numbers: list[int], drops: tuple[Drop | None, ...]) -> tuple[SlotDrop, ...]:
        key = (tuple(numbers), drops)
        if key not in self._shared:
            _make_room(self._shared)
            self._shared[key] = tuple((self.slots[n].id, drops[n]) for n in numbers)
        return self._shared[key]

    def _drops(
        self,
        snapshot: Snapshot,
        campaign: Campaign,
        ad: Ad,
        targetings: tuple[Targeting, Targeting],
    ) -> tuple[Drop | None, ...]:
        """By slot, in the order of ``slots``; the same as `standing_drop` of each."""
        if not self.slots:
            return ()
        first = _first(_ANYWHERE, snapshot, self.slots[0], campaign, ad)
        if first is not None:
            return (first,) * len(self.slots)
        blocked_ids = snapshot.properties[self.slots[0].property_id].blocked_ad_ids
        face = (
            ad.format,
            ad.width,
            ad.height,
            ad.advertiser_domain,
            ad.categories,
            ad.slot_ids,
            ad.id in blocked_ids,
            *((one.slots, one.not_slots) for one in targetings),
        )
        drops = self._faces.get(face)
        if drops is None:
            _make_room(self._faces)
            drops = self._faces[face] = tuple(
                _first(_BY_SLOT, snapshot, slot, campaign, ad) for slot in self.slots
            )
        return tuple(
            [
                drop or _first(_LAST, snapshot, slot, campaign, ad)
                for drop, slot in zip(drops, self.slots, strict=True)
            ]
        )


def _first(
    gates: tuple[tuple[int, StandingGate], ...],
    snapshot: Snapshot,
    slot: Slot,
    campaign: Campaign,
    ad: Ad,
) -> Drop | None:
    for place, gate in gates:
        reason = gate(snapshot, slot, campaign, ad)
        if reason is not None:
            return place, reason
    return None


def _make_room(
    memory: dict[object, tuple[Drop | None, ...]] | dict[object, tuple[SlotDrop, ...]],
) -> None:
    if len(memory) >= _MOST_FACES:
        memory.clear()
