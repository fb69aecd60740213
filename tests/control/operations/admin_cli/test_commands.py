"""The operator's commands as they are run, by what they print, change and write down."""

import hashlib
import uuid
from typing import Any

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from common.tracking.event import ConversionRecord, LogRecord
from common.tracking.record import encode_record
from common.values.clock import to_ms
from common.values.enums import ConversionChannel, Reason
from common.values.environment import Environment
from common.values.ids import new_id
from common.values.keys import KeyKind
from control.api.mail.kinds import MailKind
from control.api.mail.outbox import queue_mail
from control.events.ingest.partitions import ensure_partitions
from control.operations.admin_cli.commands import app
from control.ports.mail import Mail
from tests.control.events.ingest.world import FACTS
from tests.control.identity.members.people import a_member, own_member_id
from tests.control.operations.admin_cli.command import admin, refused
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of
from tests.support.records import a_writer, an_event
from tests.support.resources import Customer

LIVE = Environment.LIVE
COMMANDS = [
    [group.name, command.name or command.callback.__name__.replace("_", "-")]
    for group in app.registered_groups
    if group.typer_instance is not None
    for command in group.typer_instance.registered_commands
    if command.callback is not None
]


@pytest.mark.parametrize("words", COMMANDS, ids="-".join)
def test_every_command_documents_its_purpose_and_arguments(words: list[str]) -> None:
    result = CliRunner().invoke(app, [*words, "--help"])

    assert result.exit_code == 0
    assert "Usage" in result.stdout
    assert "--help" in result.stdout


async def test_accounts_are_listed_and_shown(api: ControlApi, owner: Person) -> None:
    await api.add_key(owner)
    listed = await admin(api, "accounts", "list", "--state", "active", "--limit", "1000")
    shown = await admin(api, "accounts", "show", "--account", owner.account_id)

    assert owner.account_id in {row["id"] for row in listed}
    assert (shown["members"], shown["properties"], shown["keys"]) == (1, 1, 1)


async def test_a_closed_account_is_not_activated(api: ControlApi) -> None:
    owner = await api.sign_up()
    await Customer(api, owner).post("/v1/account/close", {"password": PASSWORD})
    errors = await refused(api, "accounts", "activate", "--account", owner.account_id)

    assert "closed by its owner" in errors


async def test_review_is_demanded_by_the_operator_too(api: ControlApi, owner: Person) -> None:
    text = await admin(api, "accounts", "set-review", "--account", owner.account_id, "--on")
    account = (await Customer(api, owner).get("/v1/account")).json()
    path = "/v1/audit-log?actor=operator&action=account.set_review"
    lines = (await Customer(api, owner).get(path)).json()["data"]

    assert text["review_required"] is True
    assert account["review_required"] is True
    assert lines[0]["detail"] == {"review_required": {"from": False, "to": True}}
    assert (lines[0]["origin"], lines[0]["request_id"]) == ("admin", None)


async def test_a_property_is_verified_unverified_and_suspended(
    api: ControlApi, owner: Person
) -> None:
    site = await api.add_property(owner)
    text = [
        (await admin(api, "properties", verb, "--property", site))["status"]
        for verb in ("verify", "unverify", "suspend")
    ]

    assert text == ["verified", "unverified", "suspended"]


async def test_a_leaked_key_is_revoked_by_its_text(api: ControlApi, owner: Person) -> None:
    key = await api.add_key(owner, KeyKind.SECRET, LIVE)
    text = await admin(api, "keys", "revoke", "--pasted", stdin=f"{key.text.text}\n")
    listed = await admin(api, "keys", "list", "--property", key.property_id)

    assert text["id"] == key.id
    assert [row["revoked_at"] for row in listed] == [text["revoked_at"]]
    assert key.text.text not in str(listed)
    assert code_of(await api.http.get("/v1/me", headers=key.headers)) == "key_revoked"


async def test_a_key_is_revoked_once_by_its_id(api: ControlApi, owner: Person) -> None:
    key = await api.add_key(owner, KeyKind.SECRET)
    customer, path = Customer(api, owner), f"/v1/sdk-keys/{key.id}"
    before = (await customer.get(path)).headers["etag"]
    await admin(api, "keys", "revoke", "--key", key.id)
    errors = await refused(api, "keys", "revoke", "--key", key.id)

    assert "revoked already" in errors
    assert (await customer.get(path)).headers["etag"] != before


