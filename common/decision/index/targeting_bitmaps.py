"""Targeting of campaigns, or of ads, as bitmaps over a block's positions; a candidate must match in both layers."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from common.decision.index.inverted_index import (
    Bitmaps,
    ConjunctionBitmaps,
    ValueBitmaps,
    clear_bit,
    set_bit,
    split,
)
from common.decision.index.schedule import Schedule, schedule_of
from common.decision.rules.kinds import DIMENSIONS
from common.decision.rules.targeting import Targeting

NEVER_MS = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class SignalKey:
    """
    The client's signals that are targeted or excluded anywhere, by the first numbers of `DIMENSIONS`.
    Equal signals share one object, so it is its own key.
    """

    values: tuple[Collection[Any], ...]


class MatchKey(NamedTuple):
    """
    The parts of an opportunity that the index distinguishes, and so the cache key of its matches.

    Values are those that are targeted or excluded anywhere. ``client``: by the numbers of `DIMENSIONS` that depend on
    the client; ``page``: by the remaining numbers; ``too_large``: the sizes that exceed the reported room;
    ``without_budgets``: only campaigns that need no budget to show.
    """

    slot_id: str
    format: str | None
    too_large: tuple[tuple[int | None, int | None], ...]
    child_directed: bool
    client: SignalKey
    page: tuple[Collection[Any], ...]
    without_budgets: bool = False


class TargetingBitmaps:
    """
    ``dimensions``: by the numbers of `DIMENSIONS`. Dayparts are schedules. Slots are not among them: the static gates
    check those.
    """

    __slots__ = ("dimensions", "scheduled", "schedules")

    def __init__(self) -> None:
        self.dimensions: list[Bitmaps] = [
            ConjunctionBitmaps() if dimension.is_conjunction else ValueBitmaps()
            for dimension in DIMENSIONS
        ]
        self.scheduled = 0
        self.schedules: dict[Schedule, int] = {}

    def insert(self, targeting: Targeting, timezone: str, bit: int) -> None:
        for number, condition in enumerate(targeting.conditions):
            if condition is not None:
                self.dimensions[number].insert(bit, condition.included, condition.excluded)
        if targeting.windows:
            self.scheduled |= bit
            set_bit(self.schedules, schedule_of(timezone, targeting.windows), bit)

    def remove(self, targeting: Targeting, timezone: str, bit: int) -> None:
        """The inverse of `insert`."""
        for number, condition in enumerate(targeting.conditions):
            if condition is not None:
                self.dimensions[number].remove(bit, condition.included, condition.excluded)
        if targeting.windows:
            self.scheduled &= ~bit
            clear_bit(self.schedules, schedule_of(timezone, targeting.windows), bit)

    def split(self, leaving: int) -> "TargetingBitmaps":
        """Takes the positions of *leaving* out, and returns a layer of them."""
        went = TargetingBitmaps()
        went.dimensions = [bitmaps.split(leaving) for bitmaps in self.dimensions]
        went.scheduled = self.scheduled & leaving
        self.scheduled &= ~leaving
        went.schedules = split(self.schedules, leaving)
        return went

    def closed(self, now_ms: int) -> tuple[int, int]:
        """Returns the ads whose dayparts are closed, and until when that holds."""
        shut, until_ms = self.scheduled, NEVER_MS
        for schedule, mask in self.schedules.items():
            is_open, next_ms = schedule.at(now_ms)
            until_ms = min(until_ms, next_ms)
            if is_open:
                shut &= ~mask
        return shut, until_ms
