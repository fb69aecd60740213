"""The slot a caller names, by its key or its id, and of the key's property only."""

from common.decision.demo import find_demo_slot
from common.errors import Detail, ErrorCode, Refused
from common.snapshot.model import Property, Slot
from common.snapshot.snapshot import Snapshot

_MOST_CHARS = 64
_ID_CHARS = 36


def get_slot(snapshot: Snapshot, prop: Property, text: str) -> Slot:
    """In test the demo slots exist besides a property's own. Raises `Refused`."""
    slot = snapshot.slots_by_key.get((prop.id, text)) or snapshot.slots.get(text)
    if slot is None and len(text) == _ID_CHARS:  # some systems shout ids
        text = text.lower()
        slot = snapshot.slots.get(text)
    if slot is not None and slot.property_id == prop.id:
        return slot
    demo = find_demo_slot(prop, text) if snapshot.environment.is_test else None
    if demo is None:
        raise _not_found(text)
    return demo


def _not_found(text: str) -> Refused:
    named = f"There is no slot `{text[:_MOST_CHARS]}` on this property."
    return Refused(
        ErrorCode.SLOT_NOT_FOUND,
        "This property has no such slot. ?slot= takes a slot's key or id; see the property's slots.",
        param="slot",
        details=(Detail("slot", ErrorCode.SLOT_NOT_FOUND, named),),
    )