async def test_a_text_that_is_no_key_is_not_repeated(api: ControlApi) -> None:
    errors = await refused(api, "keys", "revoke", "--pasted", stdin="sk_live_nonsense\n")

    assert "no key's text" in errors
    assert "sk_live_nonsense" not in errors


async def test_an_operator_makes_an_owner(api: ControlApi, owner: Person) -> None:
    _, person = await a_member(api, owner, "analyst")
    member = ("--account", owner.account_id, "--email", person.email.upper())
    text = await admin(api, "members", "set-role", *member, "--role", "owner")
    listed = await admin(api, "members", "list", "--account", owner.account_id)

    assert text["role"] == "owner"
    assert {row["email"]: row["role"] for row in listed}[person.email] == "owner"
    assert code_of(await Customer(api, person).get("/v1/me")) == "invalid_key"


async def lines_of(api: ControlApi, object_id: str, action: str) -> Any:
    return await admin(api, "audit", "show", "--object-id", object_id, "--action", action)


async def test_a_role_that_a_member_has_already_changes_nothing(
    api: ControlApi, owner: Person
) -> None:
    member_id, person = await a_member(api, owner, "analyst")
    before = (await Customer(api, owner).get(f"/v1/members/{member_id}")).json()
    member = ("--account", owner.account_id, "--email", person.email)
    text = await admin(api, "members", "set-role", *member, "--role", "analyst")

    assert (text["role"], text["version"]) == ("analyst", before["version"])
    assert (await Customer(api, person).get("/v1/me")).status_code == 200
    assert await lines_of(api, member_id, "member.set_role") == []


async def test_a_state_that_is_so_already_is_not_recorded_again(
    api: ControlApi, owner: Person
) -> None:
    site = (await Customer(api, owner).make_property())["id"]
    first = await admin(api, "properties", "verify", "--property", site)
    again = await admin(api, "properties", "verify", "--property", site)
    review = ("accounts", "set-review", "--account", owner.account_id, "--on")
    await admin(api, *review)
    account = (await Customer(api, owner).get("/v1/account")).json()
    await admin(api, *review)

    assert first == again
    assert (await Customer(api, owner).get("/v1/account")).json() == account
    for action, object_id in (("property.verify", site), ("account.set_review", owner.account_id)):
        assert len(await lines_of(api, object_id, action)) == 1


async def test_not_even_an_operator_takes_the_last_owner(api: ControlApi) -> None:
    owner = await api.sign_up()
    member = ("--account", owner.account_id, "--email", owner.email)
    errors = await refused(api, "members", "set-role", *member, "--role", "admin")

    assert "needs an owner" in errors
    assert await own_member_id(api, owner)


async def test_the_audit_log_of_all_is_shown_by_filters(api: ControlApi, owner: Person) -> None:
    await api.add_property(owner)
    site = (await Customer(api, owner).make_property())["id"]
    lines = await admin(
        api, "audit", "show", "--object-id", site, "--actor", f"user:{owner.user_id}"
    )
    errors = await refused(api, "audit", "show", "--since", "soon")

    assert [(line["account_id"], line["action"]) for line in lines] == [
        (owner.account_id, "createProperty")
    ]
    assert "ISO 8601" in errors


async def test_replaying_the_outbox_mends_what_edges_lack(api: ControlApi) -> None:
    owner = await api.sign_up()
    customer = Customer(api, owner)
    site = await customer.make_property()
    await customer.make_slot(site["id"])
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set stopped = true where id = :id"), {"id": owner.account_id}
        )
    first = await admin(api, "outbox", "replay", "--account", owner.account_id, "--batch", "1")
    again = await admin(api, "outbox", "replay", "--account", owner.account_id)

    assert first["objects"] == {
        **dict.fromkeys(("key", "campaign", "ad", "pace", "rates"), 0),
        "account": 1,
        "property": 1,
        "slot": 1,
    }
    assert len(first["versions"]) == 1
    assert again["versions"] == []
    async with api.control.database.service() as session:
        body = await session.scalar(
            text("select body from snapshot_objects where id = :id"), {"id": owner.account_id}
        )
    assert b'"stopped":true' in bytes(body or b"")


@pytest.mark.usefixtures("owner")
async def test_replaying_everything_stands_in_the_operators_log(api: ControlApi) -> None:
    text = await admin(api, "outbox", "replay")
    lines = await admin(api, "audit", "show", "--action", "outbox.replay")

    assert text["account_id"] is None
    assert text["objects"]["account"] >= 1
    assert (lines[0]["object_type"], lines[0]["object_id"]) == ("snapshot", "all")


