"""The operator's acts, by the command line as it is run."""

import orjson
import pytest
from sqlalchemy import text

from control.api.operator_action import NotFound, operator_action
from control.identity.accounts.rules import StatusCause
from control.operations.admin_cli.accounts import move_account, set_operator
from control.operations.admin_cli.members import verify_persons_address
from tests.control.operations.admin_cli.command import run_control
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.servers import PostgresServer


async def _head(api: ControlApi) -> int:
    async with api.control.database.service() as session:
        return int(await session.scalar(text("select version from snapshot_head")) or 0)


async def _audited(api: ControlApi, action: str, object_id: str) -> int:
    async with api.control.database.service() as session:
        found = await session.scalar(
            text("select count(*) from audit_log where action = :action and object_id = :id"),
            {"action": action, "id": object_id},
        )
    return int(found or 0)


async def test_verify_address_opens_an_accounts_live_serving(
    api: ControlApi, owner: Person
) -> None:
    assert owner
    person = await api.sign_up(verified=False)
    async with operator_action(api.control) as act:
        printed = await verify_persons_address(act, person.email)
    me = (await api.http.get("/v1/me", headers=person.headers)).json()

    assert printed["account_ids"] == [person.account_id]
    assert me["account"]["address_verified"] is True
    async with operator_action(api.control) as act:
        with pytest.raises(NotFound, match="Nobody has the address"):
            await verify_persons_address(act, "nobody@people.example")


async def test_verify_property_reaches_edges_and_the_audit_log(
    api: ControlApi, owner: Person
) -> None:
    property_id = await api.add_property(owner)
    before = await _head(api)
    code, output, errors = await run_control(
        api, "admin", "verify-property", "--property", property_id
    )

    assert code == 0, errors
    assert orjson.loads(output) == {"property_id": property_id, "status": "verified", "version": 2}
    assert await _head(api) == before + 1
    assert await _audited(api, "property.verify", property_id) == 1


async def test_suspended_account_is_refused_until_it_is_activated(api: ControlApi) -> None:
    person = await api.sign_up()
    async with operator_action(api.control) as act:
        await move_account(act, person.account_id, StatusCause.SUSPENDED)
    suspended = await api.http.get("/v1/me", headers=person.headers)
    async with operator_action(api.control) as act:
        await move_account(act, person.account_id, StatusCause.ACTIVATED)
    active = await api.http.get("/v1/me", headers=person.headers)

    assert code_of(suspended) == "tenant_suspended"
    assert active.status_code == 200
    assert await _audited(api, "account.suspended", person.account_id) == 1


async def test_make_operator_gives_the_platforms_permissions(api: ControlApi) -> None:
    person = await api.sign_up()
    before = (await api.http.get("/v1/me", headers=person.headers)).json()
    async with operator_action(api.control) as act:
        await set_operator(act, person.account_id)
    after = (await api.http.get("/v1/me", headers=person.headers)).json()

    assert "platform:write" not in before["permissions"]
    assert "platform:write" in after["permissions"]


async def test_act_on_an_absent_object_says_so(api: ControlApi) -> None:
    code, output, errors = await run_control(api, "admin", "make-operator", "--account", "nobody")

    assert code == 1
    assert output == b""
    assert errors == b"There is no account 'nobody'.\n"


async def test_a_database_that_cannot_be_used_is_one_line_with_its_address_and_the_reason(
    api: ControlApi, postgres_server: PostgresServer
) -> None:
    right = api.control.settings.database_url
    name = right.split("@/", 1)[1].split("?", 1)[0]
    wrong = {
        "postgresql://admin:secret@127.0.0.1:1/placard": (b"127.0.0.1:1", b"Connect call failed"),
        right.replace(name, "no_such_database"): (b"no_such_database", b"does not exist"),
        postgres_server.new_database(): (b"control migrate", b"does not exist"),
    }
    for url, words in wrong.items():
        code, output, errors = await run_control(
            api, "admin", "accounts", "list", PLACARD_DATABASE_URL=url
        )
        assert (code, output, errors.count(b"\n")) == (1, b"", 1), errors
        assert all(word in errors for word in words), errors
        assert b"secret" not in errors


async def test_missing_settings_are_named_by_their_variables(api: ControlApi) -> None:
    code, _, errors = await run_control(api, "api", PLACARD_CONTROL_URL="", PLACARD_REDIS_URL="")

    assert code == 1
    assert b"PLACARD_CONTROL_URL" in errors
    assert b"PLACARD_REDIS_URL" in errors
    assert b"Traceback" not in errors


async def test_port_that_is_taken_is_named(api: ControlApi) -> None:
    code, _, errors = await run_control(api, "api", PLACARD_CONTROL_PORT=str(api.port))

    assert code == 1
    assert b"PLACARD_CONTROL_PORT" in errors
    assert str(api.port).encode() in errors
    assert b"Traceback" not in errors
