"""What a resource's endpoints change is in the outbox with the commit, and only what edges need."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel
from sqlmodel import col, select

from common.values.clock import to_iso, to_ms
from control.demand.ads.schemas import AdPatch
from control.demand.campaigns.schemas import CampaignPatch
from control.inventory.properties.schemas import PropertyPatch
from control.inventory.slots.schemas import SlotPatch
from control.storage.tables.outbox import SnapshotObjectRow
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer


async def _known(api: ControlApi, *ids: str) -> dict[str, str]:
    """Object id to its canonical JSON, as edges get it."""
    wanted = select(SnapshotObjectRow).where(col(SnapshotObjectRow.id).in_(ids))
    async with api.control.database.service() as session:
        return {row.id: row.body.decode() for row in await session.scalars(wanted)}


async def test_a_property_is_published_with_its_slot(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    slot = await customer.make_slot(site["id"], key="top")

    known = await _known(api, owner.account_id, site["id"], slot["id"])

    assert known.keys() == {owner.account_id, site["id"], slot["id"]}
    assert '"kid":1' in known[site["id"]]
    assert '"key":"top"' in known[slot["id"]]


async def test_a_rotated_key_is_published_with_its_replacement(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    old = await customer.make_sdk_key(site["id"])
    new = (await customer.post(f"/v1/sdk-keys/{old['id']}/rotate")).json()

    known = await _known(api, old["id"], new["id"])

    assert '"revoked_at_ms":null' not in known[old["id"]]
    assert '"revoked_at_ms":null' in known[new["id"]]


async def test_a_new_expiry_of_a_key_is_published(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    key = await customer.make_sdk_key((await customer.make_property())["id"])
    ends_at = api.control.clock.now() + timedelta(days=1)

    await customer.patch(f"/v1/sdk-keys/{key['id']}", 1, {"expires_at": to_iso(ends_at)})

    assert f'"expires_at_ms":{to_ms(ends_at)}' in (await _known(api, key["id"]))[key["id"]]


async def test_a_campaign_is_published_once_it_runs(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    ad = await customer.make_ad(campaign["id"])
    before = await _known(api, campaign["id"], ad["id"])

    await customer.post(f"/v1/ads/{ad['id']}/activate")
    await customer.post(f"/v1/campaigns/{campaign['id']}/activate")
    await customer.patch(f"/v1/campaigns/{campaign['id']}", 2, {"bid_cents": 321})

    known = await _known(api, campaign["id"], ad["id"])
    assert before == {}
    assert known.keys() == {campaign["id"], ad["id"]}
    assert '"bid_micros":3210' in known[campaign["id"]]


async def test_an_integration_key_is_not_published(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    headers = await customer.key_headers(site["id"])
    key = (await customer.get("/v1/me", headers)).json()["key"]

    assert await _known(api, key["id"]) == {}


_START = "2026-01-01T00:00:00Z"
_CHANGES: dict[type[BaseModel], dict[str, Any]] = {
    PropertyPatch: {
        "name": "Other",
        "domain": "other.example.com",
        "bundle_id": "com.example.other",
        "allowed_origins": ["https://amp.example.com"],
        "timezone": "Asia/Tokyo",
        "excluded_ip_ranges": ["203.0.113.0/24"],
        "consent_policy": "presumed",
        "token_ttl_seconds": 700,
        "rate_limits": {"serve_per_key_s": 7},
        "blocked_categories": ["IAB7"],
        "blocked_ad_ids": [],
        "payout": {"share_percent": 30},
        "sdk": {"flags": {"sticky": True}},
        "server_rendering": True,
    },
    SlotPatch: {
        "name": "Other",
        "formats": ["banner", "audio"],
        "sizes": [{"width": 728, "height": 90}],
        "floor_cents": 7,
        "refresh_seconds": 45,
        "house_ad_id": None,
        "blocked_advertiser_domains": ["rival.example"],
        "blocked_categories": ["IAB7"],
        "audio": {"max_duration_ms": 30_000},
        "separate_categories": True,
        "status": "archived",
    },
    CampaignPatch: {
        "property_ids": [],
        "name": "Other",
        "objective": "leads",
        "pricing_model": "cpc",
        "bid_cents": 777,
        "pacing": "asap",
        "priority": "standard",
        "start_at": _START,
        "end_at": "2099-01-01T00:00:00Z",
        "timezone": "Asia/Tokyo",
        "budget": {"total_cents": 5_000},
        "goal": {"kind": "clicks", "total": 9},
        "share_of_voice_percent": None,
        "frequency_caps": [
            {"scope": "ad", "event": "click", "limit": 2, "window": {"interval": 1, "unit": "day"}}
        ],
        "targeting": {"languages": ["pt"]},
        "attribution": {"click_window_hours": 9},
        "external_ref": "order-9",
        "metadata": {"team": "nine"},
    },
    AdPatch: {
        "name": "Other",
        "content": {
            "image_url": "https://cdn.example.com/b.png",
            "width": 728,
            "height": 90,
            "alt": "B",
        },
        "asset_ids": {},
        "categories": ["IAB7"],
        "tracking": {"impression_urls": ["https://count.example.com/i"]},
        "click_url": "https://other.example.com/",
        "weight": 9,
        "slot_ids": [],
        "targeting": {"languages": ["pt"]},
    },
}
_ELSEWHERE: dict[type[BaseModel], dict[str, str]] = {
    PropertyPatch: {
        "name": "people read it, on pages and in reports",
        "blocked_ad_ids": "an ad of the account, which this test has not",
        "payout": "the ledger shares what is spent by it",
    },
    SlotPatch: {
        "name": "people read it",
        "house_ad_id": "an active ad, which this test has not",
    },
    CampaignPatch: {
        "property_ids": "another property, which this test has not",
        "name": "people read it",
        "pacing": "`control pace` grants leases by it",
        "share_of_voice_percent": "of sponsorships alone",
        "attribution": "`control/events/attribution` decides by it",
        "external_ref": "lists are filtered by it",
        "metadata": "answered as it came, for whoever wrote it",
    },
    AdPatch: {
        "asset_ids": "fills in the content: `test_ads_of_assets`",
        "slot_ids": "slots of the campaign, which this test has not",
    },
}
"""What edges do not decide by, or this test cannot change, and who does."""
_UNCHANGED = {"bundle_id", "property_ids"}
"""A website has no bundle id; a campaign needs a property, and there is one."""


@pytest.mark.parametrize("model", _CHANGES)
def test_each_field_of_a_patch_is_changed_by_the_next_test(model: type[BaseModel]) -> None:
    assert _CHANGES[model].keys() == model.model_fields.keys()


@pytest.mark.parametrize("model", _CHANGES)
async def test_a_changed_field_changes_what_edges_have(
    api: ControlApi, model: type[BaseModel]
) -> None:
    customer = Customer(api, await api.sign_up())
    site = await customer.make_property()
    slot = await customer.make_slot(site["id"])
    campaign = await customer.make_campaign(site["id"], "test")
    ad = await customer.make_ad(campaign["id"], "test")
    kinds = {PropertyPatch: site, SlotPatch: slot, CampaignPatch: campaign, AdPatch: ad}
    names = {
        PropertyPatch: "properties",
        SlotPatch: "slots",
        CampaignPatch: "campaigns",
        AdPatch: "ads",
    }
    mine, changes = kinds[model]["id"], _CHANGES[model]

    same = set()
    version, before = kinds[model]["version"], (await _known(api, mine))[mine]
    for field, value in changes.items():
        if field in _UNCHANGED:
            continue
        answer = await customer.patch(f"/v1/{names[model]}/{mine}", version, {field: value})
        assert answer.status_code == 200, answer.text
        version, after = answer.json()["version"], (await _known(api, mine))[mine]
        if after == before:
            same.add(field)
        before = after

    assert same == _ELSEWHERE[model].keys() - _UNCHANGED
