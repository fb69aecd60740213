"""Cloning, one verb on many, and what both leave behind."""

from uuid import uuid4

import pytest
from sqlalchemy import text

from common.values.ids import new_id
from control.operations.scheduler.jobs import complete_campaigns
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, params_of


async def test_a_clone_is_a_draft_with_the_same_terms_and_ads(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    source = await customer.make_campaign(
        site["id"],
        external_ref=uuid4().hex,
        budget={"total_cents": 1000},
        targeting={"languages": ["pt"]},
        metadata={"a": "b"},
    )
    ad = await customer.make_ad(source["id"], weight=7)
    gone = await customer.make_ad(source["id"])
    await customer.post(f"/v1/ads/{ad['id']}/activate")
    await customer.post(f"/v1/ads/{gone['id']}/archive")
    await customer.post(f"/v1/campaigns/{source['id']}/activate")

    answer = await customer.post(f"/v1/campaigns/{source['id']}/clone", {})

    made = answer.json()
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/v1/campaigns/{made['id']}"
    own = {"id", "created_at", "updated_at"}
    changed = {"name": "Copy of Spring", "external_ref": None}
    assert {k: v for k, v in made.items() if k not in own} == {
        k: v for k, v in (source | changed).items() if k not in own
    }
    ads = (await customer.get(f"/v1/ads?environment=live&campaign_id={made['id']}")).json()["data"]
    assert [(found["status"], found["weight"]) for found in ads] == [("draft", 7)]
    assert ads[0]["id"] != ad["id"]


async def test_a_clone_takes_its_own_flight_and_may_leave_the_ads(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    source = await customer.make_campaign(site["id"], start_at="2026-01-01T00:00:00Z")
    await customer.make_ad(source["id"])
    path = f"/v1/campaigns/{source['id']}/clone"

    wrong = await customer.post(path, {"end_at": "2025-01-01T00:00:00Z"})
    made = (await customer.post(path, {"name": "N", "start_at": None, "include_ads": False})).json()
    ads = await customer.get(f"/v1/ads?environment=live&campaign_id={made['id']}")
    key = await customer.key_headers(site["id"], scopes=["campaign:write"])
    with_ads, without = [
        await customer.post(path, {"include_ads": wanted}, key) for wanted in (True, False)
    ]

    assert (with_ads.status_code, code_of(with_ads)) == (403, "insufficient_scope")
    assert without.status_code == 201
    assert params_of(wrong) == ["end_at"]
    assert (made["name"], made["start_at"]) == ("N", None)
    assert ads.json()["data"] == []


async def test_a_test_campaign_goes_live_as_a_clone_but_not_by_its_key(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    source = await customer.make_campaign(site["id"], "test")
    await customer.make_ad(source["id"], "test")
    path = f"/v1/campaigns/{source['id']}/clone"
    key = await customer.key_headers(site["id"], "test")

    by_key = await customer.post(path, {"environment": "live"}, key)
    made = (await customer.post(path, {"environment": "live"})).json()
    ads = (await customer.get(f"/v1/ads?environment=live&campaign_id={made['id']}")).json()["data"]

    assert (by_key.status_code, code_of(by_key)) == (403, "wrong_environment")
    assert [made["is_test"], ads[0]["is_test"]] == [False, False]


async def test_a_clone_is_made_once_for_one_idempotency_key(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    source = await customer.make_campaign((await customer.make_property())["id"])
    headers = customer.headers | {"Idempotency-Key": uuid4().hex}

    first, again = [
        await customer.post(f"/v1/campaigns/{source['id']}/clone", {}, headers) for _ in range(2)
    ]

    assert first.json() == again.json()
    assert again.headers["idempotent-replayed"] == "true"


async def test_a_bulk_action_answers_each_campaign_separately(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    running, draft = [await customer.make_campaign(site["id"]) for _ in range(2)]
    await customer.post(f"/v1/campaigns/{running['id']}/activate")
    outsider = Customer(api, await api.sign_up())
    foreign = await outsider.make_campaign((await outsider.make_property())["id"])
    ids = [draft["id"], new_id(), running["id"], foreign["id"]]

    answer = await customer.post("/v1/campaigns/bulk", {"action": "pause", "ids": ids})

    results = answer.json()["data"]
    assert answer.status_code == 200, answer.text
    assert [result["id"] for result in results] == ids
    assert [result["ok"] for result in results] == [False, False, True, False]
    assert [(result["error"] or {}).get("code") for result in results] == [
        "invalid_state",
        "not_found",
        None,
        "not_found",
    ]
    assert (results[2]["status"], results[2]["version"]) == ("paused", 3)
    assert (await customer.get(f"/v1/campaigns/{draft['id']}")).json() == draft
    assert (await outsider.get(f"/v1/campaigns/{foreign['id']}")).json()["status"] == "draft"


async def test_many_changes_are_one_step_for_edges_and_a_line_each_in_the_audit_log(
    api: ControlApi,
) -> None:
    customer = Customer(api, await api.sign_up())
    site = await customer.make_property()
    ids = [(await customer.make_campaign(site["id"]))["id"] for _ in range(5)]
    for campaign_id in ids:
        await customer.post(f"/v1/campaigns/{campaign_id}/activate")

    async def ask(statement: str) -> int:
        async with api.control.database.service() as session:
            found = await session.scalar(text(statement), {"id": customer.person.account_id})
        return int(found or 0)

    before = await ask("select version from snapshot_head")
    answer = await customer.post("/v1/campaigns/bulk", {"action": "archive", "ids": ids})

    assert all(result["ok"] for result in answer.json()["data"])
    assert await ask("select version from snapshot_head") == before + 1
    path = "/v1/audit-log?action=archiveCampaign"
    lines = (await customer.get(path)).json()["data"]
    assert {line["object_id"] for line in lines} == set(ids)
    for line in lines:
        shown = (line["request_id"], line["environment"], line["detail"])
        status = {"from": "active", "to": "archived"}
        assert shown == (answer.headers["x-request-id"], "live", {"status": status})


async def test_a_total_budget_at_or_below_the_spend_completes_the_campaign(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"], budget={"total_cents": 1000})
    path = f"/v1/campaigns/{campaign['id']}"
    await customer.post(f"{path}/activate")
    await _spend(api, owner, campaign["id"], 3_000_000)

    found = []
    for version, cents in enumerate((301, 300, 299, 302), start=2):
        answer = await customer.patch(path, version, {"budget": {"total_cents": cents}})
        found.append(answer.json()["status"])
    await customer.post(f"{path}/pause")
    paused = await customer.patch(path, 7, {"budget": {"total_cents": 300}})

    assert found == ["active", "completed", "completed", "active"]
    assert paused.json()["status"] == "paused"


async def test_a_bid_above_the_rest_of_the_budget_completes_the_campaign_until_it_is_lowered(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    campaign = await customer.make_campaign(
        site["id"], pricing_model="cpm", bid_cents=100, budget={"total_cents": 1}
    )
    path = f"/v1/campaigns/{campaign['id']}"
    await customer.post(f"{path}/activate")
    await _spend(api, owner, campaign["id"], 8_000)

    found = []
    for version, bid_cents in enumerate((200, 201, 200), start=2):
        answer = await customer.patch(path, version, {"bid_cents": bid_cents})
        found.append((answer.json()["status"], answer.json()["delivery_status"]))

    assert [status for status, _ in found] == ["active", "completed", "active"]
    assert found[1][1] == "budget_exhausted"


async def test_a_paused_campaign_without_budget_left_is_completed_when_it_is_resumed(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"], budget={"total_cents": 1})
    path = f"/v1/campaigns/{campaign['id']}"
    await customer.post(f"{path}/activate")
    await customer.post(f"{path}/pause")
    await _spend(api, owner, campaign["id"], 10_000)

    resumed = (await customer.post(f"{path}/resume")).json()

    assert (resumed["status"], resumed["delivery_status"]) == ("completed", "budget_exhausted")


@pytest.mark.parametrize(("was", "verbs"), [("active", ()), ("paused", ("pause",))])
async def test_a_later_end_reopens_a_completed_campaign_as_it_was(
    api: ControlApi, owner: Person, was: str, verbs: tuple[str, ...]
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"], end_at="2126-01-01T00:00:00Z")
    path = f"/v1/campaigns/{campaign['id']}"
    for verb in ("activate", *verbs):
        await customer.post(f"{path}/{verb}")
    await customer.execute("update campaigns set end_at = now() where id = :id", id=campaign["id"])

    await complete_campaigns(api.control)

    over = (await customer.get(path)).json()
    clone = (await customer.post(f"{path}/clone", {"end_at": None})).json()
    reopened = await customer.patch(path, over["version"], {"end_at": "2126-01-01T00:00:00Z"})
    assert over["status"] == "completed"
    assert reopened.json()["status"] == was
    assert clone["status"] == "draft"


async def _spend(api: ControlApi, owner: Person, campaign_id: str, micros: int) -> None:
    statement = text(
        "insert into campaign_spend (campaign_id, account_id, spent_micros, impressions, clicks, conversions, "
        "updated_at) values (:id, :account, :micros, 0, 0, 0, now())"
    )
    names = {"id": campaign_id, "account": owner.account_id, "micros": micros}
    async with api.control.database.service() as session:
        await session.execute(statement, names)


async def test_ids_are_named_once_and_not_too_many(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    one = new_id()

    for ids in ([], [one, one], [new_id() for _ in range(101)], ["x"]):
        answer = await customer.post("/v1/campaigns/bulk", {"action": "pause", "ids": ids})
        assert params_of(answer)[0].startswith("ids")
    wrong = await customer.post("/v1/campaigns/bulk", {"action": "activate", "ids": [one]})
    assert params_of(wrong) == ["action"]


async def test_a_campaign_does_not_leave_the_properties_its_ads_name_slots_of(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site, other = await customer.make_property(), await customer.make_property()
    slot = await customer.make_slot(site["id"])
    campaign = await customer.make_campaign(site["id"])
    ad = await customer.make_ad(campaign["id"], slot_ids=[slot["id"]])
    path = f"/v1/campaigns/{campaign['id']}"

    refused = await customer.patch(path, 1, {"property_ids": [other["id"]]})
    widened = await customer.patch(path, 1, {"property_ids": [site["id"], other["id"]]})
    await customer.post(f"/v1/ads/{ad['id']}/archive")
    moved = await customer.patch(path, 2, {"property_ids": [other["id"]]})

    assert params_of(refused) == ["property_ids"]
    assert ad["id"] in refused.json()["error"]["message"]
    assert (widened.status_code, moved.status_code) == (200, 200)
