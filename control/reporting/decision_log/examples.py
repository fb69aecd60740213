"""The example decision of the public description."""

from typing import Any

from common.decision import no_fill_messages
from common.decision.rules.outcome import NoFillReason
from control.foundation.openapi_examples import AD_ID, CAMPAIGN_ID, MADE_AT, PROPERTY_ID, SLOT_ID

DECISION_ID = "019c7a1e-5b3e-7c10-9a53-0d7f4c1f3a11"

EXPLAIN_BODY: dict[str, Any] = {"decision_id": DECISION_ID, "limit": 100}

EXPLAINED: dict[str, Any] = {
    "decision_id": DECISION_ID,
    "reproduced": True,
    "at": MADE_AT,
    "environment": "live",
    "property_id": PROPERTY_ID,
    "slot_id": SLOT_ID,
    "snapshot": {"epoch": "01940b3e-0000-7000-8000-0000000000f0", "version": 812},
    "seed": "9f86d081884c7d65",
    "outcome": {
        "filled": False,
        "ad_id": None,
        "campaign_id": None,
        "source": None,
        "price_micros": None,
        "reason": "geo_not_targeted",
        "words": no_fill_messages.message_of(NoFillReason.GEO_NOT_TARGETED),
    },
    "consent": {
        "limited": True,
        "child_directed": False,
        "personal": False,
        "storage": False,
        "measurement": False,
        "why": ["npa"],
    },
    "considered": [
        {
            "campaign_id": CAMPAIGN_ID,
            "ad_id": AD_ID,
            "state": "dropped",
            "dropped_by": "geo_not_targeted",
            "words": no_fill_messages.message_of(NoFillReason.GEO_NOT_TARGETED),
            "turn": None,
            "priority": "auction",
            "ecpm_micros": 2_500_000,
            "clicks_ppm": 1_000,
            "conversions_ppm": 10_000,
            "weight": 1,
            "matched": ["languages"],
            "missed": ["geo"],
        }
    ],
    "considered_total": 1,
}
