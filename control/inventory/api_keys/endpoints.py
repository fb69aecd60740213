"""The key endpoints. Edges receive SDK keys, but not integration keys: only the control plane accepts those."""

from dataclasses import replace
from typing import Any

from common.snapshot.model import ObjectType
from common.values.keys import KeyKind, KeyText
from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.api.versioning import check_version, created, versioned
from control.foundation.wire_types import given
from control.inventory.api_keys import integration_operations, operations, queries, rows, rules
from control.inventory.api_keys.schemas import IntegrationKeyCreate, SdkKeyCreate, SdkKeyCreated
from control.inventory.properties.queries import get_property
from control.storage.tables.properties import KeyRow


async def create_sdk(call: Call) -> Reply:
    body: SdkKeyCreate = call.body
    row = await _unmade(call, body, body.kind)
    text = rules.made(row, call.control.keys)
    await _save(call, row)
    return _created(await _new_sdk(call, row, text), row, f"/v1/sdk-keys/{row.id}")


async def list_sdk(call: Call) -> Reply:
    found = await _list(call, queries.SDK_KINDS)
    readiness_by_id = await queries.property_readiness(
        call.session, call.principal.account_id, [row.property_id for row in found]
    )
    keys = call.control.keys
    return Reply(
        page_of(
            call,
            found,
            lambda row: rows.sdk_key(row, readiness_by_id[row.property_id], keys, call.now),
        )
    )


async def get_sdk(call: Call) -> Reply:
    return await _shown_sdk(call, await _get(call, queries.SDK_KINDS))


async def patch_sdk(call: Call) -> Reply:
    return await _shown_sdk(call, await _patched(call, queries.SDK_KINDS))


async def revoke_sdk(call: Call) -> Reply:
    return await _shown_sdk(call, await _revoked(call, queries.SDK_KINDS))


async def rotate_sdk(call: Call) -> Reply:
    """Both keys go to edges in one delta, so an edge always has one of them."""
    new, text = await _rotated(call, await _revoked(call, queries.SDK_KINDS))
    return replace(versioned(await _new_sdk(call, new, text), new.version), secret=True)


async def create_integration(call: Call) -> Reply:
    body: IntegrationKeyCreate = call.body
    row = await _unmade(call, body, KeyKind.INTEGRATION)
    rules.check_scopes(body.scopes, call.principal)
    row.scopes = list(body.scopes)
    text = rules.made(row, call.control.keys)
    await _save(call, row)
    shown = rows.new_integration_key(row, text, call.now)
    return _created(shown, row, f"/v1/integration-keys/{row.id}")


async def list_integration(call: Call) -> Reply:
    found = await _list(call, queries.INTEGRATION_KINDS)
    return Reply(page_of(call, found, lambda row: rows.integration_key(row, call.now)))


async def get_integration(call: Call) -> Reply:
    return _shown_integration(call, await _get(call, queries.INTEGRATION_KINDS))


async def patch_integration(call: Call) -> Reply:
    return _shown_integration(call, await _patched(call, queries.INTEGRATION_KINDS))


async def revoke_integration(call: Call) -> Reply:
    return _shown_integration(call, await _revoked(call, queries.INTEGRATION_KINDS))


async def rotate_integration(call: Call) -> Reply:
    old = await _revoked(call, queries.INTEGRATION_KINDS)
    rules.check_scopes(old.scopes, call.principal)
    new, text = await _rotated(call, old)
    shown = rows.new_integration_key(new, text, call.now)
    return replace(versioned(shown, new.version), secret=True)


ENDPOINTS = (
    Endpoint(operations.CREATE_SDK, create_sdk),
    Endpoint(operations.LIST_SDK, list_sdk),
    Endpoint(operations.GET_SDK, get_sdk),
    Endpoint(operations.PATCH_SDK, patch_sdk),
    Endpoint(operations.REVOKE_SDK, revoke_sdk),
    Endpoint(operations.ROTATE_SDK, rotate_sdk),
    Endpoint(integration_operations.CREATE_INTEGRATION, create_integration),
    Endpoint(integration_operations.LIST_INTEGRATION, list_integration),
    Endpoint(integration_operations.GET_INTEGRATION, get_integration),
    Endpoint(integration_operations.PATCH_INTEGRATION, patch_integration),
    Endpoint(integration_operations.REVOKE_INTEGRATION, revoke_integration),
    Endpoint(integration_operations.ROTATE_INTEGRATION, rotate_integration),
)


