"""Example embed sessions of the public description."""

from typing import Any

from control.foundation.openapi_examples import CAMPAIGN_ID

EMBED_BODY: dict[str, Any] = {
    "component": "campaign_edit",
    "origin": "https://app.customer.example",
    "context": {"campaign_id": CAMPAIGN_ID, "locale": "pt-BR", "theme": "dark"},
}

EMBED_SESSION: dict[str, Any] = {
    "client_secret": "cs_5yVqJk1Zr0a8mWc3tQ7bX9dF2hL4nP6sU8wYzA1CeEg",
    "url": "https://placard.example/embed?cs=cs_5yVqJk1Zr0a8mWc3tQ7bX9dF2hL4nP6sU8wYzA1CeEg",
    "expires_at": "2026-02-20T12:05:00.000Z",
}
