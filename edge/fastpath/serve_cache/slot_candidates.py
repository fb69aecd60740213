"""The prepared ads of one slot in one block of the index, for requests of one surface and consent."""

from typing import Final, final

from common.decision.index import Candidate, PropertyIndex, SignalKey, SlotLeafView
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.tie_group import TieGroup
from common.http.answer import StaticHeaders
from common.snapshot.snapshot import Snapshot
from common.values.generation_cache import GenerationCache
from edge.context import EdgeContext
from edge.fastpath.serve_cache.native_cache import NativeSlotSegment
from edge.fastpath.serve_cache.prepared_ad import FALL_BACK, FILL, PreparedAd

_MAX_RANKED: Final = 2048
_MAX_CLIENTS: Final = 8192
_MAX_ADS: Final = 2048


@final
class _RankedGroups:
    """Tie groups of eligible ads, best first. ``complete``: the block has no other eligible ads."""

    def __init__(self, groups: list[TieGroup], *, complete: bool) -> None:
        self.groups = groups
        self.complete = complete
        for group in groups:
            if len(group.candidates) > 1:
                group.in_turn(0)  # builds what `find_first` needs
        self.single_campaign: list[bool] = [_is_single_campaign(group) for group in groups]
        """For each group: whether all its ads are of one campaign, so that one gate drops them all."""


def _is_single_campaign(group: TieGroup) -> bool:
    return len({candidate.campaign.id for candidate in group.candidates}) == 1


def _waits(candidate: Candidate, available_micros: Lookup) -> bool:
    """Whether the available budget is still unknown: until then the ad is not prepared."""
    campaign = candidate.campaign
    return is_spent_by_event(campaign) and available_micros.get(campaign.id, 0) < 0


@final
class SlotCandidates:
    """
    The ads of one slot in one block.

    *opportunity*: any one with this slot, surface and consent. *number*: the block's.
    """

    def __init__(
        self,
        edge: EdgeContext,
        static_headers: StaticHeaders,
        index: PropertyIndex,
        opportunity: Opportunity,
        now_ms: int,
        *,
        number: int,
    ) -> None:
        self.exhausted = False
        """After `pick_ad` returned None: no ad of the block can be shown, so the next block is tried."""
        self.is_over = False
        """The slot or the index was replaced, or the segment was dropped from the cache."""
        self._generation = edge.snapshots.generation
        self._edge = edge
        self._static_headers = static_headers
        self._opportunity = opportunity
        self._leaf_view = SlotLeafView(index, opportunity.slot.id, now_ms, number)
        self._ranked = GenerationCache(_MAX_RANKED)
        self._clients = GenerationCache(_MAX_CLIENTS)
        self._ads: dict[str, PreparedAd] = {}
        self._numbers: dict[object, int] = {}
        self.words: int = max(1, -(-self._leaf_view.standing.bit_length() // 64))
        self.native = NativeSlotSegment(self.words, *self._leaf_view.bounds)
        """Its counterpart in the native cache."""
        self.native.generation = self._generation

    def holds(self, snapshot: Snapshot, now_ms: int) -> bool:
        if self.is_over or not self._leaf_view.holds(now_ms):
            return False
        generation = self._edge.snapshots.generation
        if self._generation != generation:
            slot = self._opportunity.slot
            self.is_over = snapshot.slots.get(slot.id) is not slot
            self._generation = generation
            if self.is_over:
                self.native.end()
            else:
                self.native.generation = generation
        return not self.is_over

    def end(self) -> None:
        """Invalidates the segment for everything that still refers to it."""
        self.is_over = True
        self.native.end()

    def feed_native(self, snapshot: Snapshot, available_micros: Lookup) -> bool:
        """
        Inserts into the native segment what its last lookup lacked; False where nothing could be inserted.

        *snapshot*: one in which the segment `holds`.
        """
        number, position = self.native.missing_run, self.native.missing_position
        if number >= 0:
            run, is_last = self._leaf_view.run(number)
            run_positions = [(position, self._number(rank[0])) for rank, position in run]
            self.native.put_run(number, run_positions, is_last, run[-1][0][0] if run else None)
        elif position >= 0:
            candidate = self._leaf_view.candidate_at(position, snapshot)
            ad = self._ready(candidate, snapshot, available_micros)
            if ad is None:
                return False
            self.native.put_ad(
                position,
                ad.native,
                self._number(candidate.campaign.id),
                candidate.ad.weight,
                candidate.objective_ppb,
            )
        return number >= 0 or position >= 0

    def bits(self, mask: int) -> bytes:
        """*mask* in the byte order of the native cache."""
        return mask.to_bytes(self.words * 8, "little")

    def is_of(self, index: PropertyIndex) -> bool:
        return self._leaf_view.is_of(index)

    def mask_for_page(self, index: PropertyIndex, opportunity: Opportunity) -> int:
        return self._leaf_view.mask_for_page(index.known.project(opportunity))

    def find_mask(self, client: object) -> int | None:
        """*client*: a key for the targeted properties of a client."""
        found: int | None = self._clients.get(client)
        return found

    def put_mask(self, index: PropertyIndex, client: object, opportunity: Opportunity) -> int:
        """*opportunity*: one of such a client."""
        traits: SignalKey = index.known.project(opportunity).traits
        mask = self._leaf_view.mask_for_client(traits)
        self._clients.put(client, mask)
        return mask

    def pick_ad(
        self,
        eligible: int,
        snapshot: Snapshot,
        available_micros: Lookup,
        pass_rates: Lookup,
        seed: int,
    ) -> PreparedAd | None:
        """
        Returns the ad that `common.decision.decide` would choose.

        None where this block cannot decide it; with ``exhausted``, the next block may.
        """
        self.exhausted = False
        ranked: _RankedGroups | None = self._ranked.get(eligible)
        if ranked is None:
            groups, complete = self._leaf_view.groups(eligible, snapshot)
            ranked = _RankedGroups(groups, complete=complete)
            self._ranked.put(eligible, ranked)
        for group, is_single_campaign in zip(ranked.groups, ranked.single_campaign, strict=True):
            candidate = group.find_first(seed)
            ad = None if candidate is None else self._ready(candidate, snapshot, available_micros)
            if ad is None:
                return None
            outcome = ad.outcome(available_micros, pass_rates, seed)
            if outcome == FILL:
                return ad
            if outcome == FALL_BACK or not is_single_campaign:
                return None
        self.exhausted = ranked.complete
        return None

    def _number(self, of: object) -> int:
        return self._numbers.setdefault(of, len(self._numbers))

    def _ready(
        self, candidate: Candidate, snapshot: Snapshot, available_micros: Lookup
    ) -> PreparedAd | None:
        """Returns None while the available budget is unknown."""
        ad = self._ads.get(candidate.ad.id)
        if ad is None:
            if _waits(candidate, available_micros):
                return None
            ad = PreparedAd(
                self._edge, self._static_headers, snapshot, candidate, self._opportunity
            )
            if len(self._ads) >= _MAX_ADS:
                self._ads.clear()
            self._ads[candidate.ad.id] = ad
        if ad.generation != self._generation:
            ad.rebase(snapshot)
        return ad
