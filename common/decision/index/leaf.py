"""
Some thousand ads that are adjacent in rank order: a leaf of the index's B+-tree.

Each ad has a position, which is its bit in the bitmaps of its targeting.
"""

from array import array
from collections.abc import Collection, Iterator
from typing import Any

from common.decision.index.inverted_index import Masks, SlotMasks, clear_bit, set_bit, split
from common.decision.index.runs import Rank, Runs, positions_of
from common.decision.index.static_eligibility import IndexEntry
from common.decision.index.targeting_bitmaps import NEVER_MS, MatchKey, TargetingBitmaps
from common.decision.rules.candidate import Candidate, DropReason
from common.decision.rules.eligibility import (
    KINDS_FROM,
    OUT_OF_FLIGHT,
    UNFIT,
    WRONG_FORMAT,
    WRONG_SIZE,
    is_spent_by_event,
)
from common.decision.rules.kinds import DIMENSIONS, NUMBERS, OF_CLIENT, TARGETING_KINDS
from common.decision.rules.targeting import EVERYTHING, Targeting
from common.privacy.children import is_unfit_for_children

_MAX_MADE = 2_048
_GATES: tuple[tuple[DropReason, tuple[int, ...]], ...] = tuple(
    ((KINDS_FROM + place, kind.reason), numbers)
    for place, (kind, numbers) in enumerate(zip(TARGETING_KINDS, NUMBERS, strict=True))
)
"""The gate of each targeting kind, with its numbers of `DIMENSIONS`: none for dayparts."""
_OF_CLIENT = tuple(range(OF_CLIENT))
_OF_PAGE = tuple(range(OF_CLIENT, len(DIMENSIONS)))


