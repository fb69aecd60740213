"""Finds a property's slot by its id or its key."""

from common.decision.demo_slots import find_demo_slot
from common.snapshot.model import Property, Slot
from common.snapshot.snapshot import Snapshot

_ID_CHARS = 36


def find_slot(snapshot: Snapshot, prop: Property, text: str) -> Slot | None:
    """An id takes precedence over a key that looks like it. In test the demo slots exist as well."""
    slot = _by_id(snapshot, prop, text) or snapshot.slots_by_key.get((prop.id, text))
    if slot is None and len(text) == _ID_CHARS:  # some systems send ids in upper case
        text = text.lower()
        slot = _by_id(snapshot, prop, text)
    if slot is None and snapshot.environment.is_test:
        return find_demo_slot(prop, text)
    return slot


def _by_id(snapshot: Snapshot, prop: Property, text: str) -> Slot | None:
    slot = snapshot.slots.get(text)
    return slot if slot is not None and slot.property_id == prop.id else None