async def _list(call: Call, kinds: tuple[str, ...]) -> list[KeyRow]:
    found = await queries.list_keys(
        call.session,
        call.principal.account_id,
        kinds,
        call.query,
        now=call.now,
        before_id=before_id(call),
    )
    return list(found)


async def _get(call: Call, kinds: tuple[str, ...], *, lock: bool = False) -> KeyRow:
    account_id, key_id = call.principal.account_id, call.path["id"]
    return await queries.get_key(call.session, account_id, key_id, kinds, lock=lock)


async def _save(call: Call, row: KeyRow) -> None:
    call.session.add(row)
    await call.session.flush()
    if row.kind != KeyKind.INTEGRATION:
        call.changes.touch(ObjectType.KEY, row.id)


async def _revoked(call: Call, kinds: tuple[str, ...]) -> KeyRow:
    row = await _get(call, kinds, lock=True)
    check_version(call, row)
    rules.revoke(row, call.now)
    await _save(call, row)
    return row


async def _patched(call: Call, kinds: tuple[str, ...]) -> KeyRow:
    row = await _get(call, kinds, lock=True)
    check_version(call, row)
    rules.check_active(row, call.now)
    values = given(call.body)
    rules.check_expiry(values.get("expires_at"), call.now)
    if values:
        for name, value in values.items():
            setattr(row, name, value)
        row.version += 1
        await _save(call, row)
    return row


async def _rotated(call: Call, old: KeyRow) -> tuple[KeyRow, KeyText]:
    """The saved replacement of *old*; it acts for the caller."""
    columns: dict[str, Any] = {
        name: getattr(old, name)
        for name in (
            "account_id",
            "property_id",
            "kind",
            "environment",
            "name",
            "scopes",
            "expires_at",
        )
    }
    columns |= {"created_by": call.principal.user_id, "previous_key_id": old.id}
    new = KeyRow(**columns, created_at=call.now)
    text = rules.made(new, call.control.keys)
    await _save(call, new)
    return new, text


async def _unmade(call: Call, body: SdkKeyCreate | IntegrationKeyCreate, kind: KeyKind) -> KeyRow:
    """A row without id and text, on a property of the account. Raises 404 `not_found`, and 409 if there is no room."""
    caller = call.principal
    await get_property(call.session, caller, body.property_id, lock=True)
    rules.check_expiry(body.expires_at, call.now)
    rules.check_room(
        await queries.count_active(
            call.session, caller.account_id, body.property_id, kind.value, call.now
        )
    )
    columns: dict[str, Any] = {
        "account_id": caller.account_id,
        "property_id": body.property_id,
        "kind": kind.value,
        "environment": body.environment.value,
        "name": body.name,
        "scopes": [],
        "created_by": caller.user_id,
        "created_at": call.now,
        "expires_at": body.expires_at,
    }
    return KeyRow(**columns)


async def _new_sdk(call: Call, row: KeyRow, text: KeyText) -> SdkKeyCreated:
    return rows.new_sdk_key(row, await _property_readiness(call, row), text, call.now)


async def _shown_sdk(call: Call, row: KeyRow) -> Reply:
    readiness = await _property_readiness(call, row)
    return versioned(rows.sdk_key(row, readiness, call.control.keys, call.now), row.version)


def _shown_integration(call: Call, row: KeyRow) -> Reply:
    return versioned(rows.integration_key(row, call.now), row.version)


async def _property_readiness(call: Call, row: KeyRow) -> rules.PropertyReadiness:
    account_id = call.principal.account_id
    found = await queries.property_readiness(call.session, account_id, [row.property_id])
    return found[row.property_id]


def _created(shown: Any, row: KeyRow, location: str) -> Reply:
    return replace(created(shown, row.version, location), secret=True)
