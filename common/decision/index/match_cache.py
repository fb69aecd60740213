"""Matches of one kind of opportunity, as far as they were read, and the state for reading further."""

from collections.abc import Iterator
from typing import final

from common.decision.index.property_index import PropertyIndex
from common.decision.index.targeting_bitmaps import NEVER_MS, MatchKey
from common.decision.rules.candidate import Candidate, DropReason, Order, static_candidate
from common.decision.rules.outcome import NoFillReason
from common.decision.rules.tie_group import TieGroup
from common.snapshot.snapshot import Snapshot

NOBODY: DropReason = (-1, NoFillReason.NO_CANDIDATE)


@final
class CachedMatch:
    """
    Groups of candidates, best first, and the state of the search. Valid while the examined blocks are unchanged and the
    time lies between *since_ms*, when the last of them was examined, and *until_ms*, exclusive.
    """

    def __init__(self, match_key: MatchKey, since_ms: int) -> None:
        self.asked = match_key
        self.since_ms = since_ms
        self.until_ms: int = NEVER_MS
        self.groups: list[TieGroup] = []
        self.furthest: DropReason = NOBODY
        """The drop reason of the ad that came furthest without matching, in the examined blocks."""
        self._versions: list[int] = []
        """Versions of the examined blocks; the last one is being read."""
        self._fits = 0
        """Matches in that block that were not read yet."""
        self._run = 0
        self._waiting: list[Candidate] = []
        """A group that may not be complete, ..."""
        self._order: Order | None = None
        """... and its order."""

    @property
    def candidates(self) -> int:
        """The number found so far, in complete groups."""
        return sum(len(group.candidates) for group in self.groups)

    def holds(self, index: PropertyIndex, now_ms: int) -> bool:
        if not self.since_ms <= now_ms < self.until_ms:
            return False
        examined, current = self._versions, index.versions
        if len(examined) > len(current):
            return False
        return all(current[number] == examined[number] for number in range(len(examined)))

    def more(self, index: PropertyIndex, snapshot: Snapshot, now_ms: int) -> bool:
        """Searches for at least one more group; False where there is none."""
        known = len(self.groups)
        while len(self.groups) == known:
            if self._fits:
                self._read_run(index, snapshot)
            elif not self._open_block(index, now_ms):
                self._close_group()
                return len(self.groups) > known
        return True

    def _open_block(self, index: PropertyIndex, now_ms: int) -> bool:
        number = len(self._versions)
        if number == len(index.leaves):
            return False
        if self._waiting and index.starts[number][0] != self._order:
            self._close_group()
            return True
        leaf = index.leaves[number]
        self._fits, drop, until_ms = leaf.match(self.asked, now_ms)
        self._run = 0
        self._versions.append(index.versions[number])
        self.since_ms = max(self.since_ms, now_ms)
        self.until_ms = min(self.until_ms, until_ms)
        if drop is not None and drop > self.furthest:
            self.furthest = drop
        return True

    def _read_run(self, index: PropertyIndex, snapshot: Snapshot) -> None:
        leaf = index.leaves[len(self._versions) - 1]
        runs = leaf.runs
        if self._waiting and runs.starts[self._run][0] != self._order:
            self._close_group()
            return
        some = self._fits & runs.masks[self._run]
        self._fits ^= some
        self._run += 1
        if not some:
            return
        slot_id = self.asked.slot_id
        made = leaf.candidates(slot_id)
        for order, ad_id in runs.ranked(some):
            if order != self._order:
                self._close_group()
                self._order = order
            candidate = made.get(ad_id)
            if candidate is None:
                candidate = made[ad_id] = static_candidate(snapshot, slot_id, ad_id)
            self._waiting.append(candidate)

    def _close_group(self) -> None:
        if self._waiting:
            self.groups.append(TieGroup(self._waiting))
            self._waiting = []
        self._order = None


@final
class Matches:
    """The candidates of a slot that match one opportunity, searched only as far as they are read."""

    def __init__(
        self, index: PropertyIndex, found: CachedMatch, snapshot: Snapshot, now_ms: int
    ) -> None:
        self._index = index
        self._found = found
        self._snapshot = snapshot
        self._now_ms = now_ms

    @property
    def furthest(self) -> DropReason:
        """The drop reason of the ad that came furthest without matching; final once `groups` is exhausted."""
        return self._found.furthest

    def first_of_all(self, seed: int) -> Candidate | None:
        """
        Returns the first candidate of the best group; None where there is none, or finding it costs as much as
        `groups`.
        """
        groups = self._found.groups
        return groups[0].find_first(seed) if groups else None

    def groups(self) -> Iterator[TieGroup]:
        """
        Yields groups, best first; within a group priority and eCPM are equal, and ads are sorted by id.

        Opportunities of the same kind get the same group objects, as long as nothing about them changes.
        """
        groups = self._found.groups
        number = 0
        while number < len(groups) or self._found.more(self._index, self._snapshot, self._now_ms):
            yield groups[number]
            number += 1
