"""Sign-up over HTTP."""

import asyncio
from datetime import UTC, datetime

import pytest
from sqlalchemy import select, text
from sqlmodel import col

from control.storage.tables.accounts import AuditRow, UserRow
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of


def _body(**changes: object) -> dict[str, object]:
    return {"name": "Acme", "email": "someone@acme.example", "password": PASSWORD, **changes}


async def test_sign_up_makes_an_account_and_its_owner(api: ControlApi) -> None:
    answer = await api.http.post("/v1/accounts", json=_body(email=" Ana@Acme.EXAMPLE "))

    made = answer.json()
    assert answer.status_code == 201
    assert made["account"]["state"] == "active"
    assert made["account"]["billing_mode"] == "invoiced"
    assert made["user"]["email"] == "ana@acme.example"
    assert made["user"]["role"] == "owner"
    assert datetime.fromisoformat(made["account"]["created_at"]).tzinfo == UTC


async def test_sign_up_refuses_an_address_that_is_taken(api: ControlApi, owner: Person) -> None:
    answer = await api.http.post("/v1/accounts", json=_body(email=owner.email.upper()))

    assert answer.status_code == 409
    assert code_of(answer) == "already_exists"
    assert answer.json()["error"]["param"] == "email"


async def test_address_is_given_to_one_of_many_at_once(api: ControlApi) -> None:
    answers = await asyncio.gather(
        *(api.http.post("/v1/accounts", json=_body(email="race@acme.example")) for _ in range(10))
    )

    refused = [answer for answer in answers if answer.status_code != 201]
    assert len(refused) == 9
    assert {code_of(answer) for answer in refused} == {"already_exists"}


async def test_sign_up_keeps_no_password_in_clear(api: ControlApi, owner: Person) -> None:
    async with api.control.database.service() as session:
        stored = await session.scalar(
            select(col(UserRow.password_hash)).where(col(UserRow.id) == owner.user_id)
        )

    assert stored is not None
    assert stored.startswith("$argon2id$")
    assert PASSWORD not in stored


async def test_sign_up_is_written_to_the_audit_log(api: ControlApi, owner: Person) -> None:
    async with api.control.database.tenant(owner.account_id) as session:
        row = await session.scalar(select(AuditRow))

    assert row is not None
    assert (row.action, row.actor) == ("account.create", f"user:{owner.user_id}")


@pytest.mark.usefixtures("owner")
async def test_only_the_first_account_is_the_operators(api: ControlApi) -> None:
    await api.sign_up()

    async with api.control.database.service() as session:
        operators = await session.scalar(text("select count(*) from accounts where is_operator"))
    assert operators == 1


async def test_sign_up_lists_every_fault(api: ControlApi) -> None:
    answer = await api.http.post(
        "/v1/accounts", json={"name": "", "email": "nobody", "password": "short", "plan": "gold"}
    )

    details = answer.json()["error"]["details"]
    assert answer.status_code == 422
    assert code_of(answer) == "validation_failed"
    assert {detail["param"]: detail["code"] for detail in details} == {
        "name": "length",
        "email": "format",
        "password": "length",
        "plan": "unknown",
    }
    assert all("pydantic" not in detail["message"] for detail in details)
    assert "nobody" not in answer.text


async def test_a_new_account_is_published_to_edges(api: ControlApi, owner: Person) -> None:
    async with api.control.database.service() as session:
        known = await session.scalar(
            text("select count(*) from snapshot_objects where type = 'account' and id = :id"),
            {"id": owner.account_id},
        )

    assert known == 1
