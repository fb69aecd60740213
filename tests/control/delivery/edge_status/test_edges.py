"""Edges as operators see them, and what everybody may ask: has every edge my change?"""

from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import text
from sqlmodel import delete

from common.values.environment import Environment
from control.outbox.outbox_reader import read_head
from control.storage.tables.edges import EdgeWorkerRow
from tests.support.control_api import ControlApi, code_of
from tests.support.resources import Customer, made


@pytest_asyncio.fixture(loop_scope="session")
async def customer(api: ControlApi) -> Customer:
    async with api.control.database.service() as session:
        await session.execute(delete(EdgeWorkerRow))
    person = await api.sign_up()
    async with api.control.database.service() as session:
        wanted = {"id": person.account_id}
        await session.execute(
            text("update accounts set is_operator = false where id = :id"), wanted
        )
    return Customer(api, person)


@pytest_asyncio.fixture(loop_scope="session")
async def operator(api: ControlApi, customer: Customer) -> Customer:
    """Of another account than the customer's."""
    person = await customer.api.sign_up()
    async with api.control.database.service() as session:
        wanted = {"id": person.account_id}
        await session.execute(text("update accounts set is_operator = true where id = :id"), wanted)
    return Customer(api, person)


async def a_worker(api: ControlApi, name: str, version: int, **values: Any) -> None:
    now = api.control.clock.now()
    head = await read_head(api.control.database)
    given: dict[str, Any] = {
        "environment": "live",
        "boot": "b",
        "epoch": head.epoch,
        "ok": True,
        "age_s": 0.2,
        "seen_at": now,
        "acked_at": now,
    }
    async with api.control.database.service() as session:
        session.add(EdgeWorkerRow(worker=name, version=version, **{**given, **values}))


async def test_an_operator_asks_for_a_pass_of_reconciliation(
    api: ControlApi, operator: Customer, customer: Customer
) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "insert into writer_marks (writer, is_test, ranges, updated_at) "
                "values ('edge/boot', false, '{[1,4),[6,8)}', now())"
            )
        )

    first = await operator.post("/v1/reconciliation")
    second = await operator.post("/v1/reconciliation")
    refused = await customer.post("/v1/reconciliation")

    assert first.json()["missing"] == 0  # it may only be late
    (gap,) = second.json()["gaps"]
    assert (gap["writer"], gap["missing"], second.json()["missing"]) == ("edge/boot", 2, 2)
    assert (refused.status_code, code_of(refused)) == (403, "permission_denied")


async def version_of_a_change(customer: Customer) -> int:
    site = await customer.make_property()
    answer = await customer.post(
        "/v1/slots",
        {"property_id": site["id"], "key": "top", "name": "Top", "formats": ["banner"]},
    )
    made(answer)
    return int(answer.headers["x-snapshot-version"])


