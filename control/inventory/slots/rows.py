"""Converts a slot between its API form and its table row; nothing else maps fields to columns."""

from enum import StrEnum
from typing import Any

from common.values.enums import Format, SlotStatus
from control.inventory.slots.schemas import AudioPublic, SizePublic, SlotPublic
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
    return SlotPublic(
        id=row.id,
        key=row.key,
        property_id=row.property_id,
        name=row.name,
        formats=[Format(name) for name in row.formats],
        sizes=[SizePublic.model_validate(size) for size in row.sizes],
        floor_cents=row.floor_cents,
        refresh_seconds=row.refresh_seconds,
        house_ad_id=row.house_ad_id,
        blocked_advertiser_domains=row.blocked_advertiser_domains,
        blocked_categories=row.blocked_categories,
        audio=AudioPublic.model_validate(row.audio) if row.audio else None,
        status=SlotStatus(row.status),
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
