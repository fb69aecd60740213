"""Converts table rows of assets to their API form."""

from typing import Any

from common.values.environment import Environment
from common.values.messages import Message
from control.demand.assets.schemas import AssetCreated, AssetPublic, UploadPublic
from control.foundation.resource_models import from_row
from control.storage.tables.assets import AssetRow


def url_of(row: AssetRow, assets_url: str) -> str | None:
    """Absolute URL, which always serves the same bytes; None while there is nothing to serve."""
    if row.object_name is None:
        return None
    return f"{assets_url.rstrip('/')}/{row.object_name}"


def to_public(row: AssetRow, assets_url: str) -> AssetPublic:
    return from_row(AssetPublic, row, **_computed(row, assets_url))


def to_created(row: AssetRow, assets_url: str, upload: UploadPublic | None) -> AssetCreated:
    return from_row(AssetCreated, row, **_computed(row, assets_url), upload=upload)


def _computed(row: AssetRow, assets_url: str) -> dict[str, Any]:
    return {
        "media": row.media or None,
        "url": url_of(row, assets_url),
        "rejection_reason": None
        if row.rejection_reason is None
        else Message.from_stored(row.rejection_reason, row.rejection_parts),
        "is_test": row.environment == Environment.TEST,
    }
