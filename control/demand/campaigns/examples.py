"""Examples of a campaign's request and response for the API description."""

from typing import Any

from common.values.enums import CampaignStatus
from control.demand.campaigns.schemas import (
    Budget,
    CampaignCreate,
    CampaignPublic,
    DeliveryStatus,
)
from control.foundation.openapi_examples import CAMPAIGN_ID, MADE_AT, PROPERTY_ID
from control.foundation.resource_models import created_example

CAMPAIGN_BODY: dict[str, Any] = {
    "name": "Spring sale",
    "objective": "traffic",
    "pricing_model": "cpm",
    "bid_cents": 250,
    "pacing": "even",
    "start_at": "2026-03-01T00:00:00.000Z",
    "end_at": "2026-04-01T00:00:00.000Z",
    "external_ref": "order-4711",
    "metadata": {"buyer": "ana"},
}

CAMPAIGN_PATCH: dict[str, Any] = {"bid_cents": 300, "end_at": None}

CAMPAIGN = created_example(
    CampaignPublic,
    CampaignCreate,
    CAMPAIGN_BODY,
    id=CAMPAIGN_ID,
    property_ids=[PROPERTY_ID],
    timezone="America/Sao_Paulo",
    budget=Budget(),
    targeting={},
    status=CampaignStatus.DRAFT,
    delivery_status=DeliveryStatus.NOT_DELIVERING,
    delivery_reason="draft: activate the campaign",
    spend_cents=0,
    review=None,
    is_test=False,
    version=1,
    created_at=MADE_AT,
    updated_at=MADE_AT,
)
