"""Rows of the control plane with good defaults, for rules that are asked without a database."""

from datetime import UTC, datetime
from typing import Any

from common.contract.operation import Auth
from common.contract.permissions import Role, permissions_of
from common.values.ids import new_id
from control.demand.campaigns.schemas import Attribution
from control.foundation.principal import Principal
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import KeyRow

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def a_campaign_row(**columns: Any) -> CampaignRow:
    """An active live campaign without flight, budget or targeting."""
    defaults: dict[str, Any] = {
        "id": new_id(),
        "account_id": new_id(),
        "environment": "live",
        "property_ids": [new_id()],
        "name": "Spring sale",
        "objective": "traffic",
        "pricing_model": "cpm",
        "bid_cents": 200,
        "pacing": "even",
        "priority": "auction",
        "timezone": "UTC",
        "attribution": Attribution().model_dump(mode="json"),
        "status": "active",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return CampaignRow(**(defaults | columns))


def an_ad_row(**columns: Any) -> AdRow:
    """An active live html ad without targeting."""
    defaults: dict[str, Any] = {
        "id": new_id(),
        "account_id": new_id(),
        "campaign_id": new_id(),
        "environment": "live",
        "name": "Spring",
        "format": "html",
        "content": {"html": "<b>x</b>", "width": 300, "height": 250},
        "tracking": {"impression_urls": [], "click_urls": []},
        "status": "active",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return AdRow(**(defaults | columns))


def a_key_row(**columns: Any) -> KeyRow:
    """A live publishable key without id and text."""
    defaults: dict[str, Any] = {
        "account_id": new_id(),
        "property_id": new_id(),
        "kind": "publishable",
        "environment": "live",
        "name": "Website",
        "created_by": new_id(),
        "created_at": NOW,
    }
    return KeyRow(**(defaults | columns))


def a_principal(role: Role = Role.OWNER, **values: Any) -> Principal:
    """A signed-in user with what *role* carries."""
    defaults: dict[str, Any] = {
        "auth": Auth.ACCESS_TOKEN,
        "account_id": new_id(),
        "user_id": new_id(),
        "role": role,
        "is_operator": False,
        "permissions": permissions_of(role, operator=False),
        "scopes": frozenset(),
        "lost": frozenset(),
        "key_id": None,
        "environment": None,
        "property_id": None,
    }
    return Principal(**(defaults | values))
