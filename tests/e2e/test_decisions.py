"""From a served slot to the answer why, over the whole stack."""

from typing import Any

import httpx

from tests.e2e.customer import Customer, eventually


async def explained(customer: Customer, decision_id: str, environment: str) -> dict[str, Any]:
    async def ask() -> dict[str, Any] | None:
        answer = await customer.ask(
            "POST",
            "/v1/decisions/explain",
            {"decision_id": decision_id},
            token=customer.text(f"ak_{environment}"),
        )
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        assert answer.status_code == httpx.codes.OK, answer.text
        found: dict[str, Any] = answer.json()
        return found

    return await eventually(ask)


async def test_a_served_ad_is_explained_as_the_edge_chose_it(customer: Customer) -> None:
    slot_id = await customer.make_slot("explained")
    campaign_id = await customer.run_campaign("test", bid_cents=701_000, slot_ids=(slot_id,))
    ad = await customer.serve_until_filled("test", campaign_id, slot="explained")

    why = await explained(customer, ad["decision_id"], "test")

    outcome = why["outcome"]
    assert (outcome["ad_id"], outcome["campaign_id"]) == (ad["ad_id"], ad["campaign_id"])
    assert (outcome["source"], outcome["price_micros"]) == (ad["source"], 7_010_000)
    assert (why["reproduced"], why["considered"][0]["state"]) == (True, "won")


async def test_an_empty_slot_is_explained(customer: Customer) -> None:
    async def ask() -> str | None:
        answer = await customer.serve("test", slot="demo-never-fill")
        found: str | None = answer.headers.get("X-Decision-Id")
        return found

    decision_id = await eventually(ask)

    why = await explained(customer, decision_id, "test")

    assert (why["outcome"]["filled"], why["outcome"]["reason"]) == (False, "demo_never_fills")
    assert "demo-always-fill" in why["outcome"]["words"]


async def test_live_debug_with_a_secret_key_is_always_recorded(customer: Customer) -> None:
    slot_id = await customer.make_slot("debugged")
    campaign_id = await customer.run_campaign("live", bid_cents=702_000, slot_ids=(slot_id,))
    await customer.serve_until_filled("live", campaign_id, slot="debugged")
    answer = await customer.http.get(
        f"{customer.edge('live')}/v1/serve",
        params={"slot": "debugged", "debug": "1"},
        headers={"Authorization": f"Bearer {customer.text('sk_live')}"},
    )
    served = answer.json()

    why = await explained(customer, served["decision_id"], "live")

    assert why["reproduced"]
    assert [
        (line["ad_id"], line["dropped_by"], line["ecpm_micros"]) for line in served["explain"]
    ] == [(line["ad_id"], line["dropped_by"], line["ecpm_micros"]) for line in why["considered"]]
