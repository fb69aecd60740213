"""The scheduler looks again every 30 days: a warning, a grace, and the end of it."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest_asyncio
from sqlmodel import col, select

from control.api.mail.outbox import open_mail
from control.inventory.domain_verification.jobs import recheck_properties
from control.inventory.domain_verification.verification_state import VerificationState, parse_state
from control.storage.tables.mails import MailRow
from control.storage.tables.outbox import SnapshotObjectRow
from control.storage.tables.properties import PropertyRow
from tests.control.inventory.domain_verification.conftest import Outside, Owner

DAY_MS = 86_400_000


@pytest_asyncio.fixture(loop_scope="session")
async def owner(outside: Outside) -> AsyncIterator[Owner]:
    """Everything happens in the time of the test's clock."""
    outside.api.control.clock = outside.clock
    yield await outside.owner()


async def row_of(outside: Outside, site: dict[str, Any]) -> PropertyRow:
    async with outside.api.control.database.service() as session:
        return await session.get_one(PropertyRow, site["id"])


async def standing_of(outside: Outside, site: dict[str, Any]) -> VerificationState:
    return parse_state((await row_of(outside, site)).verification)


async def mails_of(outside: Outside, owner: Owner) -> list[str]:
    wanted = select(MailRow).where(col(MailRow.account_id) == owner.person.account_id)
    async with outside.api.control.database.service() as session:
        rows = (await session.scalars(wanted.order_by(col(MailRow.id)))).all()
    for row in rows:
        assert open_mail(row, outside.api.control.keys).to == owner.person.email
    return [row.kind for row in rows if row.kind.startswith("verification_")]


async def days_later(outside: Outside, days: float) -> None:
    outside.clock.advance(ms=int(days * DAY_MS))
    await recheck_properties(outside.api.control)


async def test_a_proof_that_stands_holds_for_another_month(outside: Outside, owner: Owner) -> None:
    site = await owner.verified()
    before = (await row_of(outside, site)).check_due_at

    await days_later(outside, 31)

    after = await row_of(outside, site)
    assert before is not None
    assert after.check_due_at is not None
    assert timedelta(days=29) < after.check_due_at - outside.clock.now() < timedelta(days=31)
    assert (after.status, (await standing_of(outside, site)).checked_at) == (
        "verified",
        outside.clock.now(),
    )
    assert after.version == site["version"] + 1
    assert await mails_of(outside, owner) == []


async def test_nothing_is_looked_for_before_it_is_due(outside: Outside, owner: Owner) -> None:
    await owner.verified()
    outside.one.asked.clear()

    await days_later(outside, 28)

    assert outside.one.asked == []


async def test_a_missing_proof_warns_once_and_ends_after_the_grace(
    outside: Outside, owner: Owner
) -> None:
    site = await owner.verified()
    outside.unpublish(site["domain"])

    await days_later(outside, 31)
    warned = await row_of(outside, site)
    for _ in range(6):
        await days_later(outside, 1)
    still = await row_of(outside, site)
    await days_later(outside, 1)
    after = await row_of(outside, site)

    assert (warned.status, still.status, after.status) == ("verified", "verified", "unverified")
    assert await mails_of(outside, owner) == ["verification_failing", "verification_lost"]
    assert after.check_due_at is None
    async with outside.api.control.database.service() as session:
        wanted = select(SnapshotObjectRow).where(col(SnapshotObjectRow.id) == site["id"])
        assert b'"status":"unverified"' in (await session.scalars(wanted)).one().body


async def test_a_proof_that_comes_back_ends_the_grace(outside: Outside, owner: Owner) -> None:
    site = await owner.verified()
    token = site["verification"]["token"]
    outside.unpublish(site["domain"])
    await days_later(outside, 31)
    outside.publish(site["domain"], token)

    await days_later(outside, 1)
    outside.unpublish(site["domain"])
    await days_later(outside, 31)
    await days_later(outside, 2)

    assert (await row_of(outside, site)).status == "verified"
    assert await mails_of(outside, owner) == ["verification_failing", "verification_failing"]


async def test_silent_resolvers_do_not_end_a_verification(outside: Outside, owner: Owner) -> None:
    site = await owner.verified()
    outside.one.silent = outside.other.silent = True

    await days_later(outside, 31)
    for _ in range(10):
        await days_later(outside, 1)

    found = await row_of(outside, site)
    assert (found.status, found.version) == ("verified", site["version"])
    assert (await standing_of(outside, site)).failing_since is None
    assert await mails_of(outside, owner) == []


async def test_a_suspended_property_stays_suspended(outside: Outside, owner: Owner) -> None:
    site = await owner.verified()
    async with outside.api.control.database.service() as session:
        (await session.get_one(PropertyRow, site["id"])).status = "suspended"
    outside.one.asked.clear()

    await days_later(outside, 31)

    assert (await row_of(outside, site)).status == "suspended"
    assert outside.one.asked == []


async def test_an_unproven_new_method_does_not_end_the_old_proof(
    outside: Outside, owner: Owner
) -> None:
    site = await owner.verified()
    await owner.start(site, "html_tag")

    await days_later(outside, 31)
    await days_later(outside, 31)

    assert (await row_of(outside, site)).status == "verified"
    assert await mails_of(outside, owner) == []


async def test_a_lost_property_is_verified_again_by_the_same_proof(
    outside: Outside, owner: Owner
) -> None:
    site = await owner.verified()
    outside.unpublish(site["domain"])
    await days_later(outside, 31)
    await days_later(outside, 8)
    outside.publish(site["domain"], site["verification"]["token"])
    signed_in = await outside.api.sign_in(owner.person.email)
    headers = {"Authorization": f"Bearer {signed_in.json()['access_token']}"}

    answer = await outside.api.http.post(f"/v1/properties/{site['id']}/verify", headers=headers)

    assert answer.json()["verified"]


async def test_doing_it_twice_does_no_harm(outside: Outside, owner: Owner) -> None:
    site = await owner.verified()
    outside.unpublish(site["domain"])
    await days_later(outside, 31)

    await recheck_properties(outside.api.control)

    assert await mails_of(outside, owner) == ["verification_failing"]


async def test_many_are_looked_for_in_one_run(outside: Outside, owner: Owner) -> None:
    sites = [await owner.verified() for _ in range(13)]
    for site in sites:
        outside.unpublish(site["domain"])

    await days_later(outside, 31)

    failing = [(await standing_of(outside, site)).failing_since for site in sites]
    assert all(failing)
