"""The account's settings, its emergency switch, its end."""

from sqlalchemy import text

from common.values.environment import Environment
from common.values.keys import KeyKind
from control.api.operator_action import operator_action
from control.identity.accounts.account_status import change_status
from control.identity.accounts.rules import StatusCause
from control.operations.admin_cli.accounts import move_account
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from tests.control.identity.members.people import a_member
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of
from tests.support.resources import Customer, params_of


async def _edges_have(api: ControlApi, account_id: str) -> str:
    async with api.control.database.service() as session:
        body = await session.scalar(
            text("select body from snapshot_objects where type = 'account' and id = :id"),
            {"id": account_id},
        )
    return bytes(body or b"").decode()


async def test_every_member_reads_the_account(api: ControlApi, owner: Person) -> None:
    _, financier = await a_member(api, owner, "finance")
    answer = await Customer(api, financier).get("/v1/account")

    assert answer.status_code == 200
    shown = answer.json()
    assert (shown["id"], shown["state"], shown["state_reason"]) == (
        owner.account_id,
        "active",
        None,
    )
    assert answer.headers["etag"] == f'"{shown["version"]}"'


async def test_settings_change_by_version(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    body = {"name": "Acme & Sons", "review_required": True, "require_second_factor": False}
    changed = await customer.patch("/v1/account", 1, body)
    stale = await customer.patch("/v1/account", 1, {"name": "Late"})

    assert changed.status_code == 200, changed.text
    assert {name: changed.json()[name] for name in body} == body
    assert changed.json()["version"] == 2
    assert (stale.status_code, code_of(stale)) == (412, "version_conflict")
    assert (await customer.get("/v1/account")).json()["name"] == "Acme & Sons"


async def test_fields_that_are_not_settings_are_refused_with_every_error(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    body = {"name": "", "review_required": "yes", "state": "active", "currency": "EUR"}
    answer = await customer.patch("/v1/account", 1, body)

    assert set(params_of(answer)) == set(body)
    assert (await customer.get("/v1/account")).json()["version"] == 1


async def test_a_manager_stops_and_an_admin_resumes(api: ControlApi) -> None:
    owner = await api.sign_up()
    _, manager = await a_member(api, owner, "manager")
    _, admin = await a_member(api, owner, "admin")
    _, analyst = await a_member(api, owner, "analyst")
    stopped = await Customer(api, manager).post("/v1/account/stop")
    reported = await _edges_have(api, owner.account_id)
    refused = [
        await Customer(api, manager).post("/v1/account/resume"),
        await Customer(api, analyst).post("/v1/account/stop"),
    ]
    resumed = await Customer(api, admin).post("/v1/account/resume")

    assert stopped.json()["stopped"] is True
    assert '"stopped":true' in reported
    assert {code_of(answer) for answer in refused} == {"permission_denied"}
    assert resumed.json()["stopped"] is False
    assert '"stopped":true' not in await _edges_have(api, owner.account_id)


async def test_stopping_twice_is_stopping_once(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    first = await customer.post("/v1/account/stop")
    again = await customer.post("/v1/account/stop")

    assert again.json() == first.json()
    assert (await customer.post("/v1/account/resume")).json()["version"] == 3


async def test_a_stop_says_so_where_campaigns_are_read(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    await customer.post(f"/v1/campaigns/{campaign['id']}/activate")
    await customer.post("/v1/account/stop")
    read = (await customer.get(f"/v1/campaigns/{campaign['id']}")).json()

    assert read["delivery_status"] == "blocked"
    assert "stopped" in str(read["delivery_reason"])


async def test_currency_is_chosen_at_sign_up_from_the_list(api: ControlApi) -> None:
    body = {"name": "A", "email": "currency@acme.example", "password": PASSWORD}
    for wrong in ("EU", "XAU", "XXX", "ZZZ", ""):
        answer = await api.http.post("/v1/accounts", json={**body, "currency": wrong})
        assert params_of(answer) == ["currency"], wrong
    made = await api.http.post("/v1/accounts", json={**body, "currency": "brl"})
    default = await api.http.post("/v1/accounts", json={**body, "email": "b@acme.example"})

    assert made.json()["account"]["currency"] == "BRL"
    assert default.json()["account"]["currency"] == "USD"


async def test_a_payment_does_not_lift_an_operators_suspension(api: ControlApi) -> None:
    owner = await api.sign_up()
    async with operator_action(api.control) as act:
        await move_account(act, owner.account_id, StatusCause.SUSPENDED)
    await _change(api, owner, StatusCause.PAID)
    held = await Customer(api, owner).get("/v1/me")
    async with operator_action(api.control) as act:
        await move_account(act, owner.account_id, StatusCause.ACTIVATED)

    assert code_of(held) == "tenant_suspended"
    assert (await Customer(api, owner).get("/v1/me")).status_code == 200


async def test_billings_suspension_reaches_edges_and_the_audit_log(api: ControlApi) -> None:
    owner = await api.sign_up()
    await _change(api, owner, StatusCause.PAYMENT_FAILED)
    late = (await Customer(api, owner).get("/v1/account")).json()
    await _change(api, owner, StatusCause.GRACE_ENDED)

    assert (late["state"], late["state_reason"]) == ("past_due", "payment_failed")
    assert '"suspended"' in await _edges_have(api, owner.account_id)
    assert code_of(await Customer(api, owner).get("/v1/me")) == "tenant_suspended"
    await _change(api, owner, StatusCause.PAID)
    path = "/v1/audit-log?actor=system"
    lines = (await Customer(api, owner).get(path)).json()["data"]
    assert [line["detail"]["state"]["to"] for line in lines] == [
        "active",
        "suspended: payment_failed",
        "past_due: payment_failed",
    ]


async def test_an_owner_closes_the_account_for_good(api: ControlApi) -> None:
    owner = await api.sign_up()
    _, analyst = await a_member(api, owner, "analyst")
    site = await api.add_property(owner)
    keys = [await api.add_key(owner, kind, Environment.LIVE, property_id=site) for kind in KeyKind]
    closed = await Customer(api, owner).post("/v1/account/close", {"password": PASSWORD})

    assert closed.status_code == 200, closed.text
    assert (closed.json()["state"], closed.json()["state_reason"]) == ("suspended", "closed")
    for who in (owner, analyst):
        assert code_of(await Customer(api, who).get("/v1/me")) == "invalid_key"
        assert code_of(await api.sign_in(who.email)) == "tenant_suspended"
    for key in keys[1:]:
        answer = await api.http.get("/v1/me", headers=key.headers)
        assert code_of(answer) == "key_revoked"
    assert '"suspended"' in await _edges_have(api, owner.account_id)


async def test_closing_needs_an_owner_and_their_password(api: ControlApi) -> None:
    owner = await api.sign_up()
    _, admin = await a_member(api, owner, "admin")
    by_admin = await Customer(api, admin).post("/v1/account/close", {"password": PASSWORD})
    empty = await Customer(api, admin).post("/v1/account/close", {})
    guessed = await Customer(api, owner).post("/v1/account/close", {"password": "a guess"})

    assert (by_admin.status_code, code_of(by_admin)) == (403, "permission_denied")
    assert (empty.status_code, code_of(empty)) == (403, "permission_denied")
    assert (guessed.status_code, code_of(guessed)) == (400, "invalid_grant")
    assert (await Customer(api, owner).get("/v1/account")).json()["state"] == "active"


async def test_a_tenant_cannot_write_its_own_state(api: ControlApi, owner: Person) -> None:
    async with api.control.database.tenant(owner.account_id) as session:
        granted = await session.scalar(
            text("select has_column_privilege('accounts', 'state', 'update')")
        )
        may_close = await session.scalar(
            text("select has_function_privilege('close_own_account(timestamptz)', 'execute')")
        )

    assert (granted, may_close) == (False, True)


async def _change(api: ControlApi, owner: Person, cause: StatusCause) -> None:
    now = api.control.clock.now()
    changes = Changes()
    async with api.control.database.service() as session:
        await change_status(
            session,
            owner.account_id,
            cause,
            changes=changes,
            now=now,
            actor="system",
            origin="work",
        )
        await flush(session, changes, keys=api.control.keys, now=now)
