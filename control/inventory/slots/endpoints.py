"""The slot endpoints: each handler reads, applies the rules, writes, and records the change for edges."""

from typing import Any

from common.snapshot.model import ObjectType
from common.values.enums import SlotStatus
from common.values.ids import new_id
from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.api.versioning import check_version, created, raise_version, versioned
from control.foundation.wire_types import given
from control.inventory.properties.queries import get_property
from control.inventory.slots import operations, queries
from control.inventory.slots.rows import to_public, write
from control.inventory.slots.rules import check_audio, check_house_ad, key_from_name
from control.inventory.slots.schemas import SlotCreate
from control.storage.tables.properties import SlotRow

_SHOWING = frozenset({"house_ad_id", "formats", "sizes"})
"""Fields that decide whether the house ad can be shown."""


async def create(call: Call) -> Reply:
    body: SlotCreate = call.body
    await get_property(call.session, call.principal, body.property_id)
    row = _active(call)
    check_audio(row)
    await _check_house_ad(call, row)
    await queries.check_key_free(call.session, row)
    await queries.save_slot(call.session, row)
    call.changes.touch(ObjectType.SLOT, row.id)
    return created(to_public(row), row.version, f"/v1/slots/{row.id}")


async def list_(call: Call) -> Reply:
    rows = await queries.list_slots(call.session, call.principal, call.query, before_id(call))
    return Reply(page_of(call, rows, to_public))


async def get(call: Call) -> Reply:
    row = await queries.get_slot(call.session, call.principal, call.path["id"])
    return versioned(to_public(row), row.version)


async def patch(call: Call) -> Reply:
    row = await queries.get_slot(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    values = given(call.body)
    if values:
        write(row, values)
        check_audio(row)
        if _SHOWING & values.keys():
            await _check_house_ad(call, row)
        raise_version(row, call.now)
        await queries.save_slot(call.session, row)
        call.changes.touch(ObjectType.SLOT, row.id)
    return versioned(to_public(row), row.version)


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
    Endpoint(operations.PATCH, patch),
)


async def _check_house_ad(call: Call, row: SlotRow) -> None:
    if row.house_ad_id is not None:
        ad = await queries.find_ad(call.session, row.account_id, row.house_ad_id)
        check_house_ad(row, ad)


def _active(call: Call) -> SlotRow:
    body: SlotCreate = call.body
    columns: dict[str, Any] = {
        "id": new_id(),
        "account_id": call.principal.account_id,
        "status": SlotStatus.ACTIVE.value,
        "created_at": call.now,
        "updated_at": call.now,
    }
    row = SlotRow(**columns)
    write(row, {name: getattr(body, name) for name in type(body).model_fields})
    row.key = body.key or key_from_name(body.name)
    return row
