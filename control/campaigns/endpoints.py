"""Campaigns over HTTP: each handler reads, applies the rules, writes, and says what edges must know."""

from typing import Any

from common.errors import invalid
from common.ids import new_id
from common.money import micros_to_cents
from common.snapshot.model import ObjectType
from common.vocabulary import CampaignStatus
from control.authorization import environment_of
from control.call import Call, Endpoint, Reply
from control.campaigns import operations, queries, rules
from control.campaigns.delivery import delivery_of
from control.campaigns.rows import to_public, write
from control.campaigns.schemas import CampaignCreate, CampaignPublic
from control.fields import given
from control.listing import before_id, page_of
from control.tables.campaigns import CampaignRow
from control.tables.properties import PropertyRow
from control.versions import check_version, created, raise_version, versioned


async def create(call: Call) -> Reply:
    body: CampaignCreate = call.body
    environment = environment_of(call, call.query.environment)
    properties = await queries.list_properties_named(
        call.session, call.principal, _property_ids(call)
    )
    row = _draft(call, environment.value, properties)
    write(row, _terms(body))
    rules.check_terms(row)
    await _check_slots(call, row)
    await queries.save_campaign(call.session, row)
    call.changes.touch(ObjectType.CAMPAIGN, row.id)
    return created(await _public(call, row), row.version, f"/v1/campaigns/{row.id}")


async def list_(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    rows = await queries.list_campaigns(
        call.session, call.principal, environment, call.query, before_id(call)
    )
    around = await queries.surroundings_of(call.session, call.principal.account_id, rows)

    def shown(row: CampaignRow) -> CampaignPublic:
        delivery = delivery_of(row, around[row.id], call.now)
        return to_public(row, delivery, around[row.id].spent_micros)

    return Reply(page_of(call, rows, shown))


async def get(call: Call) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"])
    return versioned(await _public(call, row), row.version)


async def patch(call: Call) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    rules.check_editable(row)
    values = given(call.body)
    if values:
        if "property_ids" in values:
            await queries.list_properties_named(
                call.session, call.principal, values["property_ids"]
            )
        write(row, values)
        rules.check_terms(row)
        if values.keys() & {"targeting", "property_ids"}:
            await _check_slots(call, row)
        await _reopen(call, row)
        await _changed(call, row)
    return versioned(await _public(call, row), row.version)


async def activate(call: Call) -> Reply:
    return await _move(call, rules.ACTIVATE)


async def pause(call: Call) -> Reply:
    return await _move(call, rules.PAUSE)


async def resume(call: Call) -> Reply:
    return await _move(call, rules.RESUME)


async def archive(call: Call) -> Reply:
    return await _move(call, rules.ARCHIVE)


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
    Endpoint(operations.PATCH, patch),
    Endpoint(operations.ACTIVATE, activate),
    Endpoint(operations.PAUSE, pause),
    Endpoint(operations.RESUME, resume),
    Endpoint(operations.ARCHIVE, archive),
)


async def _move(call: Call, verb: str) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"], lock=True)
    row.status = rules.status_after(row, verb, call.now)
    await _changed(call, row)
    return versioned(await _public(call, row), row.version)


async def _changed(call: Call, row: CampaignRow) -> None:
    raise_version(row, call.now)
    await queries.save_campaign(call.session, row)
    call.changes.touch(ObjectType.CAMPAIGN, row.id)


async def _reopen(call: Call, row: CampaignRow) -> None:
    if row.status != CampaignStatus.COMPLETED:
        return
    around = await queries.surroundings_of(call.session, row.account_id, [row])
    if rules.reopens(row, micros_to_cents(around[row.id].spent_micros), call.now):
        row.status = CampaignStatus.ACTIVE.value


async def _public(call: Call, row: CampaignRow) -> CampaignPublic:
    around = (await queries.surroundings_of(call.session, row.account_id, [row]))[row.id]
    return to_public(row, delivery_of(row, around, call.now), around.spent_micros)


async def _check_slots(call: Call, row: CampaignRow) -> None:
    named = row.targeting.get("slots", {})
    slot_ids = [*named.get("include", ()), *named.get("exclude", ())]
    foreign = await queries.find_foreign_slots(
        call.session, row.account_id, row.property_ids, slot_ids
    )
    if foreign:
        raise invalid(
            "targeting.slots",
            "slot_unknown",
            f"{foreign[0]} is no slot of the campaign's properties. Name slots of those only.",
        )


def _property_ids(call: Call) -> list[str]:
    body: CampaignCreate = call.body
    if body.property_ids is not None:
        return body.property_ids
    if call.principal.property_id is not None:
        return [call.principal.property_id]
    raise invalid("property_ids", "required", "Name the properties the campaign runs on.")


def _draft(call: Call, environment: str, properties: list[PropertyRow]) -> CampaignRow:
    """A campaign without terms; its time zone is the first property's until the body says another."""
    columns: dict[str, Any] = {
        "id": new_id(),
        "account_id": call.principal.account_id,
        "environment": environment,
        "property_ids": [row.id for row in properties],
        "timezone": properties[0].timezone,
        "status": CampaignStatus.DRAFT.value,
        "attribution": {},
        "created_at": call.now,
        "updated_at": call.now,
    }
    return CampaignRow(**columns)


def _terms(body: CampaignCreate) -> dict[str, Any]:
    """Every field of the body, with its default where it was left out, but for what `_draft` settles."""
    settled = {"property_ids"} if body.timezone else {"property_ids", "timezone"}
    return {name: getattr(body, name) for name in type(body).model_fields if name not in settled}
