"""The positions of a block in rank order, in runs of some dozens: the best are found without sorting all."""

from bisect import bisect_right

from common.decision.rules.candidate import Order, ecpm_of

RUN = 64
"""Positions of a run when it is created; it grows to twice that before it is split."""

Rank = tuple[Order, str]
"""Order and ad id: no two entries have the same."""


class Runs:
    """A position is any free one, and a bit in ``masks``. No entry of a run ranks before its start."""

    __slots__ = ("_free", "_length", "_ranks", "masks", "starts")

    def __init__(self, length: int = RUN) -> None:
        self._length = length
        self.masks: list[int] = []
        self.starts: list[Rank] = []
        self._ranks: list[Rank | None] = []
        """By position; None where it is free."""
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._ranks) - len(self._free)

    def bulk_load(self, ranks: list[Rank]) -> None:
        """Fills an empty object in rank order: the positions are those of the list."""
        self._ranks = list[Rank | None](ranks)
        length = self._length
        for first in range(0, len(ranks), length):
            count = min(length, len(ranks) - first)
            self.masks.append(((1 << count) - 1) << first)
            self.starts.append(ranks[first])

    def insert(self, rank: Rank) -> int:
        """Returns the position of *rank* from now on."""
        if self._free:
            position = self._free.pop()
            self._ranks[position] = rank
        else:
            position = len(self._ranks)
            self._ranks.append(rank)
        self._join(rank, 1 << position)
        return position

    def remove(self, rank: Rank) -> int:
        """Returns the former position; raises KeyError where there is none."""
        number, position = self._find(rank)
        self.masks[number] ^= 1 << position
        if not self.masks[number]:
            del self.masks[number], self.starts[number]
        self._ranks[position] = None
        self._free.append(position)
        return position

    def ad_id(self, position: int) -> str:
        """Raises TypeError where the position is free."""
        return self._ranks[position][1]  # type: ignore[index]  # taken ones have a rank

    def worth(self, mask: int, least: int, less_than: int) -> list[tuple[int, str]]:
        """Returns position and ad id of those in *mask* whose eCPM (micros) lies in that range."""
        found = []
        for at in positions_of(mask):
            order, ad_id = self._ranks[at]  # type: ignore[misc]  # taken ones have a rank
            if least <= ecpm_of(order) < less_than:
                found.append((at, ad_id))
        return found

    def split(self) -> tuple["Runs", int]:
        """Takes the worse half of the runs out. Returns it and the bits of its positions, which stay the same."""
        half = len(self.masks) // 2
        went = Runs(self._length)
        went.masks, went.starts = self.masks[half:], self.starts[half:]
        del self.masks[half:], self.starts[half:]
        leaving = sum(went.masks)
        ranks = self._ranks
        went._ranks = [rank if leaving >> at & 1 else None for at, rank in enumerate(ranks)]
        self._ranks = [None if leaving >> at & 1 else rank for at, rank in enumerate(ranks)]
        self._free = [at for at, rank in enumerate(self._ranks) if rank is None]
        went._free = [at for at, rank in enumerate(went._ranks) if rank is None]
        return went, leaving

    def ranked(self, mask: int) -> list[Rank]:
        """Returns the ranks in *mask*, best first."""
        ranks = self._ranks
        return sorted([ranks[at] for at in positions_of(mask)])  # type: ignore[misc]  # taken ones have a rank

    def placed(self, mask: int) -> list[tuple[Rank, int]]:
        """Returns the ranks in *mask* with their positions, best first."""
        ranks = self._ranks
        return sorted([(ranks[at], at) for at in positions_of(mask)])  # type: ignore[misc]  # as above

    def _join(self, rank: Rank, bit: int) -> None:
        if not self.masks:
            self.masks.append(bit)
            self.starts.append(rank)
            return
        number = max(0, bisect_right(self.starts, rank) - 1)
        self.masks[number] |= bit
        self.starts[number] = min(rank, self.starts[number])
        if self.masks[number].bit_count() > 2 * self._length:
            self._cut(number)

    def _cut(self, number: int) -> None:
        mask = self.masks[number]
        start = self.ranked(mask)[self._length]
        worse = 0
        for position in positions_of(mask):
            if self._ranks[position] >= start:  # type: ignore[operator]  # taken ones have a rank
                worse |= 1 << position
        self.masks[number] ^= worse
        self.masks.insert(number + 1, worse)
        self.starts.insert(number + 1, start)

    def _find(self, rank: Rank) -> tuple[int, int]:
        """Returns run and position."""
        number = bisect_right(self.starts, rank) - 1
        for position in positions_of(self.masks[number]) if number >= 0 else ():
            if self._ranks[position] == rank:
                return number, position
        raise KeyError(rank)


def positions_of(mask: int) -> list[int]:
    """Returns the positions of the set bits, highest first."""
    text = bin(mask)
    last = len(text) - 1
    found = []
    at = text.find("1", 2)
    while at >= 0:
        found.append(last - at)
        at = text.find("1", at + 1)
    return found
