"""Examples of a user's own data for the API description."""

from typing import Any

from control.foundation.openapi_examples import ACCOUNT_ID, MADE_AT, USER_ID

MAIL_CHOICES: dict[str, Any] = {"off": ["verification_failing"], "monthly": ["keys_to_rotate"]}

EXPORT: dict[str, Any] = {
    "exported_at": MADE_AT,
    "user": {
        "id": USER_ID,
        "email": "ana@acme.example",
        "name": "Ana",
        "language": "pt-BR",
        "created_at": MADE_AT,
        "email_verified_at": MADE_AT,
        "mails_off": [],
        "mails_monthly": [],
    },
    "memberships": [
        {
            "account_id": ACCOUNT_ID,
            "account_name": "Acme Media",
            "role": "owner",
            "joined_at": MADE_AT,
        }
    ],
    "invitations_sent": [],
    "sessions": [],
    "known_networks": [],
    "second_factor": None,
    "keys_created": [],
    "saved_views": [],
    "privacy_requests": [],
    "audit_lines": [],
}
