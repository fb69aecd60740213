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
