"""Rows with good defaults: name only what the test is about."""

from datetime import timedelta
from typing import Any

from common.service.secrets import Purpose
from common.values.clock import from_ms
from common.values.environment import Environment
from common.values.ids import new_id
from common.values.keys import KeyKind, new_key
from control.storage.tables.accounts import AccountRow, UserRow
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import KeyRow, PropertyRow, PropertySecretRow, SlotRow
from tests.support.builders import KEY_RING, NOW_MS

NOW = from_ms(NOW_MS)
SECRET = b"a shared secret of 32 bytes....."
_TIMES: dict[str, Any] = {"created_at": NOW, "updated_at": NOW}


def an_account_row(**changes: Any) -> AccountRow:
    values: dict[str, Any] = {
        "id": new_id(),
        "name": "Acme",
        "currency": "EUR",
        "state": "active",
        "billing_mode": "invoiced",
        "address_verified_at": _TIMES["created_at"],
        **_TIMES,
    }
    return AccountRow(**values | changes)


def a_user_row(**changes: Any) -> UserRow:
    user_id = new_id()
    values: dict[str, Any] = {
        "id": user_id,
        "email": f"{user_id}@shop.example",
        "name": "Ada",
        "password_hash": "-",
        "created_at": NOW,
    }
    return UserRow(**values | changes)


def a_property_row(account: AccountRow, **changes: Any) -> PropertyRow:
    limits = {"serve_per_key_s": 1, "serve_per_ip_s": 2, "track_per_key_s": 3, "track_per_ip_s": 4}
    values: dict[str, Any] = {
        "id": new_id(),
        "account_id": account.id,
        "name": "Shop",
        "kind": "web",
        "domain": "shop.example",
        "status": "verified",
        "timezone": "UTC",
        "consent_policy": "required",
        "token_ttl_seconds": 600,
        "rate_limits": limits,
        **_TIMES,
    }
    return PropertyRow(**values | changes)


def a_secret_row(owner: PropertyRow, **changes: Any) -> PropertySecretRow:
    sealed = KEY_RING.seal(Purpose.PROPERTY_SECRETS, SECRET, bound_to=owner.id)
    values: dict[str, Any] = {
        "property_id": owner.id,
        "kid": 1,
        "account_id": owner.account_id,
        "sealed": sealed,
        "state": "sign",
        "created_at": NOW,
    }
    return PropertySecretRow(**values | changes)


def a_slot_row(owner: PropertyRow, **changes: Any) -> SlotRow:
    values: dict[str, Any] = {
        "id": new_id(),
        "account_id": owner.account_id,
        "property_id": owner.id,
        "key": "top",
        "name": "Top",
        "formats": ["banner"],
        "sizes": [{"width": 300, "height": 250}],
        "floor_cents": 5,
        "status": "active",
        **_TIMES,
    }
    return SlotRow(**values | changes)


def a_key_row(owner: PropertyRow, user: UserRow, **changes: Any) -> KeyRow:
    text = new_key(KeyKind.PUBLISHABLE, Environment(changes.get("environment", "test")))
    values: dict[str, Any] = {
        "id": new_id(),
        "account_id": owner.account_id,
        "property_id": owner.id,
        "kind": "publishable",
        "environment": "test",
        "name": "Site",
        "hash": text.hash,
        "last4": text.last4,
        "created_by": user.id,
        "created_at": NOW,
    }
    return KeyRow(**values | changes)


def a_campaign_row(account: AccountRow, **changes: Any) -> CampaignRow:
    values: dict[str, Any] = {
        "id": new_id(),
        "account_id": account.id,
        "environment": "test",
        "name": "Spring",
        "objective": "traffic",
        "pricing_model": "cpm",
        "bid_cents": 200,
        "pacing": "even",
        "priority": "auction",
        "timezone": "UTC",
        "status": "active",
        "start_at": NOW - timedelta(days=1),
        "end_at": NOW + timedelta(days=1),
        **_TIMES,
    }
    return CampaignRow(**values | changes)


def an_ad_row(campaign: CampaignRow, **changes: Any) -> AdRow:
    values: dict[str, Any] = {
        "id": new_id(),
        "account_id": campaign.account_id,
        "campaign_id": campaign.id,
        "environment": campaign.environment,
        "name": "Blue",
        "format": "banner",
        "content": {"image_url": "https://cdn.example/a.png", "width": 300, "height": 250},
        "click_url": "https://advertiser.example/",
        "advertiser_domain": "advertiser.example",
        "status": "active",
        **_TIMES,
    }
    return AdRow(**values | changes)
