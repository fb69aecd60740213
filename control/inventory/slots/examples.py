"""Examples of a slot's request and response for the API description."""

from typing import Any

from control.foundation.openapi_examples import MADE_AT, PROPERTY_ID, SLOT_ID

SLOT_BODY: dict[str, Any] = {
    "property_id": PROPERTY_ID,
    "key": "article-top",
    "name": "Article, top",
    "formats": ["banner", "html"],
    "sizes": [{"width": 300, "height": 250}],
    "floor_cents": 50,
}

SLOT_PATCH: dict[str, Any] = {"floor_cents": 80}

SLOT: dict[str, Any] = {
    "id": SLOT_ID,
    "key": "article-top",
    "property_id": PROPERTY_ID,
    "name": "Article, top",
    "formats": ["banner", "html"],
    "sizes": [{"width": 300, "height": 250}],
    "floor_cents": 50,
    "refresh_seconds": None,
    "house_ad_id": None,
    "blocked_advertiser_domains": [],
    "blocked_categories": [],
    "audio": None,
    "status": "active",
    "version": 1,
    "created_at": MADE_AT,
    "updated_at": MADE_AT,
}
