"""Filling a property's index in rank order, a little at a time."""

from collections.abc import Generator, Iterable, Iterator
from heapq import heappop, heappush, heapreplace

from common.decision.eligibility import standing_drop
from common.decision.index.block import SlotMasks
from common.decision.index.candidate import Order
from common.decision.index.property_index import PropertyIndex
from common.decision.index.standing import Entry
from common.snapshot.model import Ad, Slot
from common.snapshot.snapshot import Snapshot

_SORTED = 250
_ADDED = 20
"""Ads between two steps: about half a millisecond either way."""
_ASKED = 40
_Ranked = tuple[Order, str]


def slots_of(snapshot: Snapshot, property_id: str) -> tuple[Slot, ...]:
    return tuple(slot for slot in snapshot.slots.values() if slot.property_id == property_id)


def fill_steps(index: PropertyIndex, snapshot: Snapshot, property_id: str) -> Iterator[None]:
    """*index* is whole when the steps are at their end; *snapshot* must not be led away from meanwhile."""
    merging = _Merging()
    for part in _parts(snapshot, property_id):
        merging.add(
            (order, ad.id)
            for ad in part
            for order in index.standing.orders(
                snapshot.campaigns[ad.campaign_id], ad, snapshot.rates.get(ad.id)
            )
        )
        yield
    waiting: list[Entry] = []
    for count, (order, ad_id) in enumerate(merging):
        ad = snapshot.ads[ad_id]
        if waiting and (waiting[0].campaign.id, waiting[0].order) != (ad.campaign_id, order):
            index.append(waiting)
            waiting = []
        campaign = snapshot.campaigns[ad.campaign_id]
        waiting += [e for e in index.standing.entries(snapshot, campaign, ad) if e.order == order]
        if count % _ADDED == 0:
            yield
    if waiting:
        index.append(waiting)


def refit_steps(
    index: PropertyIndex, snapshot: Snapshot, slot: Slot
) -> Generator[None, None, list[SlotMasks]]:
    """Asks of everything in *slot* again whether it stands there: the slot's masks by block. Changes nothing."""
    refitted: list[SlotMasks] = []
    count = 0
    for block in index.blocks:
        masks = SlotMasks()
        for bit, ad_id in block.ads_in(slot.id):
            ad = snapshot.ads[ad_id]
            masks.put(bit, standing_drop(snapshot, slot, snapshot.campaigns[ad.campaign_id], ad))
            count += 1
            if count % _ASKED == 0:
                yield
        refitted.append(masks)
    return refitted


class _Merging:
    """In rank order what was added in parts; like `heapq.merge`, but each part pays for itself when it is added."""

    def __init__(self) -> None:
        self._firsts: list[tuple[_Ranked, int]] = []
        self._rests: list[Iterator[_Ranked]] = []

    def add(self, part: Iterable[_Ranked]) -> None:
        rest = iter(sorted(part))
        first = next(rest, None)
        if first is not None:
            heappush(self._firsts, (first, len(self._rests)))
            self._rests.append(rest)

    def __iter__(self) -> Iterator[_Ranked]:
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
    part: list[Ad] = []
    for campaign in snapshot.campaigns_by_property.get(property_id, ()):
        part += snapshot.ads_by_campaign.get(campaign.id, ())
        if len(part) >= _SORTED:
            yield part
            part = []
    yield part
