"""Who of a block stands in one slot, and who does not by which gate."""

from common.decision.index.inverted_index import Masks, set_bit
from common.decision.rules.candidate import Drop


class SlotMasks:
    __slots__ = ("dropped", "standing")

    def __init__(self) -> None:
        self.standing = 0
        self.dropped: Masks = {}

    def put(self, bit: int, drop: Drop | None) -> None:
        if drop is None:
            self.standing |= bit
        else:
            set_bit(self.dropped, drop, bit)
