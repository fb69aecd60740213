"""The indexes of a snapshot's properties: attached to the snapshot and updated by its deltas."""

from collections.abc import Iterator
from dataclasses import dataclass

from common.decision.index.bulk_load import fill_steps, slots_of
from common.decision.index.delta_impact import (
    ads_of,
    blocks_of,
    gates_of,
    kept_slots,
    properties_of,
    slots_of_change,
)
from common.decision.index.inverted_index import SlotMasks
from common.decision.index.match_cache import CachedMatch, Matches
from common.decision.index.property_index import TREE_PARAMS, PropertyIndex, TreeParams
from common.decision.index.targeting_bitmaps import MatchKey
from common.decision.rules.gates import Ranking
from common.decision.rules.opportunity import Opportunity
from common.snapshot.derived_cache import Change
from common.snapshot.model import ObjectType, Slot
from common.snapshot.snapshot import Snapshot
from common.values.generation_cache import GenerationCache

_KEYS = {ranking: f"decision indexes, {ranking}" for ranking in Ranking}


def match(
    snapshot: Snapshot,
    opportunity: Opportunity,
    now_ms: int,
    ranking: Ranking = Ranking.GREEDY,
    *,
    without_budgets: bool = False,
) -> Matches:
    """
    Costs one cache look-up for a kind of opportunity seen before, else some bitmaps of the best blocks.
    *without_budgets*: only candidates that need no budget.

    Where *snapshot* was never prepared, or a delta was applied to it, its property's index is built first.
    """
    indexes = indexes_of(snapshot, ranking)
    slot = opportunity.slot
    index = indexes.find(slot.property_id)
    if index is None:
        index = indexes.build(snapshot, slot.property_id)
    if index.slots.get(slot.id) is not slot and index.slots.get(slot.id) != slot:
        index = _foreign_index(snapshot, slot, ranking)
        match_key = _match_key(index, opportunity, without_budgets=without_budgets)
        return Matches(index, CachedMatch(match_key, now_ms), snapshot, now_ms)
    match_key = _match_key(index, opportunity, without_budgets=without_budgets)
    return Matches(index, indexes.match(index, match_key, now_ms), snapshot, now_ms)


def _match_key(
    index: PropertyIndex, opportunity: Opportunity, *, without_budgets: bool
) -> MatchKey:
    match_key = index.targeted.project(opportunity)
    return match_key._replace(without_budgets=True) if without_budgets else match_key


def _foreign_index(snapshot: Snapshot, slot: Slot, ranking: Ranking) -> PropertyIndex:
    """Returns an index for a slot that is not in the snapshot; it is not cached."""
    index = PropertyIndex((slot,), ranking)
    for _ in fill_steps(index, snapshot, slot.property_id):
        pass
    return index


def indexes_of(
    snapshot: Snapshot, ranking: Ranking = Ranking.GREEDY, params: TreeParams = TREE_PARAMS
) -> "Indexes":
    """*params*: parameters for the indexes that are created where *snapshot* has none yet."""
    key = _KEYS[ranking]
    indexes = snapshot.derived.find_listener(key)
    if not isinstance(indexes, Indexes):
        indexes = Indexes(ranking, params)
        snapshot.derived.attach(key, indexes)
    return indexes


@dataclass(frozen=True, slots=True)
class SlotRescan:
    """An index that moves here from *owner* once the static gates of *slots* were evaluated again."""

    owner: "Indexes"
    index: PropertyIndex
    slots: tuple[Slot, ...]


@dataclass(slots=True)
class SearchCounts:
    """Searches of uncached kinds of opportunity, and properties indexed, since the last full state."""

    searches: int = 0
    builds: int = 0


def search_counts(snapshot: Snapshot, ranking: Ranking = Ranking.GREEDY) -> SearchCounts:
    return indexes_of(snapshot, ranking).counts


def owned_parts(snapshot: Snapshot) -> list[object]:
    """
    Returns the large parts of its indexes: a caller that holds them may drop the snapshot first, and then them one by
    one.
    """
    found = [snapshot.derived.find_listener(key) for key in _KEYS.values()]
    return [part for one in found if isinstance(one, Indexes) for part in one.owned_parts()]


