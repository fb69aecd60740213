"""A block in the making, filled in rank order: what many ads have in common is put into its bitmaps once for all."""

from array import array
from collections.abc import Iterator
from typing import final

from common.decision.index.leaf import Leaf
from common.decision.index.runs import Rank
from common.decision.index.static_eligibility import IndexEntry
from common.decision.index.targeted_values import TargetedValues
from common.decision.index.targeting_bitmaps import NEVER_MS
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.targeting import EVERYTHING, Targeting
from common.privacy.children import is_unfit_for_children
from common.snapshot.model import Campaign

_AIMED = 20
"""Campaigns between two steps: some tenths of a millisecond."""


@final
class SameSlotAds:
    """Positions of ads that stand in the same slots and have the same face; ``entry``: of one of them."""

    def __init__(self, entry: IndexEntry, *, is_unfit: bool) -> None:
        self.entry = entry
        self.is_unfit = is_unfit
        self.bits: int = 0


@final
class SameCampaignAds:
    """A campaign, and the positions of its ads."""

    def __init__(self, campaign: Campaign, targeting: Targeting) -> None:
        self.campaign = campaign
        self.targeting = targeting
        self.bits: int = 0


@final
class LeafBuilder:
    """`insert` in rank order, then all of `close`: then ``leaf`` is whole."""

    def __init__(self, run: int) -> None:
        self.leaf = Leaf(run)
        self.aimed: dict[str, SameCampaignAds] = {}
        """By campaign id, those met so far."""
        self.ranks: list[Rank] = []
        self._starts_ms = array("q")
        self._ends_ms = array("q")
        self._alike: dict[object, SameSlotAds] = {}

    def insert(self, entry: IndexEntry, aimed: SameCampaignAds) -> None:
        """*aimed*: of the entry's campaign, kept in ``aimed``."""
        ad, campaign = entry.ad, entry.campaign
        bit = 1 << len(self.ranks)
        self.ranks.append((entry.order, ad.id))
        start_ms, end_ms = campaign.start_at_ms, campaign.end_at_ms
        self._starts_ms.append(-NEVER_MS if start_ms is None else start_ms)
        self._ends_ms.append(NEVER_MS if end_ms is None else end_ms)
        aimed.bits |= bit
        is_unfit = bool(ad.categories) and is_unfit_for_children(ad)
        # By identity: to hash a member of an enumeration takes longer than all the rest.
        face = (id(entry.slots), id(ad.format), ad.width, ad.height, is_unfit)
        alike = self._alike.get(face)
        if alike is None:
            alike = self._alike[face] = SameSlotAds(entry, is_unfit=is_unfit)
        alike.bits |= bit
        if entry.ad_targeting is not EVERYTHING:
            self.leaf.target_ad(entry, bit)

    def close(self, known: TargetedValues) -> Iterator[None]:
        """In steps. *known* learns what is targeted in the block."""
        self.leaf.bulk_load(self.ranks, self._starts_ms, self._ends_ms)
        for alike in self._alike.values():
            self.leaf.set_slots(alike.entry, alike.bits, is_unfit=alike.is_unfit)
            known.add_size(alike.entry.ad)
        yield
        for count, aimed in enumerate(self.aimed.values()):
            if aimed.targeting is not EVERYTHING:
                self.leaf.target(aimed.targeting, aimed.campaign.timezone, aimed.bits)
            if is_spent_by_event(aimed.campaign):
                self.leaf.spend(aimed.bits)
            if count % _AIMED == 0:
                yield
        for layer in self.leaf.layers():
            known.add_layer(layer)
        yield
