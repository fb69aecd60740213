"""The ads of one slot in line, a block of them, made ready, for the callers of one surface and consent."""

from typing import Final, final

from common.decision.index import Candidate, PropertyIndex, SignalKey, SlotLeafView
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.tie_group import TieGroup
from common.http.answer import StaticHeaders
from common.snapshot.snapshot import Snapshot
from edge.context import EdgeContext
from edge.fastpath.serve_cache.generation_cache import GenerationCache
from edge.fastpath.serve_cache.native_cache import NativeSlotSegment
from edge.fastpath.serve_cache.prepared_ad import ASKS, SHOWS, PreparedAd

_MAX_LINES: Final = 2048
_MAX_READERS: Final = 8192
_MAX_ADS: Final = 2048


@final
class _RankedGroups:
    """Who fits, best first. ``is_whole``: nobody else of the block does."""

    def __init__(self, groups: list[TieGroup], *, is_whole: bool) -> None:
        self.groups = groups
        self.is_whole = is_whole
        for group in groups:
            if len(group.candidates) > 1:
                group.in_turn(0)  # what `find_first` needs is made at the first turn
        self.of_one: list[bool] = [_is_of_one(group) for group in groups]
        """Whether all of a group are of one campaign, and so fall at the same gate."""


def _is_of_one(group: TieGroup) -> bool:
    return len({candidate.campaign.id for candidate in group.candidates}) == 1


def _waits(candidate: Candidate, open_micros: Lookup) -> bool:
    """Whether nobody has said what of its budget is open: until then it is worth no making ready."""
    campaign = candidate.campaign
    return is_spent_by_event(campaign) and open_micros.get(campaign.id, 0) < 0


@final
class SlotCandidates:
    """*opportunity*: any one of the slot, the surface and the consent. *number*: the block's."""

    def __init__(
        self,
        edge: EdgeContext,
        standing: StaticHeaders,
        index: PropertyIndex,
        opportunity: Opportunity,
        now_ms: int,
        *,
        number: int,
    ) -> None:
        self.is_past = False
        """After `choose` gave None: nobody of the block shows, so that the next one goes on."""
        self.is_over = False
        """The slot or the index is another one, or nobody asks for it."""
        self._turn = edge.snapshots.turns
        self._edge = edge
        self._standing = standing
        self._opportunity = opportunity
        self._line_up = SlotLeafView(index, opportunity.slot.id, now_ms, number)
        self._queues = GenerationCache(_MAX_LINES)
        self._readers = GenerationCache(_MAX_READERS)
        self._ads: dict[str, PreparedAd] = {}
        self._numbers: dict[object, int] = {}
        self.words: int = max(1, -(-self._line_up.standing.bit_length() // 64))
        self.met = NativeSlotSegment(self.words, *self._line_up.bounds)
        """The same, for the doorman."""
        self.met.turn = self._turn

    def holds(self, snapshot: Snapshot, now_ms: int) -> bool:
        if self.is_over or not self._line_up.holds(now_ms):
            return False
        turn = self._edge.snapshots.turns
        if self._turn != turn:
            slot = self._opportunity.slot
            self.is_over = snapshot.slots.get(slot.id) is not slot
            self._turn = turn
            if self.is_over:
                self.met.end()
            else:
                self.met.turn = turn
        return not self.is_over

    def end(self) -> None:
        """It is over, whoever still holds it."""
        self.is_over = True
        self.met.end()

    def tell(self, snapshot: Snapshot, open_micros: Lookup) -> bool:
        """Whatever the native cache lacked of it; False for nothing. *snapshot*: one in which it `holds`."""
        number, position = self.met.wanted_run, self.met.wanted_position
        if number >= 0:
            run, is_last = self._line_up.run(number)
            told = [(position, self._number(rank[0])) for rank, position in run]
            self.met.put_run(number, told, is_last, run[-1][0][0] if run else None)
        elif position >= 0:
            candidate = self._line_up.candidate_at(position, snapshot)
            ad = self._ready(candidate, snapshot, open_micros)
            if ad is None:
                return False
            self.met.put_ad(
                position,
                ad.met,
                self._number(candidate.campaign.id),
                candidate.ad.weight,
                candidate.objective_ppb,
            )
        return number >= 0 or position >= 0

    def bits(self, left: int) -> bytes:
        """As the native cache has them."""
        return left.to_bytes(self.words * 8, "little")

    def is_of(self, index: PropertyIndex) -> bool:
        return self._line_up.is_of(index)

    def left_by_page(self, index: PropertyIndex, opportunity: Opportunity) -> int:
        return self._line_up.left_by_page(index.known.project(opportunity))

    def find_left(self, reader: object) -> int | None:
        """*reader*: whatever stands for what is targeted of one."""
        found: int | None = self._readers.get(reader)
        return found

    def put_mask(self, index: PropertyIndex, reader: object, opportunity: Opportunity) -> int:
        """*opportunity*: one of such a reader."""
        traits: SignalKey = index.known.project(opportunity).traits
        left = self._line_up.left_by_reader(traits)
        self._readers.put(reader, left)
        return left

    def choose(
        self, fits: int, snapshot: Snapshot, open_micros: Lookup, passes: Lookup, seed: int
    ) -> PreparedAd | None:
        """
        The ad that `common.decision.decide` would have shown; None where that cannot be told here: ``is_past`` says
        whether the next block's line can.
        """
        self.is_past = False
        queue: _RankedGroups | None = self._queues.get(fits)
        if queue is None:
            groups, is_whole = self._line_up.groups(fits, snapshot)
            queue = _RankedGroups(groups, is_whole=is_whole)
            self._queues.put(fits, queue)
        for group, is_of_one in zip(queue.groups, queue.of_one, strict=True):
            candidate = group.find_first(seed)
            ad = None if candidate is None else self._ready(candidate, snapshot, open_micros)
            if ad is None:
                return None
            turn = ad.turn(open_micros, passes, seed)
            if turn == SHOWS:
                return ad
            if turn == ASKS or not is_of_one:
                return None
        self.is_past = queue.is_whole
        return None

    def _number(self, of: object) -> int:
        return self._numbers.setdefault(of, len(self._numbers))

    def _ready(
        self, candidate: Candidate, snapshot: Snapshot, open_micros: Lookup
    ) -> PreparedAd | None:
        """None while it waits for its budget."""
        ad = self._ads.get(candidate.ad.id)
        if ad is None:
            if _waits(candidate, open_micros):
                return None
            ad = PreparedAd(self._edge, self._standing, snapshot, candidate, self._opportunity)
            if len(self._ads) >= _MAX_ADS:
                self._ads.clear()
            self._ads[candidate.ad.id] = ad
        if ad.turn_of_snapshot != self._turn:
            ad.renew(snapshot)
        return ad
