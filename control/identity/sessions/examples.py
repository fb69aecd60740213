"""Examples of sessions for the API description; their tokens are not valid."""

from typing import Any

from control.foundation.openapi_examples import ACCOUNT_ID

SESSION_ID = "01940b3e-0000-7000-8000-0000000000a7"

PASSWORD_GRANT: dict[str, Any] = {
    "grant_type": "password",
    "email": "ana@acme.example",
    "password": "correct horse battery",
}

TOKENS: dict[str, Any] = {
    "access_token": "at_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "token_type": "Bearer",
    "expires_in": 3600,
    "refresh_token": "rt_9k1-2bAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
}

SESSION: dict[str, Any] = {
    "id": SESSION_ID,
    "account_id": ACCOUNT_ID,
    "created_at": "2026-02-20T12:00:00.000Z",
    "last_used_at": "2026-02-21T08:15:00.000Z",
    "expires_at": "2026-03-07T08:15:00.000Z",
    "revoked_at": None,
    "origin": "203.0.113.7",
    "agent": "Firefox",
    "is_current": True,
}

REVOKED_SESSION: dict[str, Any] = SESSION | {
    "revoked_at": "2026-02-21T09:30:00.000Z",
    "is_current": False,
}
