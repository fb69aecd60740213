"""Review of campaigns and ads: nothing runs that nobody approved, where the account demands it."""

from typing import Any

import httpx
import pytest_asyncio
from sqlalchemy import text

from tests.support.control_api import ControlApi, code_of
from tests.support.resources import CONTENT, Customer, demand_review, params_of

REASON = {"reason": "The price differs."}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def customer(api: ControlApi) -> Customer:
    """Of an account that demands review."""
    person = await api.sign_up()
    await demand_review(api, person)
    return Customer(api, person)


async def statuses(customer: Customer, path: str, *verbs: str) -> list[str]:
    found = []
    for verb in verbs:
        answer = await customer.post(f"{path}/{verb}", REASON if verb == "reject" else None)
        assert answer.status_code == 200, answer.text
        found.append(answer.json()["status"])
    return found


async def campaign_path(customer: Customer, environment: str = "live") -> str:
    site = await customer.make_property()
    return f"/v1/campaigns/{(await customer.make_campaign(site['id'], environment))['id']}"


async def ad_path(customer: Customer, environment: str = "live") -> str:
    campaign = (await campaign_path(customer, environment)).rsplit("/", 1)[-1]
    return f"/v1/ads/{(await customer.make_ad(campaign, environment))['id']}"


async def change(customer: Customer, path: str, **body: Any) -> httpx.Response:
    version = (await customer.get(path)).json()["version"]
    answer = await customer.patch(path, version, body)
    assert answer.status_code == 200, answer.text
    return answer


async def test_a_live_campaign_waits_for_approval_and_then_needs_none(customer: Customer) -> None:
    path = await campaign_path(customer)

    assert await statuses(customer, path, "activate", "approve", "pause", "resume") == [
        "pending_review",
        "active",
        "paused",
        "active",
    ]
    review = (await customer.get(path)).json()["review"]
    assert (review["decision"], review["by"]) == ("approved", customer.person.user_id)


async def test_a_rejected_campaign_says_why_and_is_a_draft_after_any_change(
    customer: Customer,
) -> None:
    path = await campaign_path(customer)

    assert await statuses(customer, path, "activate", "reject") == ["pending_review", "rejected"]
    refused = await customer.post(f"{path}/activate")
    changed = (await change(customer, path, name="Autumn")).json()

    assert code_of(refused) == "invalid_state"
    assert "change makes it a draft" in refused.json()["error"]["message"]
    assert (changed["status"], changed["review"]["reason"]) == ("draft", REASON["reason"])
    assert await statuses(customer, path, "activate", "approve") == ["pending_review", "active"]


async def test_test_campaigns_and_ads_are_never_reviewed(customer: Customer) -> None:
    assert await statuses(customer, await campaign_path(customer, "test"), "activate") == ["active"]
    assert await statuses(customer, await ad_path(customer, "test"), "activate") == ["active"]


async def test_an_ad_that_runs_goes_back_to_review_when_what_was_seen_changes(
    customer: Customer,
) -> None:
    path = await ad_path(customer)
    await statuses(customer, path, "activate", "approve")

    renamed = (await change(customer, path, name="Other")).json()
    same = (await change(customer, path, content=CONTENT)).json()
    changed = (await change(customer, path, click_url="https://elsewhere.example.com/")).json()

    assert [found["status"] for found in (renamed, same, changed)] == [
        "active",
        "active",
        "pending_review",
    ]
    assert changed["review"] is None


async def test_a_change_takes_a_waiting_ad_out_of_the_queue(customer: Customer) -> None:
    path = await ad_path(customer)
    await statuses(customer, path, "activate")

    changed = (await change(customer, path, content=CONTENT | {"alt": "New"})).json()
    refused = await customer.post(f"{path}/approve")

    assert changed["status"] == "draft"
    assert (refused.status_code, code_of(refused)) == (409, "invalid_state")


async def test_a_paused_ad_that_changes_starts_over(customer: Customer) -> None:
    path = await ad_path(customer)
    await statuses(customer, path, "activate", "approve", "pause")

    changed = (await change(customer, path, categories=["IAB1"])).json()

    assert changed["status"] == "draft"
    assert await statuses(customer, path, "activate") == ["pending_review"]


async def test_an_approval_is_lost_by_a_change_while_nobody_asks_for_one(
    customer: Customer, api: ControlApi
) -> None:
    path = await ad_path(customer)
    await statuses(customer, path, "activate", "approve")
    await demand_review(api, customer.person, demanded=False)
    unasked = (await change(customer, path, categories=["IAB2"])).json()
    await demand_review(api, customer.person)

    assert (unasked["status"], unasked["review"]) == ("active", None)
    assert await statuses(customer, path, "pause", "resume") == ["paused", "pending_review"]


async def test_a_rejection_needs_a_reason(customer: Customer) -> None:
    path = await campaign_path(customer)
    await statuses(customer, path, "activate")

    assert params_of(await customer.post(f"{path}/reject", {"reason": " "})) == ["reason"]
    assert (await customer.get(path)).json()["status"] == "pending_review"


async def test_no_integration_key_and_no_manager_decides(
    customer: Customer, api: ControlApi
) -> None:
    manager = await api.sign_up()
    async with api.control.database.service() as session:
        await session.execute(
            text("update memberships set role = 'manager' where account_id = :id"),
            {"id": manager.account_id},
        )
    path = await campaign_path(customer)
    key = await api.add_key(customer.person)

    by_key = await customer.post(f"{path}/approve", headers=key.headers)
    by_manager = await customer.post(f"{path}/approve", headers=manager.headers)

    assert code_of(by_key) == "not_available_to_integration_keys"
    assert code_of(by_manager) == "permission_denied"


async def test_edges_keep_the_approved_destination_until_the_new_one_is_approved(
    customer: Customer, api: ControlApi
) -> None:
    path = await ad_path(customer)
    await statuses(customer, path, "activate", "approve")
    await change(customer, path, click_url="https://elsewhere.example.com/")

    async def reported() -> str:
        async with api.control.database.service() as session:
            body = await session.scalar(
                text("select body from snapshot_objects where type = 'ad' and id = :id"),
                {"id": path.rsplit("/", 1)[-1]},
            )
        return bytes(body or b"").decode()

    waiting = await reported()
    await statuses(customer, path, "approve")

    assert "shop.example.com" in waiting
    assert '"status":"pending_review"' in waiting
    assert "elsewhere.example.com" in await reported()
