"""Conversions, walked from outside: from a click to the advertiser's thank-you page, and from a reader's view."""

from typing import Any

import httpx

from tests.e2e.customer import BROWSER, Customer, eventually

LIVE = "live"


async def a_served_ad(customer: Customer, slot: str, **params: str) -> dict[str, Any]:
    """Of a CPA campaign of 3 euros, alone in a slot of its own."""
    slot_id = await customer.make_slot(slot)
    await customer.run_campaign(LIVE, bid_cents=300, pricing_model="cpa", slot_ids=(slot_id,))

    async def ask() -> dict[str, Any] | None:
        answer = await customer.serve(LIVE, slot=slot, **params)
        found: dict[str, Any] | None = None
        if answer.status_code == httpx.codes.OK:
            found = answer.json()
        return found

    return await eventually(ask)


async def tell(customer: Customer, **body: object) -> str:
    answer = await customer.http.post(
        f"{customer.edge(LIVE)}/v1/conversions",
        json={"event_name": "purchase", **body},
        headers={"Authorization": f"Bearer {customer.text('sk_live')}"},
    )
    assert answer.status_code == httpx.codes.ACCEPTED, answer.text
    found: str = answer.json()["conversion_id"]
    return found


async def conversions_of(customer: Customer, campaign_id: str) -> list[dict[str, Any]]:
    events = await customer.events(LIVE, kind="conversion")
    return [event for event in events if event["campaign_id"] == campaign_id]


async def test_a_sale_reported_by_pixel_and_by_server_counts_and_is_billed_once(
    customer: Customer,
) -> None:
    ad = await a_served_ad(customer, "by-click")
    browser = {"User-Agent": BROWSER}
    landing = await customer.http.get(ad["click_url"], headers=browser)
    click_id = httpx.URL(landing.headers["location"]).params["sa_click_id"]
    sale = {"order_id": "A-1001", "value_cents": "4990", "currency": "EUR"}
    pixel = f"{customer.edge(LIVE)}/v1/conversions/{click_id}.gif"
    shown = await customer.http.get(pixel, params=sale, headers=browser)
    reported = [await tell(customer, click_id=click_id, order_id="A-1001") for _ in range(2)]
    other = await tell(customer, click_id=click_id, order_id="A-1002")

    async def both() -> list[dict[str, Any]] | None:
        found = await conversions_of(customer, ad["campaign_id"])
        return found if len(found) > 1 else None

    events = await eventually(both)
    assert (click_id.split(".")[0], shown.status_code) == (ad["decision_id"], 200)
    assert reported[0] == reported[1]
    assert {event["attribution"] for event in events} == {"click_through"}
    assert len(events) == 2
    assert other in {event["id"] for event in events}

    async def paid() -> int | None:
        campaign = await customer.call("GET", f"/v1/campaigns/{ad['campaign_id']}")
        found: int = campaign["spend_cents"]
        return found or None

    assert await eventually(paid) == 600


async def test_a_visitor_who_saw_the_ad_is_found_by_uid(customer: Customer) -> None:
    ad = await a_served_ad(customer, "by-view", uid="anna", gdpr="0")
    assert (await customer.track(LIVE, ad["track_token"])).status_code == 204
    conversion_id = await tell(customer, uid="anna", value_cents=100)
    await tell(customer, uid="somebody-else")

    async def ask() -> list[dict[str, Any]] | None:
        return await conversions_of(customer, ad["campaign_id"]) or None

    (event,) = await eventually(ask)
    assert (event["id"], event["attribution"], event["event_name"]) == (
        conversion_id,
        "view_through",
        "purchase",
    )
    status = await customer.call("GET", "/v1/integration/status", token=customer.text("sk_live"))
    assert status["conversions_24h"]["waiting"] == 1
