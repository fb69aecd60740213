"""Filling a property's index in rank order, a little at a time."""

from collections.abc import Iterator
from heapq import merge

from common.decision.index.candidate import Order
from common.decision.index.property_index import PropertyIndex
from common.decision.index.standing import Entry
from common.snapshot.model import Ad, Slot
from common.snapshot.snapshot import Snapshot

_SORTED = 200
_ADDED = 20
"""Ads between two steps: about half a millisecond either way; many short parts merge as fast as few long ones."""


def slots_of(snapshot: Snapshot, property_id: str) -> tuple[Slot, ...]:
    return tuple(slot for slot in snapshot.slots.values() if slot.property_id == property_id)


def fill_steps(index: PropertyIndex, snapshot: Snapshot, property_id: str) -> Iterator[None]:
    """*index* is whole when the steps are at their end; *snapshot* must not be led away from meanwhile."""
    sorted_parts: list[list[tuple[Order, str]]] = []
    for part in _parts(snapshot, property_id):
        ranks = [
            (order, ad.id)
            for ad in part
            for order in index.standing.orders(
                snapshot.campaigns[ad.campaign_id], ad, snapshot.rates.get(ad.id)
            )
        ]
        sorted_parts.append(sorted(ranks))
        yield
    waiting: list[Entry] = []
    for count, (order, ad_id) in enumerate(merge(*sorted_parts)):
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


def _parts(snapshot: Snapshot, property_id: str) -> Iterator[list[Ad]]:
    part: list[Ad] = []
    for campaign in snapshot.campaigns_by_property.get(property_id, ()):
        part += snapshot.ads_by_campaign.get(campaign.id, ())
        if len(part) >= _SORTED:
            yield part
            part = []
    yield part