async def propagation(customer: Customer, version: object, query: str = "") -> dict[str, Any]:
    answer = await customer.get(f"/v1/propagation/{version}{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_change_names_the_version_that_holds_it(customer: Customer) -> None:
    version = await version_of_a_change(customer)
    assert version == (await read_head(customer.api.control.database)).version


async def test_a_change_that_edges_do_not_need_has_no_version(customer: Customer) -> None:
    site = await customer.make_property()
    answer = await customer.post(
        "/v1/integration-keys",
        {
            "property_id": site["id"],
            "environment": "test",
            "name": "A key",
            "scopes": ["campaign:read"],
        },
    )
    made(answer)
    assert "x-snapshot-version" not in answer.headers


async def test_a_change_without_effect_on_edges_names_the_current_version(
    customer: Customer,
) -> None:
    site = await customer.make_property()
    head = (await read_head(customer.api.control.database)).version
    body = {"name": "Spring", "objective": "traffic", "pricing_model": "cpm", "bid_cents": 200}
    answer = await customer.post(
        "/v1/campaigns?environment=live", body | {"property_ids": [site["id"]]}
    )
    made(answer)

    assert answer.headers["x-snapshot-version"] == str(head)
    assert (await propagation(customer, head))["version"] == head


async def test_a_replayed_answer_names_the_same_version(customer: Customer) -> None:
    headers = {**customer.headers, "Idempotency-Key": "the-same"}
    site = await customer.make_property()
    body = {"property_id": site["id"], "key": "side", "name": "Side", "formats": ["banner"]}
    first = await customer.post("/v1/slots", body, headers=headers)
    again = await customer.post("/v1/slots", body, headers=headers)
    assert again.headers["idempotent-replayed"] == "true"
    assert first.headers["x-snapshot-version"] == again.headers["x-snapshot-version"]


async def test_a_change_is_complete_when_every_living_worker_has_it(
    customer: Customer, api: ControlApi
) -> None:
    version = await version_of_a_change(customer)
    long_ago = api.control.clock.now() - timedelta(seconds=61)
    await a_worker(api, "edge-1/0", version)
    await a_worker(api, "edge-1/1", version - 1)
    await a_worker(api, "edge-2/0", version - 1, seen_at=long_ago)
    before = await propagation(customer, version)
    async with api.control.database.service() as session:
        await session.execute(text("update edge_workers set version = :v"), {"v": version})
    after = await propagation(customer, version)
    assert (before["complete"], before["workers"], len(before["pending"])) == (False, 2, 1)
    assert before["pending"][0]["version"] == version - 1
    assert (after["complete"], after["workers"], after["pending"]) == (True, 2, [])


async def test_without_living_workers_no_change_is_complete(customer: Customer) -> None:
    found = await propagation(customer, await version_of_a_change(customer))
    assert (found["complete"], found["workers"]) == (False, 0)


async def test_a_worker_of_another_epoch_has_no_version_of_this_one(
    customer: Customer, api: ControlApi
) -> None:
    version = await version_of_a_change(customer)
    await a_worker(api, "edge-1/0", version + 100, epoch="another")
    assert not (await propagation(customer, version))["complete"]


@pytest.mark.parametrize("version", ["0x1", "-1", "1.5", "one", "9" * 30, "999999999"])
async def test_an_unknown_version_is_404(customer: Customer, version: str) -> None:
    answer = await customer.get(f"/v1/propagation/{version}")
    assert (answer.status_code, code_of(answer)) == (404, "not_found")


async def test_only_operators_see_the_names_of_machines(
    customer: Customer, operator: Customer, api: ControlApi
) -> None:
    version = await version_of_a_change(customer)
    await a_worker(api, "edge-fra-1/0", version - 1, ok=False, nack_reason="a digest of edge-fra")
    anybody = await customer.get(f"/v1/propagation/{version}")
    found = await propagation(operator, version)
    assert "edge-fra" not in anybody.text
    assert found["pending"][0]["worker"] == "edge-fra-1/0"
    assert found["pending"][0]["reason"] == "a digest of edge-fra"


async def test_a_key_asks_about_the_edges_of_its_environment(
    customer: Customer, api: ControlApi
) -> None:
    version = await version_of_a_change(customer)
    await a_worker(api, "edge-1/0", version)
    await a_worker(api, "edge-9/0", version - 1, environment="test")
    found = {}
    for environment in Environment:
        key = await api.add_key(customer.person, environment=environment)
        answer = await customer.get(f"/v1/propagation/{version}", headers=key.headers)
        found[environment] = answer.json()["complete"]
    assert found == {Environment.LIVE: True, Environment.TEST: False}
    assert (await propagation(customer, version, "?environment=live"))["complete"]
    assert not (await propagation(customer, version))["complete"]


async def test_operators_see_each_worker_page_by_page(operator: Customer, api: ControlApi) -> None:
    head = (await read_head(api.control.database)).version
    now = api.control.clock.now()
    await a_worker(api, "edge-1/0", head)
    await a_worker(api, "edge-1/1", head - 1, ok=False, nacked_at=now, nack_reason="no")
    await a_worker(api, "edge-2/0", 3, environment="test", seen_at=now - timedelta(hours=1))
    first = (await operator.get("/v1/edges?limit=2")).json()
    rest = (await operator.get(f"/v1/edges?limit=2&cursor={first['next_cursor']}")).json()
    rows = first["data"] + rest["data"]
    assert [(row["worker"], row["edge"], row["behind"], row["living"]) for row in rows] == [
        ("edge-1/0", "edge-1", 0, True),
        ("edge-1/1", "edge-1", 1, True),
        ("edge-2/0", "edge-2", head - 3, False),
    ]
    assert rows[1]["last_nack"]["reason"] == "no"
    assert rows[2]["age_seconds"] >= 3600
    assert (first["has_more"], rest["has_more"]) == (True, False)
    only = (await operator.get("/v1/edges?environment=test")).json()["data"]
    assert [row["worker"] for row in only] == ["edge-2/0"]


async def test_edges_are_for_operators(customer: Customer, api: ControlApi) -> None:
    key = await api.add_key(customer.person)
    answers = [
        await customer.get("/v1/edges"),
        await customer.get("/v1/edges", headers=key.headers),
    ]
    assert [(one.status_code, code_of(one)) for one in answers] == [
        (403, "permission_denied"),
        (403, "not_available_to_integration_keys"),
    ]
    assert "for the operator" in answers[0].json()["error"]["message"]
