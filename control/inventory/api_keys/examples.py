"""Examples of keys for the API description; their texts are not valid keys."""

from typing import Any

from control.foundation.openapi_examples import KEY_ID, MADE_AT, PROPERTY_ID, USER_ID

SDK_KEY_BODY: dict[str, Any] = {
    "property_id": PROPERTY_ID,
    "kind": "publishable",
    "environment": "live",
    "name": "Website",
}

INTEGRATION_KEY_BODY: dict[str, Any] = {
    "property_id": PROPERTY_ID,
    "environment": "live",
    "name": "Order system",
    "scopes": ["campaign:read", "campaign:write", "ad:read", "ad:write"],
    "expires_at": "2026-12-31T23:00:00.000Z",
}

_SHARED: dict[str, Any] = {
    "id": KEY_ID,
    "property_id": PROPERTY_ID,
    "environment": "live",
    "is_test": False,
    "last4": "mple",
    "created_by": USER_ID,
    "created_at": MADE_AT,
    "last_used_at": None,
    "expires_at": None,
    "revoked_at": None,
    "status": "active",
    "previous_key_id": None,
    "rotation_due": False,
    "version": 1,
}

SDK_KEY: dict[str, Any] = _SHARED | {
    "kind": "publishable",
    "name": "Website",
    "key": "pk_live_this_is_an_example",
    "blocked_by": "property_unverified",
}

ROTATED_KEY: dict[str, Any] = SDK_KEY | {
    "id": "01940b3e-0000-7000-8000-0000000000d2",
    "previous_key_id": KEY_ID,
    "rotation_due": False,
}

INTEGRATION_KEY: dict[str, Any] = _SHARED | {
    "kind": "integration",
    "name": "Order system",
    "scopes": INTEGRATION_KEY_BODY["scopes"],
    "expires_at": INTEGRATION_KEY_BODY["expires_at"],
}

KEY_PATCH: dict[str, Any] = {"name": "Order system, Lisbon", "expires_at": None}

NEW_INTEGRATION_KEY: dict[str, Any] = INTEGRATION_KEY | {"key": "ak_live_this_is_an_example"}

ROTATED_INTEGRATION_KEY: dict[str, Any] = NEW_INTEGRATION_KEY | {
    "id": "01940b3e-0000-7000-8000-0000000000d3",
    "previous_key_id": KEY_ID,
    "rotation_due": False,
}


def revoked(key: dict[str, Any]) -> dict[str, Any]:
    return key | {"revoked_at": "2026-02-21T09:30:00.000Z", "status": "revoked", "version": 2}


def patched(key: dict[str, Any]) -> dict[str, Any]:
    return key | KEY_PATCH | {"version": 2}
