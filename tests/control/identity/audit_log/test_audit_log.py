"""Reading the audit log, and how long it is kept."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from control.identity.audit_log.jobs import sweep_audit_log
from tests.control.identity.members.people import a_member
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, params_of


async def _lines(customer: Customer, query: str = "") -> list[dict[str, object]]:
    answer = await customer.get(f"/v1/audit-log?limit=100{query}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, object]] = answer.json()["data"]
    return found


async def test_a_state_says_from_where_to_where(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"], "test")
    path = f"/v1/campaigns/{campaign['id']}"
    await customer.post(f"{path}/activate")
    await customer.post(f"{path}/pause")
    lines = await _lines(customer, f"&object_id={campaign['id']}")

    assert [line["action"] for line in lines] == [
        "pauseCampaign",
        "activateCampaign",
        "createCampaign",
    ]
    assert lines[0]["detail"] == {"status": {"from": "active", "to": "paused"}}
    assert {line["environment"] for line in lines} == {"test"}


async def test_a_patch_names_its_fields_and_no_values(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    body = {"name": "A secret name", "timezone": "Europe/Lisbon"}
    answer = await customer.patch(f"/v1/properties/{site['id']}", 1, body)
    line = (await _lines(customer, f"&object_id={site['id']}&action=updateProperty"))[0]

    assert line["detail"] == {"fields": ["name", "timezone"]}
    assert line["environment"] is None
    assert line["request_id"] == answer.headers["x-request-id"]
    assert "A secret name" not in str(line)


async def test_a_key_is_named_as_the_actor(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    key = await api.add_key(owner)
    body = {"name": "K", "objective": "traffic", "pricing_model": "cpm", "bid_cents": 200}
    made = await api.http.post("/v1/campaigns", json=body, headers=key.headers)
    lines = await _lines(customer, f"&actor=key:{key.id}")

    assert [line["object_id"] for line in lines] == [made.json()["id"]]
    assert lines[0]["environment"] == "test"


async def test_pages_follow_each_other_without_gap(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    for _ in range(5):
        await customer.make_property()
    whole = [line["id"] for line in await _lines(customer)]
    paged: list[object] = []
    query = "?limit=2"
    while True:
        page = (await customer.get(f"/v1/audit-log{query}")).json()
        paged += [line["id"] for line in page["data"]]
        if not page["has_more"]:
            break
        query = f"?limit=2&cursor={page['next_cursor']}"

    assert paged == whole
    assert paged == sorted(paged, key=str, reverse=True)


async def test_since_and_until_cut_the_log(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    await customer.make_property()
    at = str((await _lines(customer))[0]["at"])

    assert len(await _lines(customer, "&until=2020-01-01T00:00:00Z")) == 0
    assert await _lines(customer, "&since=2199-01-01T00:00:00Z") == []
    assert (await _lines(customer, f"&since={at}"))[0]["at"] == at


@pytest.mark.parametrize("query", ["?until=soon", "?actor=", "?limit=0", "?page=2"])
async def test_a_wrong_filter_is_named(api: ControlApi, owner: Person, query: str) -> None:
    answer = await Customer(api, owner).get(f"/v1/audit-log{query}")

    assert params_of(answer) == [query[1:].split("=", maxsplit=1)[0]]


async def test_a_cursor_of_other_filters_is_refused(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    for _ in range(2):
        await customer.make_property()
    cursor = (await customer.get("/v1/audit-log?limit=1")).json()["next_cursor"]
    answer = await customer.get(f"/v1/audit-log?limit=1&actor=operator&cursor={cursor}")

    assert code_of(answer) == "cursor_invalid"


async def test_the_log_is_for_owners_and_admins(api: ControlApi, owner: Person) -> None:
    codes = {}
    for role in ("admin", "manager", "analyst", "finance"):
        _, person = await a_member(api, owner, role)
        codes[role] = (await Customer(api, person).get("/v1/audit-log")).status_code

    assert codes == {"admin": 200, "manager": 403, "analyst": 403, "finance": 403}


async def test_lines_are_forgotten_after_400_days(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    kept, gone = await customer.make_property(), await customer.make_property()
    async with api.control.database.service() as session:
        session_sql = text(
            "update audit_log set at = at - cast(:by as interval) where object_id = :id"
        )
        await session.execute(text("set local role placard_owner"))
        await session.execute(text("alter table audit_log no force row level security"))
        for object_id, days in ((kept["id"], 399), (gone["id"], 401)):
            await session.execute(session_sql, {"by": timedelta(days=days), "id": object_id})
        await session.execute(text("alter table audit_log force row level security"))
    await sweep_audit_log(api.control)

    left = {line["object_id"] for line in await _lines(customer)}
    assert kept["id"] in left
    assert gone["id"] not in left


async def test_nobody_can_change_a_line(api: ControlApi) -> None:
    may_update = text("select has_any_column_privilege(:role, 'audit_log', 'update')")
    may_delete = text("select has_table_privilege('placard_tenant', 'audit_log', 'delete')")
    async with api.control.database.service() as session:
        granted = [
            await session.scalar(may_update, {"role": role})
            for role in ("placard_tenant", "placard_service")
        ]
        tenant_deletes = await session.scalar(may_delete)

    assert granted == [False, False]
    assert tenant_deletes is False
