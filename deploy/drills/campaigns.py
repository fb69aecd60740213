"""A campaign that a drill adds to the demo's, by the public API."""

import asyncio
from typing import Any

from common.tracking.token import parse_token
from deploy.drills.oracle import PATIENCE_S, Traffic
from deploy.standalone import demo_ads
from deploy.standalone.demo_api import DemoApi, RefusedError

HIGH_BID_CENTS = 1_000
"""More than the demo's own campaign of the slot bids, so that the new one is shown as long as it may be."""


def make_campaign(demo: dict[str, Any], name: str, **own: Any) -> str:
    """The id of an active campaign with an ad in the slot ``banner``. *own*: fields of the campaign."""
    api = _api(demo)
    body = {**demo_ads.campaign("banner", demo["property"]["id"]), "name": name, **own}
    campaign_id = str(api.post("/v1/campaigns", body)["id"])
    slot_id = demo["slots"]["banner"]["id"]
    ad = demo_ads.ad("banner", campaign_id, slot_id, demo["control_url"], {})
    ad_id = str(api.post("/v1/ads", ad)["id"])
    for kind, object_id in (("ads", ad_id), ("campaigns", campaign_id)):
        api.post(f"/v1/{kind}/{object_id}/activate")
    return campaign_id


def has_campaign(demo: dict[str, Any], campaign_id: str) -> bool:
    try:
        _api(demo).get(f"/v1/campaigns/{campaign_id}")
    except RefusedError as refusal:
        if refusal.code != "not_found":
            raise
        return False
    return True


async def show(traffic: Traffic, campaign_id: str, count: int) -> int:
    """Shows *count* ads, and returns how many were of this campaign."""
    tokens = await traffic.serve(count)
    await traffic.track(tokens)
    return sum(str(parse_token(one)[0].campaign_id) == campaign_id for one in tokens)


async def until_shown(traffic: Traffic, campaign_id: str) -> None:
    """Raises TimeoutError."""
    async with asyncio.timeout(PATIENCE_S):
        while not await show(traffic, campaign_id, 1):
            pass


def _api(demo: dict[str, Any]) -> DemoApi:
    api = DemoApi(demo["control_url"])
    api.token = demo["keys"]["ak_live"]["key"]
    return api
