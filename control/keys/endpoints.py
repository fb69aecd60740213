"""Keys over HTTP. SDK keys travel to edges, integration keys do not: only the control plane takes those."""

from typing import Any

from common.keys import KeyKind
from common.snapshot.model import ObjectType
from control.call import Call, Endpoint, Reply
from control.keys import operations, queries, rows, rules
from control.keys.schemas import IntegrationKeyCreate, SdkKeyCreate
from control.listing import before_id, page_of
from control.properties.queries import get_property
from control.tables.properties import KeyRow


async def create_sdk(call: Call) -> Reply:
    body: SdkKeyCreate = call.body
    row = await _unmade(call, body, body.kind)
    text = rules.made(row, call.control.keys)
    await _save(call, row)
    return Reply(rows.new_sdk_key(row, text, call.now), status=201, secret=True)


async def list_sdk(call: Call) -> Reply:
    found = await queries.list_keys(
        call.session,
        call.principal.account_id,
        queries.SDK_KINDS,
        call.query,
        before_id(call),
    )
    return Reply(page_of(call, found, lambda row: rows.sdk_key(row, call.control.keys, call.now)))


async def revoke_sdk(call: Call) -> Reply:
    row = await _get(call, queries.SDK_KINDS)
    rules.revoke(row, call.now)
    await _save(call, row)
    return Reply(rows.sdk_key(row, call.control.keys, call.now))


async def rotate_sdk(call: Call) -> Reply:
    """Both keys travel in one delta: an edge never knows neither."""
    old = await _get(call, queries.SDK_KINDS)
    rules.revoke(old, call.now)
    await _save(call, old)
    new = _like(old, call)
    text = rules.made(new, call.control.keys)
    await _save(call, new)
    return Reply(rows.new_sdk_key(new, text, call.now), secret=True)


async def create_integration(call: Call) -> Reply:
    body: IntegrationKeyCreate = call.body
    row = await _unmade(call, body, KeyKind.INTEGRATION)
    row.scopes = list(body.scopes)
    text = rules.made(row, call.control.keys)
    await _save(call, row)
    return Reply(rows.new_integration_key(row, text, call.now), status=201, secret=True)


async def list_integration(call: Call) -> Reply:
    found = await queries.list_keys(
        call.session,
        call.principal.account_id,
        queries.INTEGRATION_KINDS,
        call.query,
        before_id(call),
    )
    return Reply(page_of(call, found, lambda row: rows.integration_key(row, call.now)))


async def revoke_integration(call: Call) -> Reply:
    row = await _get(call, queries.INTEGRATION_KINDS)
    rules.revoke(row, call.now)
    await _save(call, row)
    return Reply(rows.integration_key(row, call.now))


ENDPOINTS = (
    Endpoint(operations.CREATE_SDK, create_sdk),
    Endpoint(operations.LIST_SDK, list_sdk),
    Endpoint(operations.REVOKE_SDK, revoke_sdk),
    Endpoint(operations.ROTATE_SDK, rotate_sdk),
    Endpoint(operations.CREATE_INTEGRATION, create_integration),
    Endpoint(operations.LIST_INTEGRATION, list_integration),
    Endpoint(operations.REVOKE_INTEGRATION, revoke_integration),
)


async def _get(call: Call, kinds: tuple[str, ...]) -> KeyRow:
    return await queries.get_key(call.session, call.principal.account_id, call.path["id"], kinds)


async def _save(call: Call, row: KeyRow) -> None:
    call.session.add(row)
    await call.session.flush()
    if row.kind != KeyKind.INTEGRATION:
        call.changes.touch(ObjectType.KEY, row.id)


async def _unmade(call: Call, body: SdkKeyCreate | IntegrationKeyCreate, kind: KeyKind) -> KeyRow:
    """A row without id and text, on a property of the account. Raises the 404."""
    await get_property(call.session, call.principal, body.property_id)
    columns: dict[str, Any] = {
        "account_id": call.principal.account_id,
        "property_id": body.property_id,
        "kind": kind.value,
        "environment": body.environment.value,
        "name": body.name,
        "scopes": [],
        "created_by": call.principal.user_id,
        "created_at": call.now,
    }
    return KeyRow(**columns)


def _like(old: KeyRow, call: Call) -> KeyRow:
    """The replacement of *old*, without id and text."""
    columns: dict[str, Any] = {
        "account_id": old.account_id,
        "property_id": old.property_id,
        "kind": old.kind,
        "environment": old.environment,
        "name": old.name,
        "scopes": old.scopes,
        "created_by": call.principal.user_id,
        "created_at": call.now,
        "previous_key_id": old.id,
    }
    return KeyRow(**columns)
