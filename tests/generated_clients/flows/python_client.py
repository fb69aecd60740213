"""The flow by openapi-python-client."""

import importlib
import json
import os
import time
import uuid
from typing import Any

placard: Any = importlib.import_module("placard_client")
models: Any = importlib.import_module("placard_client.models")
stack = json.loads(os.environ["PLACARD_DEMO"])
mark = uuid.uuid4().hex[:12]


def call(path: str, **given: Any) -> Any:
    """*path*: tag and operation."""
    answer = importlib.import_module(f"placard_client.api.{path}").sync_detailed(**given)
    assert answer.status_code < 300, answer.content
    return answer.parsed


def client(token: str) -> Any:
    return placard.AuthenticatedClient(base_url=stack["control_url"], token=token)


owner = stack["owner"]
anybody = placard.Client(base_url=stack["control_url"])
grant = models.PasswordGrant(
    grant_type="password", email=owner["email"], password=owner["password"]
)
signed_in = client(call("sign_in.get_token", client=anybody, body=grant).access_token)
keyed = client(stack["keys"]["ak_test"]["key"])
page = placard.AuthenticatedClient(
    base_url=stack["edge_test_url"],
    token=stack["keys"]["pk_test"]["key"],
    auth_header_name="X-Service-Key",
    prefix="",
)

slot = call(
    "slots.create_slot",
    client=signed_in,
    body=models.SlotCreate(
        property_id=uuid.UUID(stack["property"]["id"]),
        name=mark,
        key=f"flow-{mark}",
        formats=[models.AdFormat("banner")],
    ),
)
campaign = call(
    "campaigns.create_campaign",
    client=keyed,
    body=models.CampaignCreate(
        name=mark,
        objective=models.Objective("traffic"),
        pricing_model=models.PricingModel("cpm"),
        bid_cents=500,
        targeting=models.Targeting(slots=models.SlotTargeting(include=[slot.id])),
    ),
    idempotency_key=mark,
)
ad = call(
    "ads.create_ad",
    client=keyed,
    body=models.BannerAdCreate(
        campaign_id=campaign.id,
        name=mark,
        format_="banner",
        click_url="https://advertiser.example/",
        content=models.BannerContent(
            image_url="https://advertiser.example/a.png", width=300, height=250
        ),
    ),
)
call("ads.activate_ad", id=ad.id, client=keyed)
call("campaigns.activate_campaign", id=campaign.id, client=keyed)

for _ in range(100):
    served = call("delivery.serve_ad", client=page, slot=[slot.key], keywords=["a", "b"])
    if served is not None:
        break
    time.sleep(0.1)
assert served.ad_id == ad.id
body = models.TrackRequest(token=served.track_token, event=models.EventKind("impression"))
call("tracking.track_event", client=page, body=body)
for _ in range(300):
    listed = call("integration.list_events", client=keyed).data
    found = [one for one in listed if one.ad_id == ad.id]
    if found:
        break
    time.sleep(0.1)
assert found[0].valid
report = call(
    "reports.get_delivery_report",
    client=keyed,
    from_="2026-01-01",
    group_by=[models.ReportDimension("campaign"), models.ReportDimension("slot")],
    campaign_id=[campaign.id],
    environment=models.Environment("test"),
)
assert [(row.campaign_id, row.slot_id) for row in report.data] == [(campaign.id, slot.id)]
