"""Campaigns over HTTP: each handler reads, applies the rules, writes, and says what edges must know."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from common.environment import Environment
from common.errors import invalid
from common.ids import new_id
from common.snapshot.model import ObjectType
from common.vocabulary import CampaignStatus
from control.authorization import environment_of
from control.call import Call, Endpoint, Reply
from control.campaigns import operations, queries, rules
from control.campaigns.act_schemas import Rejection
from control.campaigns.bulk import act_on_many
from control.campaigns.clone import clone_campaign
from control.campaigns.delivery import delivery_of
from control.campaigns.moves import changed, decide, edited, move
from control.campaigns.progress import read_progress
from control.campaigns.review import Decision
from control.campaigns.rows import to_public, to_wire, write
from control.campaigns.schemas import CampaignCreate, CampaignPublic
from control.campaigns.surroundings import surroundings_of
from control.fields import given
from control.listing import position_of, wire_page_of
from control.tables.campaigns import CampaignRow
from control.tables.properties import PropertyRow
from control.versions import check_version, created, versioned


async def create(call: Call) -> Reply:
    body: CampaignCreate = call.body
    environment = environment_of(call, call.query.environment)
    properties = await queries.list_properties_named(
        call.session, call.principal, _property_ids(call)
    )
    row = _draft(call, environment, properties)
    write(row, _terms(body))
    rules.check_terms(row)
    await _check_slots(call, row)
    await queries.save_campaign(call.session, row)
    call.changes.touch(ObjectType.CAMPAIGN, row.id)
    return created(await _public(call, row), row.version, f"/v1/campaigns/{row.id}")


async def list_(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    rows = await queries.list_campaigns(
        call.session, call.principal, environment, call.query, position_of(call)
    )
    shown = rows[: call.query.limit]
    around = await surroundings_of(call.session, call.principal.account_id, shown, call.now)

    def wire(row: CampaignRow) -> dict[str, Any]:
        found = around[row.id]
        return to_wire(row, delivery_of(row, found, call.now), found.spent_micros)

    return Reply(wire_page_of(call, rows, wire, partial(queries.position, call.query.sort)))


async def get(call: Call) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"])
    return versioned(await _public(call, row), row.version)


async def get_delivery(call: Call) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"])
    return Reply(await read_progress(call.session, row, call.now))


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
        if "property_ids" in values:
            await _check_slots_of_ads(call, row)
        await edited(call, row)
        await changed(call, row)
    return versioned(await _public(call, row), row.version)


async def clone(call: Call) -> Reply:
    source = await queries.get_campaign(call.session, call.principal, call.path["id"])
    row = await clone_campaign(call, source, call.body)
    return created(await _public(call, row), row.version, f"/v1/campaigns/{row.id}")


async def bulk(call: Call) -> Reply:
    return Reply(await act_on_many(call, call.body))


async def activate(call: Call) -> Reply:
    return await _move(call, rules.ACTIVATE)


async def pause(call: Call) -> Reply:
    return await _move(call, rules.PAUSE)


async def resume(call: Call) -> Reply:
    return await _move(call, rules.RESUME)


async def archive(call: Call) -> Reply:
    return await _move(call, rules.ARCHIVE)


async def approve(call: Call) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"], lock=True)
    await decide(call, row, Decision.APPROVED, None)
    return versioned(await _public(call, row), row.version)


async def reject(call: Call) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"], lock=True)
    body: Rejection = call.body
    await decide(call, row, Decision.REJECTED, body.reason)
    return versioned(await _public(call, row), row.version)


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.BULK, bulk),
    Endpoint(operations.GET, get),
    Endpoint(operations.GET_DELIVERY, get_delivery),
    Endpoint(operations.PATCH, patch),
    Endpoint(operations.CLONE, clone),
    Endpoint(operations.ACTIVATE, activate),
    Endpoint(operations.PAUSE, pause),
    Endpoint(operations.RESUME, resume),
    Endpoint(operations.ARCHIVE, archive),
    Endpoint(operations.APPROVE, approve),
    Endpoint(operations.REJECT, reject),
)


async def _move(call: Call, verb: str) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"], lock=True)
    await move(call, row, verb)
    return versioned(await _public(call, row), row.version)


async def _public(call: Call, row: CampaignRow) -> CampaignPublic:
    around = (await surroundings_of(call.session, row.account_id, [row], call.now))[row.id]
    return to_public(row, delivery_of(row, around, call.now), around.spent_micros)


async def _check_slots(call: Call, row: CampaignRow) -> None:
    named = row.targeting.get("slots", {})
    slot_ids = [*named.get("include", ()), *named.get("exclude", ())]
    foreign = await _foreign_slots(call, row, slot_ids)
    if foreign:
        raise invalid(
            "targeting.slots",
            "slot_unknown",
            f"{foreign[0]} is no slot of the campaign's properties. Name slots of those only.",
        )


async def _check_slots_of_ads(call: Call, row: CampaignRow) -> None:
    """Its ads must not be left with slots of a property the campaign no longer runs on."""
    for ad_id, slot_ids in await queries.list_slots_of_ads(call.session, row):
        foreign = await _foreign_slots(call, row, slot_ids)
        if foreign:
            raise invalid(
                "property_ids",
                "slots_of_ads",
                f"The ad {ad_id} names {foreign[0]}, no slot of these properties. Change the ad first.",
            )


async def _foreign_slots(call: Call, row: CampaignRow, slot_ids: Sequence[str]) -> list[str]:
    return await queries.find_foreign_slots(
        call.session, row.account_id, row.property_ids, slot_ids
    )


def _property_ids(call: Call) -> list[str]:
    body: CampaignCreate = call.body
    if body.property_ids is not None:
        return body.property_ids
    if call.principal.property_id is not None:
        return [call.principal.property_id]
    raise invalid("property_ids", "required", "Name the properties the campaign runs on.")


def _draft(call: Call, environment: Environment, properties: list[PropertyRow]) -> CampaignRow:
    """A campaign without terms; its time zone is the first property's until the body says another."""
    columns: dict[str, Any] = {
        "id": new_id(),
        "account_id": call.principal.account_id,
        "environment": environment.value,
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
