"""The prepared ads of one slot in one block of the index, for requests of one surface and consent."""

from typing import Final, final

from common.decision.index import Candidate, PropertyIndex, SlotLeafView
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.http.answer import StaticHeaders
from common.snapshot.snapshot import Snapshot
from edge.context import EdgeContext
from edge.fastpath.serve_cache.native_cache import NativeSlotSegment
from edge.fastpath.serve_cache.prepared_ad import PreparedAd

_MAX_ADS: Final = 2048


@final
class SlotCandidates:
    """
    The ads of one slot in one block, and their counterpart in the native cache.

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
        self.is_over = False
        """The slot or the index was replaced, or the segment was dropped from the cache."""
        self._generation = edge.snapshots.generation
        self._edge = edge
        self._static_headers = static_headers
        self._opportunity = opportunity
        self._leaf_view = SlotLeafView(index, opportunity.slot.id, now_ms, number)
        self._ads: dict[str, PreparedAd] = {}
        self._numbers: dict[object, int] = {}
        self._words: int = max(1, -(-self._leaf_view.eligible.bit_length() // 64))
        self.native = NativeSlotSegment(self._words, *self._leaf_view.bounds)
        """Its counterpart in the native cache."""
        self.native.generation = self._generation

    def holds(self, snapshot: Snapshot, now_ms: int) -> bool:
        """Whether the segment is valid. With the same slot in *snapshot* it takes that snapshot's generation."""
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

    def insert_missing(self, snapshot: Snapshot, available_micros: Lookup) -> bool:
        """
        Inserts into the native segment what its last lookup lacked; False where nothing could be inserted.

        *snapshot*: one in which the segment `holds`.
        """
        native = self.native
        number, position = native.missing_run, native.missing_position
        if number >= 0:
            run, is_last = self._leaf_view.run(number)
            run_positions = [(at, self._number(rank[0])) for rank, at in run]
            native.put_run(number, run_positions, is_last, run[-1][0][0] if run else None)
            return True
        if position < 0:
            return False
        candidate = self._leaf_view.candidate_at(position, snapshot)
        ad = self._find_ad(candidate, snapshot, available_micros)
        if ad is None:
            return False
        native.put_ad(
            position,
            ad.native,
            self._number(candidate.campaign.id),
            candidate.ad.weight,
            candidate.objective_ppb,
        )
        return True

    def is_of(self, index: PropertyIndex) -> bool:
        return self._leaf_view.is_of(index)

    def mask_for_page(self, index: PropertyIndex, opportunity: Opportunity) -> bytes:
        """The ads that the page of *opportunity* allows, in the byte order of the native cache."""
        return self._bits(self._leaf_view.mask_for_page(index.targeted.project(opportunity)))

    def mask_for_client(self, index: PropertyIndex, opportunity: Opportunity) -> bytes:
        """The ads that the client of *opportunity* allows, in the byte order of the native cache."""
        return self._bits(self._leaf_view.mask_for_client(index.targeted.project(opportunity)))

    def _bits(self, mask: int) -> bytes:
        return mask.to_bytes(self._words * 8, "little")

    def _number(self, of: object) -> int:
        return self._numbers.setdefault(of, len(self._numbers))

    def _find_ad(
        self, candidate: Candidate, snapshot: Snapshot, available_micros: Lookup
    ) -> PreparedAd | None:
        """Returns None for an ad of a campaign whose budget is unknown: it is prepared when its lease is there."""
        ad = self._ads.get(candidate.ad.id)
        if ad is None:
            if _is_budget_unknown(candidate, available_micros):
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


def _is_budget_unknown(candidate: Candidate, available_micros: Lookup) -> bool:
    campaign = candidate.campaign
    return is_spent_by_event(campaign) and available_micros.get(campaign.id, 0) < 0
