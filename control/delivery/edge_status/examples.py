"""Examples of edges in the public API description."""

from typing import Any

_SEEN_AT = "2026-02-21T09:30:00.120Z"

EDGE_WORKER: dict[str, Any] = {
    "environment": "live",
    "edge": "edge-fra-1",
    "worker": "edge-fra-1/0",
    "boot": "6f1c0b7de5a94f0f8f0d8a5d9c1e2b3a",
    "version": 4811,
    "behind": 1,
    "age_seconds": 0.4,
    "living": True,
    "ok": True,
    "seen_at": _SEEN_AT,
    "last_ack_at": _SEEN_AT,
    "last_nack": None,
}

PROPAGATION: dict[str, Any] = {
    "version": 4812,
    "head": 4812,
    "complete": False,
    "workers": 4,
    "pending": [
        {
            "environment": "live",
            "version": 4811,
            "seen_at": _SEEN_AT,
            "worker": None,
            "reason": None,
        }
    ],
    "as_of": "2026-02-21T09:30:00.200Z",
}
