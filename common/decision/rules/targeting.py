"""
Compares stored targeting with one opportunity's signals: AND between kinds, OR inside one, exclusion wins; an unknown
value fails an include and passes an exclude.

This is the readable reference and as slow as that. Explanations and the index's builder use it; decisions use the
index.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from common.decision.rules.kinds import DIMENSIONS, NUMBERS, TARGETING_KINDS
from common.decision.rules.kinds.daypart import DAYPARTS, Window, is_open, parse_windows
from common.decision.rules.kinds.kind import Condition
from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason

_NO_CONDITIONS: tuple[Condition | None, ...] = (None,) * len(DIMENSIONS)


@dataclass(frozen=True, slots=True)
class Targeting:
    """Empty fields target everything. ``conditions``: by the numbers of `DIMENSIONS`; all of them must match."""

    conditions: tuple[Condition | None, ...] = _NO_CONDITIONS
    windows: tuple[Window, ...] = ()
    slots: frozenset[str] = frozenset()
    not_slots: frozenset[str] = frozenset()


EVERYTHING = Targeting()
_NUMBERS_OF = {kind.name: numbers for kind, numbers in zip(TARGETING_KINDS, NUMBERS, strict=True)}


@lru_cache(maxsize=4096)
def parse_targeting(text: str) -> Targeting:
    """*text*: the stored object as canonical JSON, empty for everything; the API has validated its shape."""
    if not text:
        return EVERYTHING
    raw: dict[str, Any] = orjson.loads(text)
    conditions: list[Condition | None] = [None] * len(DIMENSIONS)
    for name, stored in raw.items():
        for number in _NUMBERS_OF.get(name, ()):
            condition = DIMENSIONS[number].parse(stored)
            if condition.included or condition.excluded:
                conditions[number] = condition
    slots = raw.get("slots", {})
    return Targeting(
        conditions=tuple(conditions),
        windows=parse_windows(raw.get(DAYPARTS.name, ())),
        slots=frozenset(slots.get("include", ())),
        not_slots=frozenset(slots.get("exclude", ())),
    )


def names_slot(targeting: Targeting, slot_id: str) -> bool:
    """Whether the targeting allows *slot_id*."""
    if slot_id in targeting.not_slots:
        return False
    return not targeting.slots or slot_id in targeting.slots


def missed_kind(
    targeting: Targeting, signals: Signals, timezone: str, now_ms: int
) -> tuple[int, NoFillReason] | None:
    """
    Returns place in `TARGETING_KINDS` and reason of the first kind that fails, None where all match.
    Slots are checked elsewhere.
    """
    for place, kind in enumerate(TARGETING_KINDS):
        if not matches_kind(place, targeting, signals, timezone, now_ms):
            return place, kind.reason
    return None


def matches_kind(
    place: int, targeting: Targeting, signals: Signals, timezone: str, now_ms: int
) -> bool:
    """*place*: of the kind in `TARGETING_KINDS`."""
    if TARGETING_KINDS[place] is DAYPARTS:
        return is_open(targeting.windows, timezone, now_ms)
    for number in NUMBERS[place]:
        condition = targeting.conditions[number]
        if condition is not None and not DIMENSIONS[number].matches(condition, signals):
            return False
    return True
