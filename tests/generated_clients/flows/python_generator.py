"""The flow by openapi-generator's python."""

import importlib
import json
import os
import time
import uuid
from typing import Any

client: Any = importlib.import_module("openapi_client")
TEST_EDGE = 1
"""Of the two servers of an edge operation."""
stack = json.loads(os.environ["PLACARD_DEMO"])
mark = uuid.uuid4().hex[:12]


def as_caller(**how: Any) -> Any:
    return client.ApiClient(client.Configuration(host=stack["control_url"], **how))


owner = stack["owner"]
grant = client.PasswordGrant(
    grant_type="password", email=owner["email"], password=owner["password"]
)
token = client.SignInApi(as_caller()).get_token(client.TokenRequest(grant)).access_token
signed_in = as_caller(access_token=token)
keyed = as_caller(access_token=stack["keys"]["ak_test"]["key"])
page = as_caller(api_key={"serviceKey": stack["keys"]["pk_test"]["key"]})

slot = client.SlotsApi(signed_in).create_slot(
    client.SlotCreate(
        property_id=stack["property"]["id"],
        name=mark,
        key=f"flow-{mark}",
        formats=[client.AdFormat("banner")],
    )
)
campaigns, ads = client.CampaignsApi(keyed), client.AdsApi(keyed)
campaign = campaigns.create_campaign(
    client.CampaignCreate(
        name=mark,
        objective=client.Objective("traffic"),
        pricing_model=client.PricingModel("cpm"),
        bid_cents=500,
        targeting=client.Targeting(slots=client.SlotTargeting(include=[slot.id])),
    ),
    idempotency_key=mark,
)
ad = ads.create_ad(
    client.AdCreate(
        client.BannerAdCreate(
            campaign_id=campaign.id,
            name=mark,
            format="banner",
            click_url="https://advertiser.example/",
            content=client.BannerContent(
                image_url="https://advertiser.example/a.png", width=300, height=250
            ),
        )
    )
)
ads.activate_ad(ad.id)
campaigns.activate_campaign(campaign.id)

delivery = client.DeliveryApi(page)
for _ in range(100):
    served = delivery.serve_ad(slot=[slot.key], keywords=["a", "b"], _host_index=TEST_EDGE)
    if served is not None:
        break
    time.sleep(0.1)
shown = served.actual_instance
assert str(shown.ad_id) == str(ad.id)
client.TrackingApi(page).track_event(
    client.TrackRequest(token=shown.track_token, event="impression"),
    _host_index=TEST_EDGE,
)
events = client.IntegrationApi(keyed)
for _ in range(300):
    found = [one for one in events.list_events().data if str(one.ad_id) == str(ad.id)]
    if found:
        break
    time.sleep(0.1)
assert found[0].valid
report = client.ReportsApi(keyed).get_delivery_report(
    var_from="2026-01-01",
    group_by=[client.ReportDimension("campaign"), client.ReportDimension("slot")],
    campaign_id=[campaign.id],
    environment=client.Environment("test"),
)
assert [(str(row.campaign_id), str(row.slot_id)) for row in report.data] == [
    (str(campaign.id), str(slot.id))
]
