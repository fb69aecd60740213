"""Examples of the edge's responses and bodies for the public description."""

from typing import Any

_TOKEN = "AQAAAgAAAAAAAQGbJ5q…"

SERVED_AD: dict[str, Any] = {
    "decision_id": "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e77",
    "ad_id": "01936e11-02aa-7b41-8d3e-0c8f4f1f2a10",
    "campaign_id": "01936e10-f4c1-7e07-a2b9-64cbb0a6a001",
    "slot_id": "01936e0f-9b1e-7d55-b6a4-2f6f3d0c9e52",
    "property_id": "01936e0f-8a77-7f3c-9c11-7b0a51f0d3c4",
    "format": "banner",
    "width": 300,
    "height": 250,
    "content": {
        "image_url": "https://assets.example/shoes.png",
        "width": 300,
        "height": 250,
        "alt": "Running shoes",
    },
    "html": (
        '<a href="https://edge.example/v1/click/…" target="_blank" rel="sponsored noopener">'
        '<img src="https://assets.example/shoes.png" alt="Running shoes" width="300" height="250"></a>'
    ),
    "track_token": _TOKEN,
    "impression_url": "https://edge.example/v1/impression/AQAAAgAAAAAAAQGbJ5q….gif",
    "click_url": "https://edge.example/v1/click/AQAAAgAAAAAAAQGbJ5q…",
    "source": "auction",
    "is_test": False,
    "ttl_seconds": 600,
    "viewability": {"ratio": 0.5, "duration_ms": 1000},
}

TRACK_BODY: dict[str, Any] = {"token": _TOKEN, "event": "impression"}
TRACK_MANY_BODY: dict[str, Any] = {"events": [TRACK_BODY, {"token": _TOKEN, "event": "click"}]}
TRACKED_MANY: dict[str, Any] = {
    "results": [
        {"status": 204},
        {
            "status": 410,
            "error": {
                "code": "token_expired",
                "message": "The token's time of 600 s is over. Serve a new ad.",
            },
        },
    ]
}

FEATURES: dict[str, Any] = {
    "property_id": "01936e0f-8a77-7f3c-9c11-7b0a51f0d3c4",
    "environment": "live",
    "version": "9f2c4b7a1e0d3f58",
    "flags": {"several_slots": True},
    "slots": [
        {
            "key": "sidebar",
            "id": "01936e0f-9b1e-7d55-b6a4-2f6f3d0c9e52",
            "formats": ["banner", "html"],
            "sizes": [{"width": 300, "height": 250}],
            "refresh_seconds": None,
        }
    ],
    "consent": {"required": ["gdpr", "lgpd"], "default": "non_personalized"},
    "tracking": {
        "viewability": {"ratio": 0.5, "duration_ms": 1000},
        "timeout_ms": 3000,
        "retry": {"max": 3, "base_ms": 500},
    },
    "sdk": {"min": {}, "kill_switch": False},
    "ttl_seconds": 300,
}
