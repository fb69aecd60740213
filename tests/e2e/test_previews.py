"""An ad can be looked at where it will stand, before anything of it runs."""

from typing import Any

from tests.e2e.customer import Customer, eventually


async def test_a_draft_in_a_draft_campaign_is_previewed_in_test(customer: Customer) -> None:
    token = customer.text("ak_test")
    terms = {"name": "Soon", "objective": "awareness", "pricing_model": "cpm", "bid_cents": 250}
    campaign = await customer.call("POST", "/v1/campaigns", terms, token=token)
    draft = {
        "campaign_id": campaign["id"],
        "name": "Draft",
        "format": "banner",
        "click_url": "https://advertiser.example/soon",
        "content": {"image_url": "https://advertiser.example/b.png", "width": 300, "height": 250},
    }
    ad = await customer.call("POST", "/v1/ads", draft, token=token)

    async def previewed() -> dict[str, Any] | None:
        answer = await customer.serve("test", preview_ad=ad["id"])
        found: dict[str, Any] | None = answer.json() if answer.content else None
        return found

    shown = await eventually(previewed)
    followed = await customer.http.get(shown["click_url"])

    assert (shown["ad_id"], shown["source"]) == (ad["id"], "preview")
    assert followed.headers["Location"].startswith("https://advertiser.example/soon?")


async def test_a_preview_counts_for_no_goal(customer: Customer) -> None:
    goal = {"kind": "impressions", "total": 2}
    slot_id = await customer.make_slot("goal")
    campaign_id = await customer.run_campaign("test", goal=goal, slot_ids=(slot_id,))
    token = customer.text("ak_test")
    requested: dict[str, str] = {}
    ads = await customer.call("GET", f"/v1/ads?campaign_id={campaign_id}", token=token)
    ad_id = ads["data"][0]["id"]

    async def served() -> dict[str, Any] | None:
        answer = await customer.serve("test", slot="goal", **requested)
        found: dict[str, Any] | None = answer.json() if answer.content else None
        return found

    async def both_stored() -> bool | None:
        found = [one for one in await customer.events("test") if one["campaign_id"] == campaign_id]
        return True if len(found) == 2 else None

    for preview in ({"preview_ad": ad_id}, {}):
        requested = preview
        shown = await eventually(served)
        await customer.track("test", shown["track_token"])

    await eventually(both_stored)
    path = f"/v1/campaigns/{campaign_id}"
    delivery = await customer.call("GET", f"{path}/delivery", token=token)
    assert delivery["impressions"] == 1
    assert (await customer.call("GET", path, token=token))["status"] == "active"
