"""A mailing of the whole stack: prepared on the edge, opened and clicked, read from the feed of events."""

from typing import Any

from tests.e2e.customer import BROWSER, Customer, eventually

GMAIL = "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"
CONTENT = {
    "image_url": "https://advertiser.example/mail.png",
    "width": 600,
    "height": 200,
    "alt": "Shoes",
    "text_fallback": "Shoes of the season",
}


async def test_the_image_proxy_of_a_mail_program_is_not_billed_and_a_click_of_its_reader_is(
    customer: Customer,
) -> None:
    campaign_id = await run_mail_campaign(customer, "letter")
    body = {
        "slot": "letter",
        "send_id": campaign_id,
        "mode": "per_recipient",
        "render": "on_open",
        "recipients": [{"ref": "r1", "uid": "reader-1"}],
    }
    headers = {"Authorization": f"Bearer {customer.text('sk_live')}"}
    edge = customer.edge("live")

    async def shown() -> bool | None:
        """Whether the image leads to the ad, which a moment ago no edge had."""
        opened = await customer.http.get(item["image_url"], headers={"User-Agent": GMAIL})
        return True if opened.headers.get("Location") == CONTENT["image_url"] else None

    prepared = await customer.http.post(f"{edge}/v1/email/prepare", json=body, headers=headers)
    assert prepared.status_code == 200, prepared.text
    (item,) = prepared.json()["items"]
    await eventually(shown)
    clicked = await customer.http.get(item["click_url"], headers={"User-Agent": BROWSER})

    async def both() -> dict[str, Any] | None:
        events = [e for e in await customer.events("live") if e["campaign_id"] == campaign_id]
        found = {event["kind"]: event for event in events}
        return found if len(found) == 2 else None

    found = await eventually(both)
    assert clicked.headers["Location"].startswith("https://advertiser.example/shoes?")
    assert {(e["surface"], e["property_id"]) for e in found.values()} == {
        ("email", customer.property_id)
    }
    proxied, read = found["impression"], found["click"]
    assert (proxied["valid"], proxied["reason"]) == (False, "mail_privacy_proxy")
    assert (read["valid"], read["reason"]) == (True, "ok")


async def run_mail_campaign(customer: Customer, slot: str) -> str:
    """An active campaign with an e-mail ad, and the slot for it; gives the campaign's id."""
    token = customer.text("ak_live")
    size = {"width": CONTENT["width"], "height": CONTENT["height"]}
    sites = {"property_id": customer.property_id, "name": slot, "key": slot}
    made = await customer.call("POST", "/v1/slots", sites | {"formats": ["email"], "sizes": [size]})
    terms = {"name": "Mail", "objective": "traffic", "pricing_model": "cpc", "bid_cents": 20}
    campaign = await customer.call("POST", "/v1/campaigns", terms, token=token)
    ad = await customer.call(
        "POST",
        "/v1/ads",
        {
            "campaign_id": campaign["id"],
            "name": "Letter",
            "format": "email",
            "click_url": "https://advertiser.example/shoes",
            "content": CONTENT,
            "slot_ids": [made["id"]],
        },
        token=token,
    )
    await customer.call("POST", f"/v1/ads/{ad['id']}/activate", token=token)
    await customer.call("POST", f"/v1/campaigns/{campaign['id']}/activate", token=token)
    found: str = campaign["id"]
    return found