async def test_a_mail_given_up_is_tried_again(api: ControlApi, owner: Person) -> None:
    control = api.control
    async with control.database.service() as session:
        mail_id = queue_mail(
            session,
            Mail("a@b.example", "S", "T"),
            kind=MailKind.INVITATION,
            account_id=owner.account_id,
            keys=control.keys,
            now=control.clock.now(),
        )
    errors = await refused(api, "mails", "retry", "--mail", mail_id)
    async with control.database.service() as session:
        await session.execute(
            text("update mails set failed_at = now(), attempts = 9 where id = :id"), {"id": mail_id}
        )
    failed = await admin(api, "mails", "list", "--state", "failed")
    value = await admin(api, "mails", "retry", "--mail", mail_id)

    assert "not given up" in errors
    assert [row["id"] for row in failed] == [mail_id]
    assert (value["attempts"], value["failed_at"]) == (0, None)


async def _keep(api: ControlApi, raw: bytes, reason: str) -> str:
    digest = hashlib.sha256(raw)
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "insert into dead_letters (source, partition, position, digest, raw, reason, at) "
                "values (:source, 0, 1, :digest, :raw, :reason, now())"
            ),
            {"source": new_id(), "digest": digest.digest(), "raw": raw, "reason": reason},
        )
    return digest.hexdigest()


def _conversion(property_id: uuid.UUID, at_ms: int) -> ConversionRecord:
    return ConversionRecord(
        conversion_id=uuid.uuid4(),
        door=ConversionChannel.SECRET_KEY,
        at_ms=at_ms,
        occurred_ms=at_ms,
        is_test=True,
        property_id=property_id,
        click_id=uuid.uuid4(),
        person=None,
        event_name="purchase",
        value_cents=None,
        currency=None,
        order_id=None,
        facts=FACTS,
        reason=Reason.OK_TEST,
        judge_version=1,
    )


async def test_dead_letters_are_listed_and_shown(api: ControlApi) -> None:
    digest = await _keep(api, b"\xffnot a record", "no JSON at all")
    listed = await admin(api, "dead-letters", "list", "--reason", "no JSON")
    shown = await admin(api, "dead-letters", "show", "--digest", digest)

    assert [row["digest"] for row in listed] == [digest]
    assert shown["raw"] == "\\xffnot a record"


@pytest.mark.usefixtures("owner")
async def test_a_letter_that_is_still_dead_stays_with_its_reason(api: ControlApi) -> None:
    digest = await _keep(api, b"{}", "an old reason")
    text = await admin(api, "dead-letters", "replay", "--digest", digest)
    shown = await admin(api, "dead-letters", "show", "--digest", digest)

    assert text == {"replayed": 1, "stored": 0, "duplicates": 0, "dead": 1}
    assert shown["reason"] != "an old reason"
    assert not shown["source"].startswith("replay/")


async def test_a_letter_whose_cause_is_mended_is_stored_once(
    api: ControlApi, owner: Person
) -> None:
    now = api.control.clock.now()
    async with api.control.database.service() as session:
        await ensure_partitions(session, now.date(), kept_days=90)
    site, at_ms = uuid.UUID(await api.add_property(owner)), to_ms(now)
    event = an_event(property_id=site, is_test=True, issued_ms=at_ms - 10, at_ms=at_ms)
    raw = encode_record(LogRecord(a_writer(), 1, b"client", event))
    digest = await _keep(api, raw, "unknown property")
    conversion = LogRecord(a_writer(), 2, b"client", _conversion(site, at_ms))
    await _keep(api, encode_record(conversion), "unknown property")
    first = await admin(api, "dead-letters", "replay", "--reason", "unknown property")
    await _keep(api, raw, "unknown property")
    again = await admin(api, "dead-letters", "replay", "--digest", digest)

    assert first == {"replayed": 2, "stored": 2, "duplicates": 0, "dead": 0}
    assert again == {"replayed": 1, "stored": 0, "duplicates": 1, "dead": 0}
    assert "no dead letter" in await refused(api, "dead-letters", "show", "--digest", digest)
    async with api.control.database.service() as session:
        left = await session.scalar(
            text("select count(*) from ingest_positions where source like 'replay/%'")
        )
    assert left == 0
