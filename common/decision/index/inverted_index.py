"""Inverted index of one targeting kind: value → bitmap of the ads that include it, and of those that exclude it."""

from collections.abc import Collection, Hashable, Iterable
from typing import Any

from common.decision.rules.candidate import DropReason

Masks = dict[Any, int]
"""Value to positions, as bits."""


def set_bit(masks: Masks, value: Hashable, bit: int) -> None:
    masks[value] = masks.get(value, 0) | bit


def clear_bit(masks: Masks, value: Hashable, bit: int) -> None:
    """Clears a position; a value without positions has no entry."""
    rest = masks[value] & ~bit
    if rest:
        masks[value] = rest
    else:
        del masks[value]


def split(masks: Masks, leaving: int) -> Masks:
    """Takes the positions of *leaving* out of *masks*, and returns what was taken out."""
    went: Masks = {}
    for value, mask in list(masks.items()):
        going = mask & leaving
        if going:
            went[value] = going
            clear_bit(masks, value, going)
    return went


class Bitmaps:
    """One dimension of targeting: what each ad includes and excludes, see `Condition`."""

    __slots__ = ()

    def insert(self, bit: int, included: Collection[Any], excluded: Collection[Any]) -> None:
        raise NotImplementedError

    def remove(self, bit: int, included: Collection[Any], excluded: Collection[Any]) -> None:
        """The inverse of `insert`."""
        raise NotImplementedError

    def split(self, leaving: int) -> "Bitmaps":
        """Takes the positions of *leaving* out, and returns bitmaps of them."""
        raise NotImplementedError

    def targeted(self) -> Iterable[Hashable]:
        """Yields every value that an ad includes or excludes, in the form that `missed` takes."""
        raise NotImplementedError

    def missed(self, values: Iterable[Any]) -> int:
        """Returns the ads that do not match *values*."""
        raise NotImplementedError


class ValueBitmaps(Bitmaps):
    """``limited``: ads that require one of some values. An ad that is not in it accepts any value, and also none."""

    __slots__ = ("excluded", "included", "limited")

    def __init__(self) -> None:
        self.limited = 0
        self.included: Masks = {}
        self.excluded: Masks = {}

    def insert(self, bit: int, included: Collection[Any], excluded: Collection[Any]) -> None:
        if included:
            self.limited |= bit
            masks = self.included
            for value in included:
                masks[value] = masks.get(value, 0) | bit
        if excluded:
            masks = self.excluded
            for value in excluded:
                masks[value] = masks.get(value, 0) | bit

    def remove(self, bit: int, included: Collection[Any], excluded: Collection[Any]) -> None:
        if included:
            self.limited &= ~bit
        for value in included:
            clear_bit(self.included, value, bit)
        for value in excluded:
            clear_bit(self.excluded, value, bit)

    def split(self, leaving: int) -> "ValueBitmaps":
        went = ValueBitmaps()
        went.limited = self.limited & leaving
        self.limited &= ~leaving
        went.included = split(self.included, leaving)
        went.excluded = split(self.excluded, leaving)
        return went

    def targeted(self) -> Iterable[Hashable]:
        return (*self.included, *self.excluded)

    def missed(self, values: Iterable[Any]) -> int:
        """Returns the ads that do not match *values*: they require other values, or exclude one of these."""
        missed, refused = self.limited, 0
        if missed:
            for value in values:
                missed &= ~self.included.get(value, 0)
        if self.excluded:
            for value in values:
                refused |= self.excluded.get(value, 0)
        return missed | refused


class ConjunctionBitmaps(Bitmaps):
    """
    Conditions on key-values, all of which must match. Several `in` conditions on one key are stored in one level each;
    `not_in` conditions may share one.
    """

    __slots__ = ("excluded", "levels")

    def __init__(self) -> None:
        self.levels: list[tuple[Masks, Masks]] = []
        """By key: ads with a condition; by (key, value): ads whose condition that value meets."""
        self.excluded: Masks = {}

    def insert(self, bit: int, included: Collection[Any], excluded: Collection[Any]) -> None:
        for level, key, values in _levelled(included):
            if level == len(self.levels):
                self.levels.append(({}, {}))
            limited, present = self.levels[level]
            set_bit(limited, key, bit)
            for value in values:
                pair = (key, value)
                present[pair] = present.get(pair, 0) | bit
        masks = self.excluded
        for pair in excluded:
            masks[pair] = masks.get(pair, 0) | bit

    def remove(self, bit: int, included: Collection[Any], excluded: Collection[Any]) -> None:
        for level, key, values in _levelled(included):
            limited, present = self.levels[level]
            clear_bit(limited, key, bit)
            for value in values:
                clear_bit(present, (key, value), bit)
        for pair in excluded:
            clear_bit(self.excluded, pair, bit)

    def split(self, leaving: int) -> "ConjunctionBitmaps":
        went = ConjunctionBitmaps()
        went.levels = [
            (split(limited, leaving), split(present, leaving)) for limited, present in self.levels
        ]
        went.excluded = split(self.excluded, leaving)
        return went

    def targeted(self) -> Iterable[Hashable]:
        return (*self.excluded, *(pair for _, present in self.levels for pair in present))

    def missed(self, values: Iterable[Any]) -> int:
        """*values*: pairs of key and value."""
        missed = 0
        for limited, present in self.levels:
            got: Masks = {}
            for pair in values:
                found = present.get(pair)
                if found:
                    got[pair[0]] = got.get(pair[0], 0) | found
            for key, mask in limited.items():
                missed |= mask ^ got.get(key, 0)
        if self.excluded:
            for pair in values:
                missed |= self.excluded.get(pair, 0)
        return missed


def _levelled(
    wanted: Iterable[tuple[str, frozenset[str]]],
) -> Iterable[tuple[int, str, frozenset[str]]]:
    seen: dict[str, int] = {}
    found = []
    for key, values in wanted:
        level = seen.get(key, 0)
        seen[key] = level + 1
        found.append((level, key, values))
    return found


class SlotMasks:
    """The ads of a block that pass one slot's static gates, and those that each gate drops."""

    __slots__ = ("dropped", "passing")

    def __init__(self) -> None:
        self.passing = 0
        self.dropped: Masks = {}

    def insert(self, bit: int, drop: DropReason | None) -> None:
        if drop is None:
            self.passing |= bit
        else:
            set_bit(self.dropped, drop, bit)

    def remove(self, bit: int, drop: DropReason | None) -> None:
        """The inverse of `insert`."""
        if drop is None:
            self.passing &= ~bit
        else:
            clear_bit(self.dropped, drop, bit)

    def copy(self) -> "SlotMasks":
        copied = SlotMasks()
        copied.passing, copied.dropped = self.passing, self.dropped.copy()
        return copied
