"""
Evaluates the static gates: the slots of a property in which an ad may show, and the
gate that drops it elsewhere.
"""

from typing import final

from common.decision.rules.ad_limits import duration_ms
from common.decision.rules.candidate import DropReason, Order, order_of
from common.decision.rules.eligibility import (
    GATES_ANYWHERE,
    STATIC_GATES,
    StaticGate,
    advertiser_host,
)
from common.decision.rules.gates import Ranking
from common.decision.rules.targeting import Targeting, parse_targeting
from common.snapshot.model import Ad, AdRates, Campaign, Slot
from common.snapshot.snapshot import Snapshot
from common.values.generation_cache import GenerationCache

SlotDrop = tuple[str, DropReason | None]
"""A slot's id, and the drop reason of the ad there; None where no static gate drops it."""

_Drops = tuple[DropReason | None, ...]
_MAX_FACES = 10_000
_ORDERED = tuple(enumerate(STATIC_GATES))
_ANYWHERE = _ORDERED[: len(GATES_ANYWHERE)]
_BY_SLOT = _ORDERED[len(GATES_ANYWHERE) : -1]
_LAST = _ORDERED[-1:]
"""The floor gate: it needs the ad's worth, which differs between ads that the other gates treat alike."""


@final
class IndexEntry:
    """An ad in those slots where it has the same order."""

    def __init__(
        self,
        campaign: Campaign,
        ad: Ad,
        order: Order,
        slots: tuple[SlotDrop, ...],
        targetings: tuple[Targeting, Targeting],
    ) -> None:
        """*slots*: one shared object for ads with equal results. *targetings*: the campaign's and the ad's."""
        self.campaign = campaign
        self.ad = ad
        self.order = order
        self.slots = slots
        self.campaign_targeting, self.ad_targeting = targetings


class StaticEligibility:
    """For one property, whose slots and blocks do not change."""

    def __init__(self, slots: tuple[Slot, ...], ranking: Ranking) -> None:
        self.slots = slots
        self._ranking = ranking
        self._everywhere = list(range(len(slots)))
        self._blocks_advertisers = any(slot.blocked_advertiser_domains for slot in slots)
        self._has_floor = any(slot.floor_micros for slot in slots)
        self._limits_duration = any(slot.audio for slot in slots)
        self._faces = GenerationCache(_MAX_FACES)
        self._shared = GenerationCache(_MAX_FACES)

    def with_slot(self, slot: Slot) -> "StaticEligibility":
        """Returns the eligibility for the property with *slot* in place of the one with its id."""
        slots = tuple(slot if one.id == slot.id else one for one in self.slots)
        return StaticEligibility(slots, self._ranking)

    def orders(self, campaign: Campaign, ad: Ad, rates: AdRates | None) -> dict[Order, list[int]]:
        """Returns the orders of *ad*, each with the numbers of the slots where it has that order."""
        if not self.slots:
            return {}
        if rates is None or not rates.by_slot:
            order = order_of(campaign, ad, rates, self.slots[0].id, self._ranking)
            return {order: self._everywhere}
        found: dict[Order, list[int]] = {}
        for number, slot in enumerate(self.slots):
            order = order_of(campaign, ad, rates, slot.id, self._ranking)
            found.setdefault(order, []).append(number)
        return found

    def entries(self, snapshot: Snapshot, campaign: Campaign, ad: Ad) -> list[IndexEntry]:
        """Returns an entry for each rank that the ad has in some slots."""
        targetings = parse_targeting(campaign.targeting), parse_targeting(ad.targeting)
        orders = self.orders(campaign, ad, snapshot.rates.get(ad.id))
        return [
            IndexEntry(
                campaign,
                ad,
                order,
                self._slots_of(snapshot, campaign, ad, numbers, targetings),
                targetings,
            )
            for order, numbers in orders.items()
        ]

    def entry(
        self, snapshot: Snapshot, campaign: Campaign, ad: Ad, order: Order, targeting: Targeting
    ) -> IndexEntry:
        """Returns the item of `entries` with that order. *targeting*: the campaign's."""
        rates = snapshot.rates.get(ad.id)
        numbers = self._everywhere
        if rates is not None and rates.by_slot:
            numbers = self.orders(campaign, ad, rates)[order]
        targetings = targeting, parse_targeting(ad.targeting)
        slots = self._slots_of(snapshot, campaign, ad, numbers, targetings)
        return IndexEntry(campaign, ad, order, slots, targetings)

    def _slots_of(
        self,
        snapshot: Snapshot,
        campaign: Campaign,
        ad: Ad,
        numbers: list[int],
        targetings: tuple[Targeting, Targeting],
    ) -> tuple[SlotDrop, ...]:
        """Returns the slots of *numbers*, each with the gate that drops the ad there, or None."""
        if not self.slots:
            return ()
        first = _first(_ANYWHERE, snapshot, self.slots[0], campaign, ad)
        if first is not None:
            return self._named(numbers, (first,) * len(self.slots))
        drops, named = self._signature(snapshot, campaign, ad, targetings)
        if self._has_floor:
            above = tuple(
                [
                    drop or _first(_LAST, snapshot, slot, campaign, ad)
                    for drop, slot in zip(drops, self.slots, strict=True)
                ]
            )
            return self._named(numbers, above)
        return named if numbers is self._everywhere else self._named(numbers, drops)

    def _signature(
        self,
        snapshot: Snapshot,
        campaign: Campaign,
        ad: Ad,
        targetings: tuple[Targeting, Targeting],
    ) -> tuple[_Drops, tuple[SlotDrop, ...]]:
        """
        Returns the drop reasons of the slot gates, by slot in the order of ``slots``, and the same with slot ids. They
        are cached by the fields that these gates use.
        """
        blocked_ids = snapshot.properties[self.slots[0].property_id].blocked_ad_ids
        of_campaign, of_ad = targetings
        signature = (
            # By identity: hashing an enum member takes longer than all the rest.
            id(ad.format),
            ad.width,
            ad.height,
            ad.advertiser_domain,
            advertiser_host(ad) if self._blocks_advertisers else None,
            ad.categories,
            duration_ms(ad) if self._limits_duration else None,
            ad.slot_ids,
            ad.id in blocked_ids,
            of_campaign.slots,
            of_campaign.not_slots,
            of_ad.slots,
            of_ad.not_slots,
        )
        found: tuple[_Drops, tuple[SlotDrop, ...]] | None = self._faces.get(signature)
        if found is None:
            drops = tuple(_first(_BY_SLOT, snapshot, slot, campaign, ad) for slot in self.slots)
            found = (drops, self._named(self._everywhere, drops))
            self._faces.put(signature, found)
        return found

    def _named(self, numbers: list[int], drops: _Drops) -> tuple[SlotDrop, ...]:
        key = (tuple(numbers), drops)
        named: tuple[SlotDrop, ...] | None = self._shared.get(key)
        if named is None:
            named = tuple([(self.slots[n].id, drops[n]) for n in numbers])
            self._shared.put(key, named)
        return named


def _first(
    gates: tuple[tuple[int, StaticGate], ...],
    snapshot: Snapshot,
    slot: Slot,
    campaign: Campaign,
    ad: Ad,
) -> DropReason | None:
    for place, gate in gates:
        reason = gate(snapshot, slot, campaign, ad)
        if reason is not None:
            return place, reason
    return None
