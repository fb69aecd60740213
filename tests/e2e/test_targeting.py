"""Targeting, from the management API to the ads that an edge serves."""

from typing import Any

import httpx

from tests.e2e.customer import Customer, eventually

IPAD = (
    "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
RIGHT = {
    "ip": "203.0.113.7",
    "ua": IPAD,
    "lang": "pt-BR",
    "keywords": "Running,news",
    "kv.section": "sports",
    "segments": "buyers",
    "gdpr": "0",
}
WRONG = {
    "ip": ("192.0.2.7", "geo_not_targeted"),
    "ua": ("curl/8.5.0", "device_not_targeted"),
    "lang": ("de", "language_not_targeted"),
    "keywords": ("crime,running", "keywords_not_targeted"),
    "kv.section": ("politics", "key_values_not_targeted"),
    "segments": ("newcomers", "segments_not_targeted"),
    "gdpr": ("1", "segments_not_targeted"),
}


def all_kinds(slot_id: str) -> dict[str, Any]:
    return {
        "geo": {"include": [{"country": "br", "region": "sp"}]},
        "device": {"types": ["tablet"], "os": ["ios"], "browsers": ["safari"]},
        "languages": ["pt"],
        "dayparts": [{"days": EVERY_DAY, "start": "00:00", "end": "24:00"}],
        "slots": {"include": [slot_id]},
        "keywords": {"any": ["running"], "none": ["crime"]},
        "key_values": [{"key": "section", "op": "in", "values": ["sports"]}],
        "segments": {"include": ["buyers"]},
    }


async def test_a_campaign_that_targets_by_every_kind_is_served_to_those_it_fits_alone(
    customer: Customer,
) -> None:
    slot_id = await customer.make_slot("targeted")
    campaign_id = await customer.run_campaign("test", slot_ids=(), targeting=all_kinds(slot_id))
    headers = {"Authorization": f"Bearer {customer.text('sk_test')}"}
    url = f"{customer.edge('test')}/v1/serve"

    async def ask(slot: str, **changes: str) -> httpx.Response:
        params = {"slot": slot, **RIGHT, **changes}
        return await customer.http.get(url, params=params, headers=headers)

    async def fitting() -> bool | None:
        answer = await ask("targeted")
        filled = answer.status_code == httpx.codes.OK
        return True if filled and answer.json()["campaign_id"] == campaign_id else None

    await eventually(fitting)
    reasons = {
        name: (await ask("targeted", **{name: value})).headers.get("X-No-Fill-Reason")
        for name, (value, _) in WRONG.items()
    }
    elsewhere = await ask("top")
    shown = await customer.call(
        "GET", f"/v1/campaigns/{campaign_id}", token=customer.text("ak_test")
    )

    assert reasons == {name: reason for name, (_, reason) in WRONG.items()}
    assert elsewhere.status_code != 200 or elsewhere.json()["campaign_id"] != campaign_id
    assert (shown["delivery_status"], shown["delivery_reason"]) == ("delivering", None)
