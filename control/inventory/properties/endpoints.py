"""The property endpoints: each handler reads, applies the rules, writes, and records the change for edges."""

from collections.abc import Mapping, Sequence
from typing import Any

from common.snapshot.model import ObjectType
from common.values.enums import PropertyStatus
from common.values.ids import new_id
from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.api.versioning import check_version, created, raise_version, versioned
from control.foundation.wire_types import given
from control.inventory.properties import operations, queries, rules
from control.inventory.properties.mails import queue_payout_mail
from control.inventory.properties.rows import NO_PAYOUT, first_secret, to_public, write
from control.inventory.properties.schemas import PropertyCreate
from control.storage.tables.properties import PropertyRow


async def create(call: Call) -> Reply:
    row = _unverified(call)
    rules.check_names(row)
    moved = rules.check_payout(NO_PAYOUT, row.payout, call.principal.permissions)
    await _check_blocked_ads(call, row, known=())
    call.session.add(row)
    await call.session.flush()
    call.session.add(first_secret(row, call.control.keys, call.now))
    await call.session.flush()
    if moved:
        await _note_payout(call, row, NO_PAYOUT)
    call.changes.touch(ObjectType.ACCOUNT, row.account_id)
    call.changes.touch(ObjectType.PROPERTY, row.id)
    currency = await queries.get_currency(call.session, row.account_id)
    return created(to_public(row, currency), row.version, f"/v1/properties/{row.id}")


async def list_(call: Call) -> Reply:
    rows = await queries.list_properties(call.session, call.principal, call.query, before_id(call))
    currency = await queries.get_currency(call.session, call.principal.account_id)
    return Reply(page_of(call, rows, lambda row: to_public(row, currency)))


async def get(call: Call) -> Reply:
    row = await queries.get_property(call.session, call.principal, call.path["id"])
    return await _shown(call, row)


async def patch(call: Call) -> Reply:
    row = await queries.get_property(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    values = given(call.body)
    if values:
        domain, bundle_id, blocked = row.domain, row.bundle_id, row.blocked_ad_ids
        payout = dict(row.payout)
        write(row, values)
        rules.check_names(row)
        if rules.check_payout(payout, row.payout, call.principal.permissions):
            await _note_payout(call, row, payout)
        await _check_blocked_ads(call, row, known=blocked)
        if rules.unverified_by(row, domain=domain, bundle_id=bundle_id):
            row.status = PropertyStatus.UNVERIFIED.value
        if row.domain != domain:  # a token belongs to one domain
            row.verification = {}
            row.check_due_at = None
        raise_version(row, call.now)
        call.session.add(row)
        await call.session.flush()
        call.changes.touch(ObjectType.PROPERTY, row.id)
    return await _shown(call, row)


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
    Endpoint(operations.PATCH, patch),
)


async def _shown(call: Call, row: PropertyRow) -> Reply:
    currency = await queries.get_currency(call.session, row.account_id)
    return versioned(to_public(row, currency), row.version)


async def _note_payout(call: Call, row: PropertyRow, before: Mapping[str, Any]) -> None:
    """Write old and new terms to the audit log, and mail the owners, so that they notice a changed payee."""
    call.detail["payout"] = {"from": dict(before), "to": dict(row.payout)}
    await queue_payout_mail(call.session, row, before, keys=call.control.keys, now=call.now)


async def _check_blocked_ads(call: Call, row: PropertyRow, *, known: Sequence[str]) -> None:
    """Raises 422 that names each new id that is no ad of the account; *known* ids are not checked again."""
    new = [ad_id for ad_id in row.blocked_ad_ids if ad_id not in known]
    if new:
        rules.check_blocked_ads(
            row, await queries.known_ads(call.session, row.account_id, new) | frozenset(known)
        )


def _unverified(call: Call) -> PropertyRow:
    body: PropertyCreate = call.body
    columns: dict[str, Any] = {
        "id": new_id(),
        "account_id": call.principal.account_id,
        "status": PropertyStatus.UNVERIFIED.value,
        "verification": {},
        "rate_limits": body.rate_limits.model_dump(mode="json"),
        "payout": body.payout.model_dump(mode="json"),
        "sdk": body.sdk.model_dump(mode="json"),
        "created_at": call.now,
        "updated_at": call.now,
    }
    row = PropertyRow(**columns)
    write(row, {name: getattr(body, name) for name in type(body).model_fields})
    return row
