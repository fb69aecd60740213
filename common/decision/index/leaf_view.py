"""
Who stands in one slot, told for a caller by two bitmaps: whom its page leaves, and whom it leaves itself.

For calls that come by the ten thousand a second: callers and pages are remembered apart, so that a new pair of them
costs one AND. It knows one block, and only as far as anyone asks: who needs more asks the next block's, or `match`.
"""

from typing import Final, final

from common.decision.index.property_index import PropertyIndex
from common.decision.index.runs import Rank
from common.decision.index.targeting_bitmaps import MatchKey, SignalKey
from common.decision.rules.candidate import Candidate, Order, standing_candidate
from common.decision.rules.tie_group import TieGroup
from common.snapshot.snapshot import Snapshot

_FAR: Final = 32
"""Candidates that are put in line; hardly a call gets past two of them."""


@final
class SlotLeafView:
    """
    Right while it `holds`; ``groups`` need the snapshot that the index stands for. Of the index it keeps a block alone,
    so that a large one can be let go of while line-ups of it are still remembered.
    """

    def __init__(self, index: PropertyIndex, slot_id: str, now_ms: int, number: int = 0) -> None:
        """*number*: of a block that *index* has."""
        self._slot_id = slot_id
        self._number = number
        self._starts = index.starts
        self._versions = index.versions
        self._version = index.versions[number]
        self._leaf = index.leaves[number]
        self._open = self._leaf.open_in(slot_id, now_ms)
        self._since_ms: int = now_ms
        self._until_ms: int = self._leaf.until_ms

    def holds(self, now_ms: int) -> bool:
        if not self._since_ms <= now_ms < self._until_ms:
            return False
        versions, number = self._versions, self._number
        return number < len(versions) and versions[number] == self._version

    def is_of(self, index: PropertyIndex) -> bool:
        return self._versions is index.versions

    def mask_for_page(self, asked: MatchKey) -> int:
        return self._open & ~self._leaf.missed_on_page(asked)

    def mask_for_client(self, traits: SignalKey) -> int:
        return self._open & ~self._leaf.missed_by_reader(traits)

    @property
    def standing(self) -> int:
        """Who is neither left out by page nor by reader."""
        return self._open

    @property
    def bounds(self) -> tuple[int, int, int, int, list[int], list[Rank]]:
        """
        What `holds` goes by: from, until, the version, the block's number, the index's versions; and how its blocks
        start.
        """
        spans = self._since_ms, self._until_ms, self._version
        return *spans, self._number, self._versions, self._starts

    def run(self, number: int) -> tuple[list[tuple[Rank, int]], bool]:
        """The ranks and positions of the run that stand, best first, and whether it is the last one."""
        runs = self._leaf.runs
        return runs.placed(runs.masks[number] & self._open), number + 1 == len(runs.masks)

    def candidate_at(self, position: int, snapshot: Snapshot) -> Candidate:
        """Of one who stands."""
        return self._candidate(self._leaf.runs.ad_id(position), snapshot)

    def groups(self, fits: int, snapshot: Snapshot) -> tuple[list[TieGroup], bool]:
        """
        *fits*: the two bitmaps' AND. The first groups of `Matches.groups` in the block, all of them whole; and whether
        they are all that fit, so that the next block goes on where they end.
        """
        runs = self._leaf.runs
        groups: list[TieGroup] = []
        waiting: list[Candidate] = []
        order: Order | None = None
        count = 0
        for mask in runs.masks:
            for found, ad_id in runs.ranked(fits & mask):
                if found != order:
                    if waiting:
                        groups.append(TieGroup(waiting))
                    if count >= _FAR:
                        return groups, False
                    waiting, order = [], found
                waiting.append(self._candidate(ad_id, snapshot))
                count += 1
        starts, after = self._starts, self._number + 1
        if waiting and after < len(starts) and starts[after][0] == order:
            return groups, False
        if waiting:
            groups.append(TieGroup(waiting))
        return groups, True

    def _candidate(self, ad_id: str, snapshot: Snapshot) -> Candidate:
        made = self._leaf.candidates(self._slot_id)
        candidate = made.get(ad_id)
        if candidate is None:
            candidate = made[ad_id] = standing_candidate(snapshot, self._slot_id, ad_id)
        return candidate
