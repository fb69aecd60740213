"""Examples of callers for the API description."""

from typing import Any

from control.foundation.openapi_examples import KEY_ID, MADE_AT, PROPERTY_ID, USER_ID
from control.identity.accounts.examples import ACCOUNT

_SHARED: dict[str, Any] = {
    "account": ACCOUNT,
    "is_operator": False,
    "user": {
        "id": USER_ID,
        "email": "ana@acme.example",
        "name": "Ana",
        "email_verified": True,
        "language": "pt-BR",
    },
    "keys_to_rotate": 0,
    "rate_limit": {"calls_per_second": 10, "burst": 30, "left": 29},
    "server_time": "2026-02-21T09:30:00.000Z",
    "snapshot_version": 4812,
}

ME: dict[str, Any] = _SHARED | {
    "credential": "integration_key",
    "role": "analyst",
    "permissions": ["campaign:read"],
    "scopes": ["campaign:read", "campaign:write"],
    "lost_scopes": [
        {
            "scope": "campaign:write",
            "reason": "The user who made the key is `analyst` now. Give the permission back, or rotate the key as "
            "somebody who has it.",
        }
    ],
    "environment": "live",
    "property_id": PROPERTY_ID,
    "property": {
        "id": PROPERTY_ID,
        "name": "Daily News",
        "domain": "news.example.com",
        "status": "unverified",
    },
    "key": {
        "id": KEY_ID,
        "kind": "integration",
        "name": "Order system",
        "last4": "x7Qa",
        "environment": "live",
        "created_by": USER_ID,
        "creator_is_member": True,
        "created_at": MADE_AT,
        "last_used_at": "2026-02-21T09:28:41.000Z",
        "expires_at": None,
        "rotation_due": False,
    },
    "blocks": [
        {
            "code": "property_unverified",
            "message": "The property is not verified: edges serve nothing to its live keys. Verify it.",
        }
    ],
}

RENAMED: dict[str, Any] = _SHARED | {
    "credential": "access_token",
    "role": "analyst",
    "permissions": ["campaign:read", "ad:read", "asset:read", "property:read", "reports:read"],
    "scopes": None,
    "lost_scopes": [],
    "environment": None,
    "property_id": None,
    "property": None,
    "key": None,
    "blocks": [],
}
