"""Examples of a property's request and response for the API description."""

from typing import Any

from common.values.enums import PropertyStatus
from control.foundation.openapi_examples import MADE_AT, PROPERTY_ID
from control.foundation.resource_models import created_example
from control.inventory.properties.schemas import (
    PropertyCreate,
    PropertyPublic,
    PropertySdk,
    VerificationPublic,
)

PROPERTY_BODY: dict[str, Any] = {
    "name": "Example News",
    "kind": "web",
    "domain": "news.example.com",
    "allowed_origins": ["https://news.example.com"],
    "timezone": "America/Sao_Paulo",
}

PROPERTY_PATCH: dict[str, Any] = {"rate_limits": {"serve_per_key_s": 2000}}

PROPERTY = created_example(
    PropertyPublic,
    PropertyCreate,
    PROPERTY_BODY,
    id=PROPERTY_ID,
    status=PropertyStatus.UNVERIFIED,
    verification=dict.fromkeys(VerificationPublic.model_fields),
    currency="USD",
    sdk=PropertySdk(min={"web": "0.1.0"}, flags={"sticky_header": True}),
    version=1,
    created_at=MADE_AT,
    updated_at=MADE_AT,
)
RATE_LIMITS = PROPERTY["rate_limits"]
