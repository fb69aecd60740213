"""Recorded decisions read back as users. Equal requests at one slot share one user, weighted by their number."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from common.decision.record import DecisionRecord, RecordUnusable, decision_input_of
from common.decision.rules.opportunity import Opportunity
from common.pacing.curve import HOUR_MS
from common.snapshot.snapshot import Snapshot

_RECORD: TypeAdapter[DecisionRecord] = TypeAdapter(DecisionRecord)
_ENOUGH = 30
"""Records of one hour of the day that suffice to draw from that hour alone."""


@dataclass(frozen=True, slots=True, eq=False)
class SampledUser:
    """``is_counted``: frequency counts of this user were available, so capped ads could serve."""

    opportunity: Opportunity
    is_counted: bool


class SampledUsers:
    """Users by slot and hour of the day. Leaves out previews, unreadable records, and slots that no longer exist."""

    def __init__(self, records: Iterable[bytes], snapshot: Snapshot) -> None:
        self.read = 0
        self._snapshot = snapshot
        self._known: dict[bytes, SampledUser | None] = {}
        self._by_slot: dict[str, list[SampledUser]] = defaultdict(list)
        self._by_hour: dict[tuple[str, int], list[SampledUser]] = defaultdict(list)
        for raw in records:
            self._add(orjson.loads(raw))

    @property
    def slots(self) -> set[str]:
        return set(self._by_slot)

    def of(self, slot_id: str) -> list[SampledUser]:
        """The users of a slot, each as often as it made a request there."""
        return self._by_slot.get(slot_id, [])

    def draw(self, slot_id: str, at_ms: int, rng: Random) -> SampledUser:
        of_hour = self._by_hour.get((slot_id, _hour(at_ms)), ())
        return rng.choice(of_hour if len(of_hour) >= _ENOUGH else self._by_slot[slot_id])

    def _add(self, record: dict[str, Any]) -> None:
        slot_id, is_counted = record["slot_id"], record["gates"].get("counts") is not None
        same = (slot_id, is_counted, record["opportunity"])
        key = orjson.dumps(same, option=orjson.OPT_SORT_KEYS)
        if key not in self._known:
            self._known[key] = self._find_caller(record, is_counted=is_counted)
        caller = self._known[key]
        if caller is None:
            return
        self.read += 1
        self._by_slot[slot_id].append(caller)
        self._by_hour[slot_id, _hour(record["at_ms"])].append(caller)

    def _find_caller(self, stored: dict[str, Any], *, is_counted: bool) -> SampledUser | None:
        if stored["slot_id"] not in self._snapshot.slots:
            return None
        try:
            record = _RECORD.validate_python(stored)
            opportunity = decision_input_of(record, self._snapshot).opportunity
        except (ValidationError, RecordUnusable):
            return None
        if opportunity.preview_ad_id is not None:
            return None
        return SampledUser(opportunity, is_counted)


def _hour(at_ms: int) -> int:
    return at_ms // HOUR_MS % 24
