"""
The ads of one slot in one leaf. Two bitmaps hold the ads that remain eligible: one for the page, one for the client.

It is meant for tens of thousands of requests a second. Clients and pages are cached separately, so that a new pair of
them costs one AND. A view covers one block. A caller that needs more candidates uses the next block's view, or `match`.
"""

from typing import final

from common.decision.index.property_index import PropertyIndex
from common.decision.index.runs import Rank
from common.decision.index.targeting_bitmaps import MatchKey
from common.decision.rules.candidate import Candidate, static_candidate
from common.snapshot.snapshot import Snapshot


@final
class SlotLeafView:
    """
    Valid while `holds` is true. It references only one block of the index, so that a large index can be released while
    views of it are still cached.
    """

    def __init__(self, index: PropertyIndex, slot_id: str, now_ms: int, number: int = 0) -> None:
        """*number*: of a block in *index*."""
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

    def mask_for_page(self, match_key: MatchKey) -> int:
        return self._open & ~self._leaf.missed_on_page(match_key)

    def mask_for_client(self, match_key: MatchKey) -> int:
        return self._open & ~self._leaf.missed_by_visitor(match_key)

    @property
    def eligible(self) -> int:
        """The ads that neither page nor client excludes."""
        return self._open

    @property
    def bounds(self) -> tuple[int, int, int, int, list[int], list[Rank]]:
        """
        The values that `holds` compares: from, until, the version, the block's number, the index's versions; and the
        first ranks of its blocks.
        """
        spans = self._since_ms, self._until_ms, self._version
        return *spans, self._number, self._versions, self._starts

    def run(self, number: int) -> tuple[list[tuple[Rank, int]], bool]:
        """Returns ranks and positions of the run's passing ads, best first, and whether the run is the last one."""
        runs = self._leaf.runs
        return runs.placed(runs.masks[number] & self._open), number + 1 == len(runs.masks)

    def candidate_at(self, position: int, snapshot: Snapshot) -> Candidate:
        """*position*: of a passing ad."""
        ad_id, made = self._leaf.runs.ad_id(position), self._leaf.candidates(self._slot_id)
        candidate = made.get(ad_id)
        if candidate is None:
            candidate = made[ad_id] = static_candidate(snapshot, self._slot_id, ad_id)
        return candidate