class Indexes:
    """Follows its snapshot: a delta changes the entries that it names, or causes a property's index to be rebuilt."""

    def __init__(self, ranking: Ranking, params: TreeParams) -> None:
        self.counts = SearchCounts()
        self._ranking = ranking
        self._params = params
        self._properties: dict[str, PropertyIndex] = {}
        self._rescans: dict[str, SlotRescan] = {}
        self._matches = GenerationCache(
            params.remembered, max_weight=params.candidates, weigh=_candidates_of
        )
        """By `MatchKey`. A match grows as it is read; it may have thousands of candidates."""

    def find(self, property_id: str) -> PropertyIndex | None:
        return self._properties.get(property_id)

    def put(self, property_id: str, index: PropertyIndex) -> None:
        self._properties[property_id] = index
        self._rescans.pop(property_id, None)

    def new_index(self, slots: tuple[Slot, ...]) -> PropertyIndex:
        self.counts.builds += 1
        return PropertyIndex(slots, self._ranking, self._params)

    def build(self, snapshot: Snapshot, property_id: str) -> PropertyIndex:
        """Builds in one go, which takes seconds for 100 000 campaigns; `build_steps` does it in slices."""
        index = self.new_index(slots_of(snapshot, property_id))
        for _ in fill_steps(index, snapshot, property_id):
            pass
        self.put(property_id, index)
        return index

    def match(self, index: PropertyIndex, match_key: MatchKey, now_ms: int) -> CachedMatch:
        found: CachedMatch | None = self._matches.get(match_key)
        if found is None or not found.holds(index, now_ms):
            self.counts.searches += 1
            found = CachedMatch(match_key, now_ms)
            self._matches.put(match_key, found)
        return found

    def apply_delta(self, change: Change) -> "Indexes":
        self._rescans.clear()
        ads, rebuilt, changed = ads_of(change), self._rebuilt(change), slots_of_change(change)
        if rebuilt or any(gates_of(was) != gates_of(is_now) for was, is_now in changed):
            touched = rebuilt | properties_of(change.before, ads)
            touched |= properties_of(change.after, ads)
            return self._successor(touched, kept_slots(changed))
        for ad_id in sorted(ads):
            self._move(change, ad_id)
        for kind, object_id in change.objects:
            if kind is ObjectType.SLOT:
                self._take_slot(change.after.slots.get(object_id))
        return self

    @property
    def rescans(self) -> dict[str, SlotRescan]:
        """By property id: the slots to evaluate again in indexes that this object takes over."""
        return dict(self._rescans)

    def take_over(self, property_id: str, rescanned: dict[str, list[SlotMasks]]) -> None:
        """*rescanned*: masks by slot id, for a property in `rescans`. The previous owner no longer has the index."""
        rescan = self._rescans[property_id]
        for slot in rescan.slots:
            rescan.index.replace_slot(slot, rescanned[slot.id])
        rescan.owner.drop(property_id)
        self.put(property_id, rescan.index)

    def drop(self, property_id: str) -> None:
        self._properties.pop(property_id, None)

    def owned_parts(self) -> Iterator[object]:
        for index in self._properties.values():
            yield from index.leaves
        yield from self._matches.values()

    def _successor(self, touched: set[str], rescanned: dict[str, list[Slot]]) -> "Indexes":
        """
        Returns a successor with the indexes that are not *touched*. An index of a property in *rescanned* moves with
        `take_over`.
        """
        successor = Indexes(self._ranking, self._params)
        successor.counts = self.counts
        for name, index in self._properties.items():
            if name in touched:
                continue
            if name in rescanned:
                successor._rescans[name] = SlotRescan(self, index, tuple(rescanned[name]))
            else:
                successor._properties[name] = index
        return successor

    def _rebuilt(self, change: Change) -> set[str]:
        """Returns the indexed properties whose gates change in other ways."""
        found: set[str] = set()
        for was, is_now in slots_of_change(change):
            if was is None or is_now is None or was.property_id != is_now.property_id:
                found.update(slot.property_id for slot in (was, is_now) if slot)
        for kind, object_id in change.objects:
            if kind is ObjectType.PROPERTY:
                properties = change.before.properties, change.after.properties
                if blocks_of(properties[0].get(object_id)) != blocks_of(
                    properties[1].get(object_id)
                ):
                    found.add(object_id)
            elif kind is ObjectType.ACCOUNT:
                accounts = change.before.accounts, change.after.accounts
                if accounts[0].get(object_id) != accounts[1].get(object_id):
                    found |= self._properties_with(object_id)
        return found & self._properties.keys()

    def _move(self, change: Change, ad_id: str) -> None:
        for snapshot, is_before in ((change.before, True), (change.after, False)):
            ad = snapshot.ads.get(ad_id)
            campaign = None if ad is None else snapshot.campaigns.get(ad.campaign_id)
            if ad is None or campaign is None:
                continue
            for property_id in campaign.property_ids:
                index = self._properties.get(property_id)
                if index is not None and is_before:
                    index.remove(snapshot, campaign, ad)
                elif index is not None:
                    index.add(snapshot, campaign, ad)

    def _take_slot(self, slot: Slot | None) -> None:
        """Replaces a slot that changed in no field that a gate uses."""
        index = None if slot is None else self._properties.get(slot.property_id)
        if slot is not None and index is not None:
            index.slots[slot.id] = slot

    def _properties_with(self, account_id: str) -> set[str]:
        return {name for name, index in self._properties.items() if account_id in index.account_ids}


def _candidates_of(match: CachedMatch) -> int:
    return match.candidates
