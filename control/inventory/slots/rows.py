"""Converts a slot between its API form and its table row; nothing else maps fields to columns."""

from enum import StrEnum
from typing import Any

from control.foundation.resource_models import from_row
from control.inventory.slots.schemas import SlotPublic
from control.storage.tables.properties import SlotRow


def write(row: SlotRow, values: dict[str, Any]) -> None:
    """Write API fields to columns. Each value replaces the old one; a missing name leaves its column unchanged."""
    for name, value in values.items():
        match name:
            case "formats":
                row.formats = [item.value for item in value]
            case "sizes":
                row.sizes = [size.model_dump() for size in value]
            case "audio":
                row.audio = {} if value is None else value.model_dump()
            case _:
                setattr(row, name, value.value if isinstance(value, StrEnum) else value)


def to_public(row: SlotRow) -> SlotPublic:
    return from_row(SlotPublic, row, audio=row.audio or None)
