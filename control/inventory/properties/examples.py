"""Examples of a property's request and response for the API description."""

from typing import Any

from control.foundation.openapi_examples import MADE_AT, PROPERTY_ID

PROPERTY_BODY: dict[str, Any] = {
    "name": "Example News",
    "kind": "web",
    "domain": "news.example.com",
    "allowed_origins": ["https://news.example.com"],
    "timezone": "America/Sao_Paulo",
}

PROPERTY_PATCH: dict[str, Any] = {"rate_limits": {"serve_per_key_s": 2000}}

RATE_LIMITS: dict[str, Any] = {
    "serve_per_key_s": 1000,
    "serve_per_ip_s": 100,
    "track_per_key_s": 2000,
    "track_per_ip_s": 200,
}

PROPERTY: dict[str, Any] = {
    "id": PROPERTY_ID,
    "name": "Example News",
    "kind": "web",
    "domain": "news.example.com",
    "bundle_id": None,
    "status": "unverified",
    "verification": {"method": None, "token": None, "checked_at": None, "last_error": None},
    "allowed_origins": ["https://news.example.com"],
    "timezone": "America/Sao_Paulo",
    "currency": "USD",
    "excluded_ip_ranges": [],
    "consent_policy": "required",
    "token_ttl_seconds": 600,
    "server_rendering": False,
    "rate_limits": RATE_LIMITS,
    "blocked_categories": [],
    "blocked_ad_ids": [],
    "payout": {"payee": None, "share_percent": 0},
    "sdk": {"min": {"web": "0.1.0"}, "flags": {"sticky_header": True}},
    "version": 1,
    "created_at": MADE_AT,
    "updated_at": MADE_AT,
}
