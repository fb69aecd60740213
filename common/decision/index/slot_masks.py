"""The ads of a block that pass one slot's standing gates, and those that each gate drops."""

from common.decision.index.inverted_index import Masks, set_bit
from common.decision.rules.candidate import DropReason


class SlotMasks:
    __slots__ = ("dropped", "standing")

    def __init__(self) -> None:
        self.standing = 0
        self.dropped: Masks = {}

    def insert(self, bit: int, drop: DropReason | None) -> None:
        if drop is None:
            self.standing |= bit
        else:
            set_bit(self.dropped, drop, bit)
