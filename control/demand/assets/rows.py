"""Converts table rows of assets to their API form."""

from typing import Any

from common.values.environment import Environment
from common.values.messages import Message
from control.demand.assets.schemas import AssetCreated, AssetPublic, UploadPublic
from control.storage.tables.assets import AssetRow


def url_of(row: AssetRow, assets_url: str) -> str | None:
    """Absolute URL, which always serves the same bytes; None while there is nothing to serve."""
    if row.object_name is None:
        return None
    return f"{assets_url.rstrip('/')}/{row.object_name}"


def to_public(row: AssetRow, assets_url: str) -> AssetPublic:
    return AssetPublic(**_fields(row, assets_url))


def to_created(row: AssetRow, assets_url: str, upload: UploadPublic | None) -> AssetCreated:
    return AssetCreated(**_fields(row, assets_url), upload=upload)


def _fields(row: AssetRow, assets_url: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "property_id": row.property_id,
        "kind": row.kind,
        "filename": row.filename,
        "mime": row.mime,
        "bytes": row.bytes,
        "sha256": row.sha256,
        "width": row.width,
        "height": row.height,
        "duration_ms": row.duration_ms,
        "media": row.media or None,
        "status": row.status,
        "url": url_of(row, assets_url),
        "rejection_reason": None
        if row.rejection_reason is None
        else Message.from_stored(row.rejection_reason, row.rejection_parts),
        "is_test": row.environment == Environment.TEST,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }
