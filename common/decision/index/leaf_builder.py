"""Builds a block in rank order: properties that many ads share are inserted into its bitmaps once for all of them."""

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

_CAMPAIGNS_A_STEP = 20
"""Campaigns between two steps: some tenths of a millisecond."""


@final
class SameSlotAds:
    """Positions of ads with the same slots, format, size and suitability for children; ``entry``: one of these ads."""

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
    """Call `insert` in rank order, then run all of `close`: then ``leaf`` is complete."""

    def __init__(self, run: int) -> None:
        self.leaf = Leaf(run)
        self.campaigns: dict[str, SameCampaignAds] = {}
        """Campaigns so far, by id."""
        self.ranks: list[Rank] = []
        self._starts_ms = array("q")
        self._ends_ms = array("q")
        self._groups: dict[object, SameSlotAds] = {}

    def insert(self, entry: IndexEntry, campaign_ads: SameCampaignAds) -> None:
        """*campaign_ads*: the entry of ``campaigns`` for the entry's campaign."""
        ad, campaign = entry.ad, entry.campaign
        bit = 1 << len(self.ranks)
        self.ranks.append((entry.order, ad.id))
        start_ms, end_ms = campaign.start_at_ms, campaign.end_at_ms
        self._starts_ms.append(-NEVER_MS if start_ms is None else start_ms)
        self._ends_ms.append(NEVER_MS if end_ms is None else end_ms)
        campaign_ads.bits |= bit
        is_unfit = bool(ad.categories) and is_unfit_for_children(ad)
        # By identity: hashing an enum member takes longer than all the rest.
        signature = (id(entry.slots), id(ad.format), ad.width, ad.height, is_unfit)
        group = self._groups.get(signature)
        if group is None:
            group = self._groups[signature] = SameSlotAds(entry, is_unfit=is_unfit)
        group.bits |= bit
        if entry.ad_targeting is not EVERYTHING:
            self.leaf.target_ad(entry, bit)

    def close(self, targeted: TargetedValues) -> Iterator[None]:
        """Runs in steps. It adds the block's targeted values to *targeted*."""
        self.leaf.bulk_load(self.ranks, self._starts_ms, self._ends_ms)
        for group in self._groups.values():
            self.leaf.set_slots(group.entry, group.bits, is_unfit=group.is_unfit)
            targeted.add_size(group.entry.ad)
        yield
        for count, campaign_ads in enumerate(self.campaigns.values()):
            if campaign_ads.targeting is not EVERYTHING:
                self.leaf.target(
                    campaign_ads.targeting, campaign_ads.campaign.timezone, campaign_ads.bits
                )
            if is_spent_by_event(campaign_ads.campaign):
                self.leaf.spend(campaign_ads.bits)
            if count % _CAMPAIGNS_A_STEP == 0:
                yield
        for layer in self.leaf.layers():
            targeted.add_layer(layer)
        yield
