"""A domain that another account has verified moves with fresh proof only."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from sqlmodel import col, select

from common.fetching.web import LookUp, RecordKind, Resolver
from control.api.mail.outbox import open_mail
from control.storage.tables.accounts import AuditRow
from control.storage.tables.mails import MailRow
from control.storage.tables.outbox import SnapshotObjectRow
from control.storage.tables.properties import PropertyRow
from tests.control.inventory.domain_verification.conftest import Outside, a_domain
from tests.support.control_api import code_of
from tests.support.name_server import NameServer


async def test_a_proof_beside_the_holders_moves_nothing(outside: Outside) -> None:
    holder, other = await outside.owner(), await outside.owner()
    domain = a_domain()
    theirs = await holder.verified(domain)
    ours = await other.make(domain)
    token = (await other.start(ours)).json()["token"]
    outside.publish(domain, theirs["verification"]["token"], token)

    found = (await other.verify(ours)).json()

    assert (found["verified"], found["problem"]) == (False, "held_by_another")
    assert found["status"] == "unverified"
    assert holder.person.account_id not in str(found)
    assert theirs["id"] not in str(found)
    assert (await holder.read(theirs))["status"] == "verified"


async def test_a_proof_in_place_of_the_holders_moves_the_domain(outside: Outside) -> None:
    holder, other = await outside.owner(), await outside.owner()
    domain = a_domain()
    theirs = await holder.verified(domain)
    ours = await other.make(domain)
    outside.publish(domain, (await other.start(ours)).json()["token"])

    found = (await other.verify(ours)).json()

    lost = await holder.read(theirs)
    assert (found["verified"], found["status"]) == (True, "verified")
    assert lost["status"] == "unverified"
    assert "Another account" in lost["verification"]["last_error"]
    assert lost["version"] == theirs["version"] + 1


@pytest.mark.parametrize(
    ("headers", "body", "status"), [({"If-Match": '"1"'}, None, 412), ({}, {"method": "dns"}, 422)]
)
async def test_a_refused_call_takes_no_domain_from_its_holder(
    outside: Outside, headers: dict[str, str], body: Any, status: int
) -> None:
    holder, other = await outside.owner(), await outside.owner()
    domain = a_domain()
    theirs = await holder.verified(domain)
    ours = await other.make(domain)
    outside.publish(domain, (await other.start(ours)).json()["token"])

    path = f"/v1/properties/{ours['id']}/verify"
    answer = await other.customer.post(path, body, other.customer.headers | headers)

    assert answer.status_code == status
    assert (await holder.read(theirs))["status"] == "verified"
    assert (await other.read(ours))["status"] == "unverified"


async def test_a_move_is_published_mailed_and_in_both_audit_logs(outside: Outside) -> None:
    holder, other = await outside.owner(), await outside.owner()
    domain = a_domain()
    theirs = await holder.verified(domain)
    ours = await other.make(domain)
    outside.publish(domain, (await other.start(ours)).json()["token"])

    await other.verify(ours)

    control = outside.api.control
    async with control.database.service() as session:
        wanted = select(SnapshotObjectRow).where(col(SnapshotObjectRow.id) == theirs["id"])
        known = (await session.scalars(wanted)).one()
        mails = (
            await session.scalars(
                select(MailRow).where(col(MailRow.account_id) == holder.person.account_id)
            )
        ).all()
        acts = {
            (row.account_id, row.action, row.actor.split(":")[0])
            for row in await session.scalars(
                select(AuditRow).where(col(AuditRow.object_id).in_([theirs["id"], ours["id"]]))
            )
        }
    assert b'"status":"unverified"' in known.body
    reported = [open_mail(row, control.keys) for row in mails if row.kind == "verification_moved"]
    assert [mail.to for mail in reported] == [holder.person.email]
    assert domain in reported[0].text
    assert other.person.account_id not in reported[0].text
    assert (holder.person.account_id, "property.verification_moved", "system") in acts
    assert (other.person.account_id, "verifyProperty", "user") in acts


async def test_a_holder_that_cannot_be_looked_for_keeps_its_domain(outside: Outside) -> None:
    """Its page is behind a name server that is silent now, while the claimant's record was seen."""
    holder, other = await outside.owner(), await outside.owner()
    domain = a_domain()
    theirs = await holder.make(domain)
    outside.show(domain, (await holder.start(theirs, "html_tag")).json()["tag"])
    assert (await holder.verify(theirs)).json()["verified"]
    ours = await other.make(domain)
    outside.publish(domain, (await other.start(ours)).json()["token"])
    for server in (outside.one, outside.other):
        server.on_ask = partial(_silence, server)

    found = (await other.verify(ours)).json()

    assert (found["verified"], found["problem"]) == (False, "held_by_another")


async def test_a_domain_verified_by_an_operator_does_not_move(outside: Outside) -> None:
    holder, other = await outside.owner(), await outside.owner()
    domain = a_domain()
    theirs = await holder.make(domain)
    async with outside.api.control.database.service() as session:
        row = await session.get_one(PropertyRow, theirs["id"])
        row.status = "verified"
    ours = await other.make(domain)
    outside.publish(domain, (await other.start(ours)).json()["token"])

    found = (await other.verify(ours)).json()

    assert (found["verified"], found["problem"]) == (False, "held_by_another")


async def test_one_account_may_verify_a_domain_twice(outside: Outside) -> None:
    owner = await outside.owner()
    domain = a_domain()
    first = await owner.verified(domain)
    second = await owner.verified(domain)

    assert {(await owner.read(site))["status"] for site in (first, second)} == {"verified"}


async def test_a_change_during_the_check_is_noticed(outside: Outside) -> None:
    """The property moves to another domain while its record is looked for."""
    owner = await outside.owner()
    site = await owner.make()
    outside.publish(site["domain"], (await owner.start(site)).json()["token"])
    release, reached = asyncio.Event(), asyncio.Event()
    control = outside.api.control
    control.resolver = _Held(control.resolver, reached, release)

    running = asyncio.ensure_future(owner.verify(site))
    await reached.wait()
    version = (await owner.read(site))["version"]
    await owner.customer.patch(
        f"/v1/properties/{site['id']}", version, {"domain": "late.example.net"}
    )
    release.set()
    answer = await running

    assert (answer.status_code, code_of(answer)) == (409, "invalid_state")
    assert (await owner.read(site))["status"] == "unverified"


@dataclass(frozen=True, slots=True)
class _Held:
    """A resolver whose answers wait until the test lets them go."""

    resolver: Resolver
    reached: asyncio.Event
    release: asyncio.Event

    async def resolve_all(self, name: str, kind: RecordKind) -> tuple[LookUp, ...]:
        answers = await self.resolver.resolve_all(name, kind)
        self.reached.set()
        await self.release.wait()
        return answers

    async def find_addresses(self, host: str) -> LookUp:
        return await self.resolver.find_addresses(host)


def _silence(server: NameServer, _name: str, _kind: str) -> None:
    """The claimant's record was asked for: from now on nothing is answered."""
    server.silent = True
