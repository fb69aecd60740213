"""Examples of an ad's request and response for the API description."""

from typing import Any

from common.values.enums import AdStatus
from control.demand.ads.schemas import AdCreate, AdPublic
from control.foundation.openapi_examples import AD_ID, CAMPAIGN_ID, MADE_AT
from control.foundation.resource_models import created_example

_CONTENT: dict[str, Any] = {
    "image_url": "https://cdn.example.com/spring-300x250.png",
    "width": 300,
    "height": 250,
    "alt": "Spring sale",
}

AD_BODY: dict[str, Any] = {
    "campaign_id": CAMPAIGN_ID,
    "name": "Spring, 300×250",
    "format": "banner",
    "content": _CONTENT,
    "categories": ["IAB22"],
    "click_url": "https://shop.example.com/spring?ad={ad_id}&click={click_id}",
    "weight": 10,
}

AD_PATCH: dict[str, Any] = {"weight": 20}

AD = created_example(
    AdPublic,
    AdCreate,
    AD_BODY,
    id=AD_ID,
    content=_CONTENT,
    advertiser_domain="example.com",
    targeting={},
    status=AdStatus.DRAFT,
    review=None,
    is_test=False,
    version=1,
    created_at=MADE_AT,
    updated_at=MADE_AT,
)
