"""The loop, walked from outside: sign-up to event, in both environments."""

import asyncio
from typing import Any

import httpx

from deploy.standalone.background import Background
from tests.e2e.customer import Customer, eventually, spent_micros


async def the_event(
    customer: Customer, environment: str, campaign_id: str, kind: str
) -> dict[str, Any]:
    async def ask() -> dict[str, Any] | None:
        found = [
            e
            for e in await customer.events(environment, kind=kind)
            if e["campaign_id"] == campaign_id
        ]
        return found[0] if found else None

    return await eventually(ask)


async def test_a_live_campaign_is_served_redeemed_once_and_read_in_the_feed(
    customer: Customer,
) -> None:
    campaign_id = await customer.run_campaign("live", bid_cents=251)
    ad = await customer.serve_until_filled("live", campaign_id)

    first = await customer.track("live", ad["track_token"])
    replay = await customer.track("live", ad["track_token"])
    event = await the_event(customer, "live", campaign_id, "impression")

    assert (first.status_code, replay.status_code) == (204, 204)
    assert event | {"id": "", "ts": ""} == event | {
        "id": "",
        "ts": "",
        "kind": "impression",
        "ad_id": ad["ad_id"],
        "slot_id": ad["slot_id"],
        "property_id": customer.property_id,
        "source": "auction",
        "is_test": False,
        "valid": True,
        "reason": "ok",
    }


async def test_a_token_counts_once_for_each_kind_over_all_endpoints(customer: Customer) -> None:
    campaign_id = await customer.run_campaign("live", bid_cents=252)
    ad = await customer.serve_until_filled("live", campaign_id)
    browser = {
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
    }

    pixel = await customer.http.get(ad["impression_url"], headers=browser)
    tracked = await customer.track("live", ad["track_token"])
    clicks = [await customer.http.get(ad["click_url"], headers=browser) for _ in range(2)]
    await the_event(customer, "live", campaign_id, "click")
    await the_event(customer, "live", campaign_id, "impression")
    counted = [e["kind"] for e in await customer.events("live") if e["campaign_id"] == campaign_id]

    assert (pixel.status_code, pixel.headers["content-type"], len(pixel.content)) == (
        200,
        "image/gif",
        43,
    )
    assert tracked.status_code == 204
    assert [c.status_code for c in clicks] == [302, 302]
    assert (
        clicks[0]
        .headers["location"]
        .startswith(f"https://advertiser.example/landing?c={campaign_id}")
    )
    assert sorted(counted) == ["click", "impression"]


async def test_test_traffic_counts_as_test_and_spends_nothing(customer: Customer) -> None:
    campaign_id = await customer.run_campaign("test")
    ad = await customer.serve_until_filled("test", campaign_id)

    first = await customer.track("test", ad["track_token"])
    replay = await customer.track("test", ad["track_token"])
    event = await the_event(customer, "test", campaign_id, "impression")
    campaign = await customer.call(
        "GET", f"/v1/campaigns/{campaign_id}", token=customer.text("ak_test")
    )

    assert [a.headers["X-Track-Result"] for a in (first, replay)] == ["counted", "duplicate"]
    assert (event["is_test"], event["valid"], event["reason"]) == (True, True, "ok_test")
    assert campaign["spend_cents"] == 0


async def test_a_key_of_the_other_environment_is_refused_by_both_edges(customer: Customer) -> None:
    answers = [
        await customer.serve("live", key=customer.text("pk_test")),
        await customer.serve("test", key=customer.text("pk_live")),
    ]

    assert [(a.status_code, a.json()["error"]["code"]) for a in answers] == [
        (403, "wrong_environment")
    ] * 2


async def test_a_paused_campaign_stops_being_served(customer: Customer) -> None:
    campaign_id = await customer.run_campaign("live", bid_cents=9000)
    await customer.serve_until_filled("live", campaign_id)
    await customer.call(
        "POST", f"/v1/campaigns/{campaign_id}/pause", token=customer.text("ak_live")
    )

    async def ask() -> bool | None:
        answers = await asyncio.gather(*(customer.serve("live") for _ in range(8)))
        chosen = {a.json()["campaign_id"] for a in answers if a.status_code == httpx.codes.OK}
        return None if campaign_id in chosen else True

    assert await eventually(ask)


async def test_a_rotated_key_is_refused_by_every_worker_and_its_replacement_serves(
    customer: Customer,
) -> None:
    body = {
        "property_id": customer.property_id,
        "kind": "publishable",
        "environment": "live",
        "name": "old",
    }
    old = await customer.call("POST", "/v1/sdk-keys", body)

    async def known() -> bool | None:
        return (
            True
            if (await customer.serve("live", key=old["key"])).status_code in {200, 204}
            else None
        )

    await eventually(known)
    new = await customer.call("POST", f"/v1/sdk-keys/{old['id']}/rotate")

    async def refused() -> bool | None:
        answers = await asyncio.gather(*(customer.serve("live", key=old["key"]) for _ in range(8)))
        codes = {
            a.json()["error"]["code"] if a.status_code == httpx.codes.FORBIDDEN else "served"
            for a in answers
        }
        return True if codes == {"key_revoked"} else None

    assert await eventually(refused)

    async def serves() -> bool | None:
        return (
            True
            if (await customer.serve("live", key=new["key"])).status_code in {200, 204}
            else None
        )

    assert await eventually(serves)


async def test_the_reserved_slots_always_and_never_fill_in_test(customer: Customer) -> None:
    always = await customer.serve("test", slot="demo-always-fill")
    never = await customer.serve("test", slot="demo-never-fill")

    assert always.status_code == 200
    assert (never.status_code, never.headers["X-No-Fill-Reason"]) == (204, "demo_never_fills")
    assert (await customer.track("test", always.json()["track_token"])).status_code == 204


async def test_spend_is_exact_to_the_micro(customer: Customer, stack: Background) -> None:
    campaign_id = await customer.run_campaign("live", bid_cents=333_333)
    ads = [await customer.serve_until_filled("live", campaign_id) for _ in range(7)]
    for ad in ads:
        assert (await customer.track("live", ad["track_token"])).status_code == 204

    async def all_counted() -> bool | None:
        events = [e for e in await customer.events("live") if e["campaign_id"] == campaign_id]
        return True if len(events) == 7 else None

    await eventually(all_counted)

    assert await spent_micros(stack, campaign_id) == 7 * 3_333_330
