"""Finds the slot that a request names by id or key, among the slots of the key's property."""

from common.decision.named_slot import find_slot
from common.snapshot.model import Property, Slot
from common.snapshot.snapshot import Snapshot
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message

_MAX_CHARS = 64


def get_slot(snapshot: Snapshot, prop: Property, text: str) -> Slot:
    """As `find_slot`, but raises `Refused` where there is none."""
    slot = find_slot(snapshot, prop, text)
    if slot is None:
        raise _not_found(text)
    return slot


def _not_found(text: str) -> Refused:
    named = Message("There is no slot `{slot}` on this property.", slot=text[:_MAX_CHARS])
    return Refused(
        ErrorCode.SLOT_NOT_FOUND,
        Message(
            "This property has no such slot. Send the key or id of one of its slots as ?slot=."
        ),
        param="slot",
        details=(Detail("slot", ErrorCode.SLOT_NOT_FOUND, named),),
    )
