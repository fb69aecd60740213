"""Examples of a slot's request and response for the API description."""

from typing import Any

from common.values.enums import SlotStatus
from control.foundation.openapi_examples import MADE_AT, PROPERTY_ID, SLOT_ID
from control.foundation.resource_models import created_example
from control.inventory.slots.schemas import SlotCreate, SlotPublic

SLOT_BODY: dict[str, Any] = {
    "property_id": PROPERTY_ID,
    "key": "article-top",
    "name": "Article, top",
    "formats": ["banner", "html"],
    "sizes": [{"width": 300, "height": 250}],
    "floor_cents": 50,
}

SLOT_PATCH: dict[str, Any] = {"floor_cents": 80}

SLOT = created_example(
    SlotPublic,
    SlotCreate,
    SLOT_BODY,
    id=SLOT_ID,
    status=SlotStatus.ACTIVE,
    version=1,
    created_at=MADE_AT,
    updated_at=MADE_AT,
)
