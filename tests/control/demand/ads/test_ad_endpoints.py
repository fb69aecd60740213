"""Ads through the API."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from common.values.ids import new_id
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import CONTENT, CONTENT_OF, Customer, params_of
from tests.support.waiting import until


async def test_a_new_ad_is_a_draft_in_its_campaigns_environment(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"], "test")

    found = await customer.make_ad(
        campaign["id"],
        "test",
        click_url="https://www.Loja.com.br?c={click_id}",
        tracking={"impression_urls": ["https://t.example.com/i"]},
    )

    assert (found["status"], found["is_test"], found["weight"]) == ("draft", True, 1)
    assert found["content"] == CONTENT
    assert found["click_url"] == "https://www.loja.com.br/?c={click_id}"
    assert found["advertiser_domain"] == "loja.com.br"
    assert found["tracking"] == {"impression_urls": ["https://t.example.com/i"], "click_urls": []}
    assert (await customer.get(f"/v1/ads/{found['id']}")).json() == found


@pytest.mark.parametrize("ad_format", [name for name in CONTENT_OF if name != "banner"])
async def test_an_ad_of_each_format_is_made(api: ControlApi, owner: Person, ad_format: str) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])

    found = await customer.make_ad(campaign["id"], format=ad_format, content=CONTENT_OF[ad_format])

    assert found["format"] == ad_format
    assert CONTENT_OF[ad_format].items() <= found["content"].items()


async def test_markup_is_measured_in_bytes(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    markup = {"html": "é" * 40_000, "width": 300, "height": 250}
    body = {"campaign_id": campaign["id"], "name": "Long", "format": "html", "content": markup}

    answer = await customer.post("/v1/ads?environment=live", body)

    assert (answer.status_code, params_of(answer)) == (422, ["content.html"])
    assert "64 KiB" in answer.json()["error"]["message"]


async def test_every_fault_of_an_ad_is_named(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])

    answer = await customer.post(
        "/v1/ads?environment=live",
        {
            "campaign_id": campaign["id"],
            "format": "banner",
            "content": {"image_url": "http://cdn.example.com/", "width": "1"},
            "click_url": "https://intranet/",
            "asset_ids": {"image": "x"},
            "targeting": {"weather": {}},
        },
    )

    assert set(params_of(answer)) == {
        "name",
        "content.image_url",
        "content.width",
        "content.height",
        "click_url",
        "asset_ids.image",
        "targeting.weather",
    }


async def test_transitions_change_an_ad_and_a_refusal_lists_the_allowed_ones(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    path = f"/v1/ads/{(await customer.make_ad(campaign['id']))['id']}"

    statuses = [
        (await customer.post(f"{path}/{verb}")).json()["status"]
        for verb in ("activate", "pause", "activate", "pause", "resume", "archive")
    ]
    refused = await customer.post(f"{path}/pause")

    assert statuses == ["active", "paused", "active", "paused", "active", "archived"]
    assert (refused.status_code, code_of(refused)) == (409, "invalid_state")


async def test_patched_content_keeps_to_the_ads_format(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    path = f"/v1/ads/{(await customer.make_ad(campaign['id']))['id']}"

    good = await customer.patch(path, 1, {"content": CONTENT | {"alt": "New"}, "click_url": None})
    bad = await customer.patch(path, 2, {"content": {"title": "Hi", "width": 0}})

    assert good.json()["content"] == CONTENT | {"alt": "New"}
    assert (good.json()["click_url"], good.json()["advertiser_domain"]) == (None, None)
    assert set(params_of(bad)) == {
        "content.image_url",
        "content.width",
        "content.height",
        "content.title",
    }


async def test_slot_ids_are_of_the_campaigns_properties(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site, other = await customer.make_property(), await customer.make_property()
    own, foreign = await customer.make_slot(site["id"]), await customer.make_slot(other["id"])
    campaign = await customer.make_campaign(site["id"])
    ad = await customer.make_ad(campaign["id"], slot_ids=[own["id"]])

    answer = await customer.patch(f"/v1/ads/{ad['id']}", 1, {"slot_ids": [foreign["id"]]})

    assert params_of(answer) == ["slot_ids"]


async def test_an_archived_campaign_takes_no_ads(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    ad = await customer.make_ad(campaign["id"])
    await customer.post(f"/v1/campaigns/{campaign['id']}/archive")

    created = await customer.post(
        "/v1/ads?environment=live",
        {"campaign_id": campaign["id"], "name": "A", "format": "banner", "content": CONTENT},
    )
    activated = await customer.post(f"/v1/ads/{ad['id']}/activate")

    assert (created.status_code, activated.status_code) == (409, 409)


async def test_an_ad_of_a_campaign_that_cannot_be_seen_is_not_found(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site, other = await customer.make_property(), await customer.make_property()
    campaign = await customer.make_campaign(other["id"])
    ad = await customer.make_ad(campaign["id"])
    headers = await customer.key_headers(site["id"])
    body = {"name": "A", "format": "banner", "content": CONTENT}

    foreign = await customer.post("/v1/ads", body | {"campaign_id": campaign["id"]}, headers)
    absent = await customer.post("/v1/ads", body | {"campaign_id": new_id()}, headers)
    wrong_environment = await customer.post(
        "/v1/ads?environment=test", body | {"campaign_id": campaign["id"]}
    )

    assert foreign.status_code == absent.status_code == wrong_environment.status_code == 404
    assert (await customer.get(f"/v1/ads/{ad['id']}", headers)).status_code == 404
    assert (await customer.get("/v1/ads", headers)).json()["data"] == []


async def test_lists_filter_by_campaign(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    campaigns = [await customer.make_campaign(site["id"]) for _ in range(2)]
    ads = [await customer.make_ad(campaign["id"]) for campaign in campaigns]

    answer = await customer.get(f"/v1/ads?environment=live&campaign_id={campaigns[0]['id']}")

    assert [item["id"] for item in answer.json()["data"]] == [ads[0]["id"]]


async def _while_changed(
    customer: Customer, change: str, campaign_id: str, call: Coroutine[Any, Any, httpx.Response]
) -> httpx.Response:
    """The answer to *call*, which begins while another connection has made *change* and not committed it yet."""

    async def is_waiting() -> bool:
        async with customer.api.control.database.service() as session:
            waiting = "select exists (select from pg_locks where not granted)"
            return bool(await session.scalar(text(waiting))) or task.done()

    async with customer.api.control.database.service() as session:
        await session.execute(text(change), {"id": campaign_id})
        task = asyncio.create_task(call)
        await until(is_waiting)
    return await task


@pytest.mark.parametrize("verb", ["create", "activate"])
async def test_an_ad_waits_for_the_archive_of_its_campaign(
    api: ControlApi, owner: Person, verb: str
) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    ad = await customer.make_ad(campaign["id"])
    body = {"campaign_id": campaign["id"], "name": "N", "format": "banner", "content": CONTENT}
    call = (
        customer.post("/v1/ads?environment=live", body)
        if verb == "create"
        else customer.post(f"/v1/ads/{ad['id']}/activate")
    )

    change = "update campaigns set status = 'archived' where id = :id"
    answer = await _while_changed(customer, change, campaign["id"], call)

    assert (answer.status_code, code_of(answer)) == (409, "invalid_state")


async def test_an_ad_takes_no_slot_of_a_property_that_its_campaign_leaves_meanwhile(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    stays, leaves = [(await customer.make_property())["id"] for _ in range(2)]
    campaign = await customer.make_campaign(stays, property_ids=[stays, leaves])
    ad = await customer.make_ad(campaign["id"])
    slot = await customer.make_slot(leaves)
    call = customer.patch(f"/v1/ads/{ad['id']}", 1, {"slot_ids": [slot["id"]]})

    change = "update campaigns set property_ids = property_ids - 1 where id = :id"
    answer = await _while_changed(customer, change, campaign["id"], call)

    assert params_of(answer) == ["slot_ids"]


async def test_a_campaign_leaves_no_property_whose_slot_an_ad_takes_meanwhile(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    stays, leaves = [(await customer.make_property())["id"] for _ in range(2)]
    slot = await customer.make_slot(leaves)
    outcomes = []
    for _ in range(6):
        campaign = await customer.make_campaign(stays, property_ids=[stays, leaves])
        ad = await customer.make_ad(campaign["id"])
        answers = await asyncio.gather(
            customer.patch(f"/v1/ads/{ad['id']}", 1, {"slot_ids": [slot["id"]]}),
            customer.patch(f"/v1/campaigns/{campaign['id']}", 1, {"property_ids": [stays]}),
        )
        outcomes.append(sorted(answer.status_code for answer in answers))

    assert outcomes == [[200, 422]] * 6
