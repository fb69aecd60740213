"""The ads of one property in rank order, in blocks; deltas change it in place."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from common.decision.index.inverted_index import SlotMasks
from common.decision.index.leaf import Leaf
from common.decision.index.leaf_builder import LeafBuilder
from common.decision.index.runs import RUN, Rank
from common.decision.index.static_eligibility import IndexEntry, StaticEligibility
from common.decision.index.targeted_values import TargetedValues
from common.decision.rules.candidate import Order
from common.decision.rules.gates import Ranking
from common.decision.rules.targeting import EVERYTHING
from common.snapshot.model import Ad, Campaign, Slot
from common.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class TreeParams:
    """
    Entries at which a block is split, entries of the first block as it is filled, entries of a run
    (`common.decision.index.runs`), and what a cache generation holds: kinds of opportunity, and candidates in all of
    them together.
    """

    leaf: int = 2048
    first: int = 1024
    run: int = RUN
    remembered: int = 4_096
    candidates: int = 100_000

    def fill(self, number: int) -> int:
        """
        Returns the entries of that block in an index filled in rank order. Nearly every request reads the first block,
        and few go past it. It is small, so that its bitmaps stay in the processor's cache. The others leave room for
        later inserts.
        """
        most = max(1, self.leaf * 3 // 4)
        return most if number else min(self.first, most)


TREE_PARAMS = TreeParams()


class PropertyIndex:
    """``versions``: one for each block, replaced after every change of it; no version is used twice."""

    def __init__(
        self, slots: tuple[Slot, ...], ranking: Ranking, params: TreeParams = TREE_PARAMS
    ) -> None:
        self._params = params
        self.slots = {slot.id: slot for slot in slots}
        self.leaves: list[Leaf] = []
        self.starts: list[Rank] = []
        """No entry of a block ranks before its start."""
        self.versions: list[int] = []
        self.account_ids: set[str] = set()
        """Accounts whose campaigns are or were in this index."""
        self.targeted = TargetedValues()
        self.eligibility = StaticEligibility(slots, ranking)
        self._changes = 0
        self._orders: dict[Order, Order] = {}
        """One object for each order: many entries share most of them."""

    def add(self, snapshot: Snapshot, campaign: Campaign, ad: Ad) -> None:
        """Adds *ad* as it is in *snapshot*. Takes some 20 µs."""
        for entry in self.eligibility.entries(snapshot, campaign, ad):
            self._put(entry)

    def remove(self, snapshot: Snapshot, campaign: Campaign, ad: Ad) -> None:
        """*snapshot*: the one that *ad* was added from, or an equal one."""
        for entry in self.eligibility.entries(snapshot, campaign, ad):
            number = max(0, self._number_of((entry.order, entry.ad.id)))
            self.leaves[number].remove(entry)
            self._touch(number)
            if not self.leaves[number] and len(self.leaves) > 1:
                del self.leaves[number], self.starts[number], self.versions[number]

    @property
    def block_fill(self) -> int:
        """Entries for the block that is appended next."""
        return self._params.fill(len(self.leaves))

    def new_builder(self) -> LeafBuilder:
        return LeafBuilder(self._params.run)

    def append(self, builder: LeafBuilder) -> Iterator[None]:
        """Appends a block in steps. Its entries, at least one, rank after everything in the index."""
        yield from builder.close(self.targeted)
        self.account_ids.update([one.campaign.account_id for one in builder.campaigns.values()])
        self.leaves.append(builder.leaf)
        self.starts.append(builder.ranks[0])
        self.versions.append(0)
        self._touch(len(self.leaves) - 1)

    def shared_order(self, order: Order) -> Order:
        return self._orders.setdefault(order, order)

    def replace_slot(self, slot: Slot, masks: list[SlotMasks]) -> None:
        """Replaces the slot with the same id by *slot*, whose gates differ; *masks*: its masks, block by block."""
        self.slots[slot.id] = slot
        self.eligibility = self.eligibility.with_slot(slot)
        for number, (leaf, its) in enumerate(zip(self.leaves, masks, strict=True)):
            leaf.set_slot(slot.id, its)
            self._touch(number)

    def _put(self, entry: IndexEntry) -> None:
        entry.order = self.shared_order(entry.order)
        rank = (entry.order, entry.ad.id)
        number = self._number_of(rank)
        if number < 0:
            number = self._open_block(rank)
        leaf = self.leaves[number]
        bit = leaf.insert(entry)
        self._learn(entry)
        if entry.campaign_targeting is not EVERYTHING:
            leaf.target(entry.campaign_targeting, entry.campaign.timezone, bit)
            self.targeted.add(entry.campaign_targeting)
        self._touch(number)
        if len(leaf) >= self._params.leaf and len(leaf.runs.masks) > 1:
            self._part(number)

    def _learn(self, entry: IndexEntry) -> None:
        self.account_ids.add(entry.campaign.account_id)
        self.targeted.add_size(entry.ad)
        if entry.ad_targeting is not EVERYTHING:
            self.targeted.add(entry.ad_targeting)

    def _number_of(self, rank: Rank) -> int:
        """Returns the block to which *rank* belongs; -1 where there is none yet."""
        number = bisect_right(self.starts, rank) - 1
        if number < 0 and self.leaves:
            self.starts[0] = rank
            return 0
        return number

    def _open_block(self, rank: Rank) -> int:
        """Opens the first block."""
        self.leaves.append(Leaf(self._params.run))
        self.starts.append(rank)
        self.versions.append(0)
        return len(self.leaves) - 1

    def _part(self, number: int) -> None:
        worse = self.leaves[number].split()
        self.leaves.insert(number + 1, worse)
        self.starts.insert(number + 1, worse.runs.starts[0])
        self.versions.insert(number + 1, 0)
        self._touch(number)
        self._touch(number + 1)

    def _touch(self, number: int) -> None:
        self._changes += 1
        self.versions[number] = self._changes
        self.leaves[number].clear_matches()
