"""Example of a rotation for the API description."""

from typing import Any

from control.foundation.openapi_examples import MADE_AT, PROPERTY_ID

ROTATION: dict[str, Any] = {
    "property_id": PROPERTY_ID,
    "kid": 2,
    "state": "verify",
    "signs_at": "2026-02-21T13:00:00.000Z",
    "replaces_kid": 1,
    "created_at": MADE_AT,
}
