"""Fills a property's index in rank order, in small steps."""

from collections.abc import Generator, Iterable, Iterator
from heapq import heappop, heappush, heapreplace
from operator import attrgetter

from common.decision.index.delta_impact import differ_in_floor_only
from common.decision.index.inverted_index import SlotMasks
from common.decision.index.leaf_builder import LeafBuilder, SameCampaignAds
from common.decision.index.property_index import PropertyIndex
from common.decision.rules.candidate import Order
from common.decision.rules.eligibility import BELOW_FLOOR, static_drop
from common.decision.rules.targeting import parse_targeting
from common.snapshot.model import Ad, Slot
from common.snapshot.snapshot import Snapshot

_SORTED = 250
_ADDED = 50
"""Ads between two steps: about half a millisecond in either case."""
_REQUESTED = 40
_id_of = attrgetter("id")


def slots_of(snapshot: Snapshot, property_id: str) -> tuple[Slot, ...]:
    return tuple(slot for slot in snapshot.slots.values() if slot.property_id == property_id)


def fill_steps(index: PropertyIndex, snapshot: Snapshot, property_id: str) -> Iterator[None]:
    """*index* is complete after the last step; no delta may be applied to *snapshot* meanwhile."""
    groups: dict[Order, list[Ad]] = {}
    for split in _parts(snapshot, property_id):
        _group(index, snapshot, split, groups)
        yield
    orders = _IncrementalMerge()
    waiting = list(groups)
    for first in range(0, len(waiting), _SORTED):
        orders.add((order, "") for order in waiting[first : first + _SORTED])
        yield
    builder = index.new_builder()
    most, count = index.block_fill, 0
    for order, _ in orders:
        ads = groups.pop(order)
        if len(ads) > _SORTED:
            ads = yield from _sorted_steps(snapshot, ads)
        else:
            ads.sort(key=_id_of)
        for ad in ads:
            if len(builder.ranks) >= most:
                yield from index.append(builder)
                builder, most = index.new_builder(), index.block_fill
            _put(index, builder, snapshot, ad, order)
            count += 1
            if count % _ADDED == 0:
                yield
    if builder.ranks:
        yield from index.append(builder)


def rescan_steps(
    index: PropertyIndex, snapshot: Snapshot, slot: Slot
) -> Generator[None, None, list[SlotMasks]]:
    """
    Evaluates the static gates in *slot* again, whose gates changed. Returns the slot's masks by block, and changes
    nothing.
    """
    was = index.slots[slot.id]
    if differ_in_floor_only(was, slot):
        return (yield from _new_floor_steps(index, snapshot, slot, was.floor_micros))
    rescanned: list[SlotMasks] = []
    count = 0
    for leaf in index.leaves:
        masks = SlotMasks()
        for bit, ad_id in leaf.ads_in(slot.id):
            ad = snapshot.ads[ad_id]
            masks.insert(bit, static_drop(snapshot, slot, snapshot.campaigns[ad.campaign_id], ad))
            count += 1
            if count % _REQUESTED == 0:
                yield
        rescanned.append(masks)
    return rescanned


def _new_floor_steps(
    index: PropertyIndex, snapshot: Snapshot, slot: Slot, former_micros: int
) -> Generator[None, None, list[SlotMasks]]:
    """Evaluates only the ads that may lie between the former floor and the new one."""
    least, less_than = sorted((former_micros, slot.floor_micros))
    was = None if slot.floor_micros > former_micros else BELOW_FLOOR
    rescanned: list[SlotMasks] = []
    count = 0
    for leaf in index.leaves:
        masks = leaf.masks_in(slot.id)
        affected = masks.passing if was is None else masks.dropped.get(was, 0)
        for position, ad_id in leaf.runs.worth(affected, least, less_than):
            ad, bit = snapshot.ads[ad_id], 1 << position
            masks.remove(bit, was)
            masks.insert(bit, static_drop(snapshot, slot, snapshot.campaigns[ad.campaign_id], ad))
            count += 1
            if count % _REQUESTED == 0:
                yield
        rescanned.append(masks)
        yield
    return rescanned


def _group(
    index: PropertyIndex, snapshot: Snapshot, ads: list[Ad], groups: dict[Order, list[Ad]]
) -> None:
    for ad in ads:
        campaign = snapshot.campaigns[ad.campaign_id]
        for order in index.eligibility.orders(campaign, ad, snapshot.rates.get(ad.id)):
            group = groups.get(order)
            if group is None:
                groups[index.shared_order(order)] = [ad]
            else:
                group.append(ad)


def _put(
    index: PropertyIndex, builder: LeafBuilder, snapshot: Snapshot, ad: Ad, order: Order
) -> None:
    campaign_ads = builder.campaigns.get(ad.campaign_id)
    if campaign_ads is None:
        campaign = snapshot.campaigns[ad.campaign_id]
        campaign_ads = SameCampaignAds(campaign, parse_targeting(campaign.targeting))
        builder.campaigns[ad.campaign_id] = campaign_ads
    entry = index.eligibility.entry(
        snapshot, campaign_ads.campaign, ad, order, campaign_ads.targeting
    )
    builder.insert(entry, campaign_ads)


def _sorted_steps(snapshot: Snapshot, ads: list[Ad]) -> Generator[None, None, list[Ad]]:
    """Returns *ads* sorted by id."""
    merge = _IncrementalMerge()
    for first in range(0, len(ads), _SORTED):
        merge.add(((), ad.id) for ad in ads[first : first + _SORTED])
        yield
    found: list[Ad] = []
    for _, ad_id in merge:
        found.append(snapshot.ads[ad_id])
        if len(found) % _SORTED == 0:
            yield
    return found


class _IncrementalMerge:
    """
    Yields items that were added in parts, in rank order.
    Like `heapq.merge`, but each part is sorted when it is added.
    """

    def __init__(self) -> None:
        self._firsts: list[tuple[tuple[Order, str], int]] = []
        self._rests: list[Iterator[tuple[Order, str]]] = []

    def add(self, split: Iterable[tuple[Order, str]]) -> None:
        rest = iter(sorted(split))
        first = next(rest, None)
        if first is not None:
            heappush(self._firsts, (first, len(self._rests)))
            self._rests.append(rest)

    def __iter__(self) -> Iterator[tuple[Order, str]]:
        firsts = self._firsts
        while firsts:
            ranked, number = firsts[0]
            yield ranked
            after = next(self._rests[number], None)
            if after is None:
                heappop(firsts)
            else:
                heapreplace(firsts, (after, number))


def _parts(snapshot: Snapshot, property_id: str) -> Iterator[list[Ad]]:
    split: list[Ad] = []
    for campaign in snapshot.campaigns_by_property.get(property_id, ()):
        split += snapshot.ads_by_campaign.get(campaign.id, ())
        if len(split) >= _SORTED:
            yield split
            split = []
    yield split