class Leaf:
    __slots__ = (
        "_ads",
        "_budgeted",
        "_campaigns",
        "_candidates",
        "_closed",
        "_closed_since_ms",
        "_ends_ms",
        "_formats",
        "_sizes",
        "_slots",
        "_starts_ms",
        "_unfit",
        "runs",
        "until_ms",
    )

    def __init__(self, run: int) -> None:
        self.runs = Runs(run)
        self.until_ms = 0
        """The time until which flights and dayparts stay as they were when last evaluated."""
        self._slots: dict[str, SlotMasks] = {}
        self._starts_ms = array("q")
        self._ends_ms = array("q")
        self._closed = (0, 0)
        """Ads out of flight, and ads out of hours, from `_closed_since_ms` until `until_ms`."""
        self._closed_since_ms = NEVER_MS
        self._formats: Masks = {}
        self._sizes: Masks = {}
        self._unfit = 0
        self._budgeted = 0
        self._campaigns = TargetingBitmaps()
        self._ads: TargetingBitmaps | None = None
        self._candidates: dict[str, dict[str, Candidate]] = {}

    def __len__(self) -> int:
        return len(self.runs)

    def insert(self, entry: IndexEntry) -> int:
        """Returns the bit of its position; `target` inserts the campaign's targeting."""
        position = self.runs.insert((entry.order, entry.ad.id))
        bit = 1 << position
        self._set_flight(position, entry)
        self.set_slots(entry, bit, is_unfit=is_unfit_for_children(entry.ad))
        if is_spent_by_event(entry.campaign):
            self.spend(bit)
        if entry.ad_targeting is not EVERYTHING:
            self.target_ad(entry, bit)
        return bit

    def bulk_load(self, ranks: list[Rank], starts_ms: "array[int]", ends_ms: "array[int]") -> None:
        """
        Sets the positions of an empty leaf, in rank order, and their flights;
        `set_slots` and others set the rest.
        """
        self.runs.bulk_load(ranks)
        self._starts_ms, self._ends_ms = starts_ms, ends_ms

    def set_slots(self, entry: IndexEntry, bits: int, *, is_unfit: bool) -> None:
        """
        *bits*: the position of *entry*, and of other ads with the same slots, format, size and suitability for
        children.
        """
        for slot_id, drop in entry.slots:
            masks = self._slots.get(slot_id)
            if masks is None:
                masks = self._slots[slot_id] = SlotMasks()
            masks.insert(bits, drop)
        ad = entry.ad
        set_bit(self._formats, ad.format, bits)
        set_bit(self._sizes, (ad.width, ad.height), bits)
        if is_unfit:
            self._unfit |= bits

    def spend(self, bits: int) -> None:
        """*bits*: the positions of ads whose campaign has a budget that their events use up."""
        self._budgeted |= bits

    def target(self, targeting: Targeting, timezone: str, bits: int) -> None:
        """*bits*: the positions of a campaign's ads."""
        self._campaigns.insert(targeting, timezone, bits)

    def target_ad(self, entry: IndexEntry, bit: int) -> None:
        self._ads = self._ads or TargetingBitmaps()
        self._ads.insert(entry.ad_targeting, entry.campaign.timezone, bit)

    def layers(self) -> tuple[TargetingBitmaps, ...]:
        return (self._campaigns,) if self._ads is None else (self._campaigns, self._ads)

    def remove(self, entry: IndexEntry) -> None:
        """The inverse of `insert`; raises KeyError where the entry is not in this leaf."""
        position = self.runs.remove((entry.order, entry.ad.id))
        bit = 1 << position
        for slot_id, drop in entry.slots:
            self._slots[slot_id].remove(bit, drop)
        ad, zone = entry.ad, entry.campaign.timezone
        clear_bit(self._formats, ad.format, bit)
        clear_bit(self._sizes, (ad.width, ad.height), bit)
        self._unfit &= ~bit
        self._budgeted &= ~bit
        if entry.campaign_targeting is not EVERYTHING:
            self._campaigns.remove(entry.campaign_targeting, zone, bit)
        if entry.ad_targeting is not EVERYTHING and self._ads is not None:
            self._ads.remove(entry.ad_targeting, zone, bit)
        self._closed_since_ms = NEVER_MS

    def candidates(self, slot_id: str) -> dict[str, Candidate]:
        """
        Returns the cache of candidates by ad id, to which the caller may add; valid until the leaf changes.

        It is a dict, because a caller reads and adds thousands in one loop, and a change of the leaf clears it anyway.
        """
        made = self._candidates.setdefault(slot_id, {})
        if len(made) >= _MAX_MADE:
            made.clear()
        return made

    def clear_matches(self) -> None:
        """Clears the cached candidates: an ad of the block has changed."""
        self._candidates.clear()

    def ads_in(self, slot_id: str) -> list[tuple[int, str]]:
        """Returns bit and ad id of each position that belongs to the slot, whether or not static gates drop it."""
        masks = self._slots.get(slot_id)
        if masks is None:
            return []
        positions = masks.passing
        for dropped in masks.dropped.values():
            positions |= dropped
        return [(1 << at, self.runs.ad_id(at)) for at in positions_of(positions)]

    def masks_in(self, slot_id: str) -> SlotMasks:
        """Returns a copy of the slot's masks."""
        masks = self._slots.get(slot_id)
        return SlotMasks() if masks is None else masks.copy()

    def set_slot(self, slot_id: str, masks: SlotMasks) -> None:
        """Replaces the slot's masks."""
        self._slots[slot_id] = masks

    def split(self) -> "Leaf":
        """
        Takes the worse half out and returns it as a new block.
        Positions stay the same, and nothing is inserted again.
        """
        runs, leaving = self.runs.split()
        went = Leaf(0)
        went.runs = runs
        went._starts_ms, went._ends_ms = self._starts_ms[:], self._ends_ms[:]
        for slot_id, masks in self._slots.items():
            theirs = went._slots[slot_id] = SlotMasks()
            theirs.passing = masks.passing & leaving
            masks.passing &= ~leaving
            theirs.dropped = split(masks.dropped, leaving)
        went._formats, went._sizes = split(self._formats, leaving), split(self._sizes, leaving)
        went._unfit = self._unfit & leaving
        self._unfit &= ~leaving
        went._budgeted = self._budgeted & leaving
        self._budgeted &= ~leaving
        went._campaigns = self._campaigns.split(leaving)
        went._ads = None if self._ads is None else self._ads.split(leaving)
        self._closed_since_ms = NEVER_MS
        return went

    def match(self, match_key: MatchKey, now_ms: int) -> tuple[int, DropReason | None, int]:
        """
        Returns the matching ads of the slot, the drop reason of the ad that came furthest without matching, and the
        time until which this holds if the block does not change.
        """
        masks = self._slots.get(match_key.slot_id)
        if masks is None:
            return 0, None, NEVER_MS
        furthest: DropReason | None = max(masks.dropped, default=None)
        fits = masks.passing
        if match_key.without_budgets:
            fits &= ~self._budgeted
        if not fits:
            return 0, furthest, NEVER_MS
        for drop, missed in self._missed(match_key, now_ms):
            rest = fits & ~missed
            if rest != fits:
                furthest = drop
                fits = rest
                if not fits:
                    break
        return fits, furthest, self.until_ms

    def open_in(self, slot_id: str, now_ms: int) -> int:
        """Returns the ads that pass the slot's static gates, and are in flight and in hours, until `until_ms`."""
        if not self._closed_since_ms <= now_ms < self.until_ms:
            self._refresh_schedule(now_ms)
        masks = self._slots.get(slot_id)
        return 0 if masks is None else masks.passing & ~(self._closed[0] | self._closed[1])

    def missed_on_page(self, match_key: MatchKey) -> int:
        """Returns the ads dropped by the gates that depend on the page and not on the client."""
        missed = 0 if match_key.format is None else ~self._formats.get(match_key.format, 0)
        for size in match_key.too_large:
            missed |= self._sizes.get(size, 0)
        if match_key.child_directed:
            missed |= self._unfit
        return missed | self._missed_in(_OF_PAGE, match_key.client.values + match_key.page)

    def missed_by_visitor(self, match_key: MatchKey) -> int:
        """Returns the ads dropped by the gates that depend on the client and not on the page."""
        return self._missed_in(_OF_CLIENT, match_key.client.values + match_key.page)

    def _missed(self, match_key: MatchKey, now_ms: int) -> Iterator[tuple[DropReason, int]]:
        """Yields each gate's reason with the ads that it drops, in the order of the gates."""
        if not self._closed_since_ms <= now_ms < self.until_ms:
            self._refresh_schedule(now_ms)
        out_of_flight, out_of_hours = self._closed
        if out_of_flight:
            yield OUT_OF_FLIGHT, out_of_flight
        if match_key.format is not None:
            yield WRONG_FORMAT, ~self._formats.get(match_key.format, 0)
        for size in match_key.too_large:
            if size in self._sizes:
                yield WRONG_SIZE, self._sizes[size]
        if match_key.child_directed:
            yield UNFIT, self._unfit
        values = match_key.client.values + match_key.page
        for drop, numbers in _GATES:
            missed = self._missed_in(numbers, values) if numbers else out_of_hours
            if missed:
                yield drop, missed

    def _missed_in(self, numbers: tuple[int, ...], values: tuple[Collection[Any], ...]) -> int:
        """*numbers*: of `DIMENSIONS`. *values*: the opportunity's, by number."""
        ours, missed = self._campaigns.dimensions, 0
        for number in numbers:
            missed |= ours[number].missed(values[number])
        if self._ads is not None:
            theirs = self._ads.dimensions
            for number in numbers:
                missed |= theirs[number].missed(values[number])
        return missed

    def _refresh_schedule(self, now_ms: int) -> None:
        out_of_flight, until_ms = 0, NEVER_MS
        flights = zip(self._starts_ms, self._ends_ms, strict=True)
        for position, (start_ms, end_ms) in enumerate(flights):
            if now_ms < start_ms:
                out_of_flight |= 1 << position
                until_ms = min(until_ms, start_ms)
            elif now_ms >= end_ms:
                out_of_flight |= 1 << position
            elif end_ms < until_ms:
                until_ms = end_ms
        out_of_hours, hours_until_ms = self._campaigns.closed(now_ms)
        until_ms = min(until_ms, hours_until_ms)
        if self._ads is not None:
            ads_closed, ads_until_ms = self._ads.closed(now_ms)
            out_of_hours |= ads_closed
            until_ms = min(until_ms, ads_until_ms)
        self._closed = (out_of_flight, out_of_hours)
        self._closed_since_ms, self.until_ms = now_ms, until_ms

    def _set_flight(self, position: int, entry: IndexEntry) -> None:
        start_ms, end_ms = entry.campaign.start_at_ms, entry.campaign.end_at_ms
        while len(self._starts_ms) <= position:
            self._starts_ms.append(0)
            self._ends_ms.append(0)
        self._starts_ms[position] = -NEVER_MS if start_ms is None else start_ms
        self._ends_ms[position] = NEVER_MS if end_ms is None else end_ms
        self._closed_since_ms = NEVER_MS
