"""Converts table rows of keys to their API form, with or without the key's text."""

from datetime import datetime
from typing import Any

from common.service.secrets import KeyRing
from common.values.environment import Environment
from common.values.keys import KeyText
from control.api.key_status import is_rotation_due, status_of
from control.inventory.api_keys.rules import PropertyReadiness, blocked_by, shown_text
from control.inventory.api_keys.schemas import (
    IntegrationKeyCreated,
    IntegrationKeyPublic,
    SdkKeyCreated,
    SdkKeyPublic,
)
from control.storage.tables.properties import KeyRow


def sdk_key(
    row: KeyRow, readiness: PropertyReadiness, keys: KeyRing, now: datetime
) -> SdkKeyPublic:
    return SdkKeyPublic(**_sdk(row, readiness, now), key=shown_text(row, keys))


def new_sdk_key(
    row: KeyRow, readiness: PropertyReadiness, text: KeyText, now: datetime
) -> SdkKeyCreated:
    return SdkKeyCreated(**_sdk(row, readiness, now), key=text.text)


def integration_key(row: KeyRow, now: datetime) -> IntegrationKeyPublic:
    return IntegrationKeyPublic(**_shared(row, now), scopes=row.scopes)


def new_integration_key(row: KeyRow, text: KeyText, now: datetime) -> IntegrationKeyCreated:
    return IntegrationKeyCreated(**_shared(row, now), scopes=row.scopes, key=text.text)


def _sdk(row: KeyRow, readiness: PropertyReadiness, now: datetime) -> dict[str, Any]:
    return _shared(row, now) | {"blocked_by": blocked_by(row, readiness)}


def _shared(row: KeyRow, now: datetime) -> dict[str, Any]:
    return {
        "id": row.id,
        "property_id": row.property_id,
        "kind": row.kind,
        "environment": row.environment,
        "is_test": row.environment == Environment.TEST,
        "name": row.name,
        "last4": row.last4,
        "created_by": row.created_by,
        "created_at": row.created_at,
        "last_used_at": row.last_used_at,
        "expires_at": row.expires_at,
        "revoked_at": row.revoked_at,
        "status": status_of(row, now),
        "previous_key_id": row.previous_key_id,
        "rotation_due": is_rotation_due(row, now),
        "version": row.version,
    }
