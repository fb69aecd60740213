"""The campaign endpoints: each handler reads, applies the rules, writes, and records the change for edges."""

from functools import partial
from typing import Any

from common.snapshot.model import ObjectType
from common.values.errors import invalid
from common.values.messages import Message
from control.api.authorization import environment_of
from control.api.call import Call, Endpoint, Reply
from control.api.listing import position_of, wire_page_of
from control.api.versioning import check_version, created, versioned
from control.demand.campaigns import operations, queries, rules
from control.demand.campaigns.action_schemas import Rejection
from control.demand.campaigns.bulk import act_on_many
from control.demand.campaigns.clone import clone_campaign
from control.demand.campaigns.create_draft import check_slots, draft_of, foreign_slots
from control.demand.campaigns.delivery_status.delivery import delivery_of
from control.demand.campaigns.delivery_status.delivery_context import delivery_context_of
from control.demand.campaigns.delivery_status.progress import read_progress
from control.demand.campaigns.review import Decision
from control.demand.campaigns.rows import to_public, to_wire, write
from control.demand.campaigns.schemas import CampaignCreate, CampaignPublic
from control.demand.campaigns.status_transitions import changed, decide, edited, move
from control.foundation.wire_types import given
from control.storage.tables.campaigns import CampaignRow


async def create(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    body: CampaignCreate = call.body
    row = await draft_of(call.session, call.principal, environment, body, call.now)
    await queries.save_campaign(call.session, row)
    call.changes.touch(ObjectType.CAMPAIGN, row.id)
    return created(await _public(call, row), row.version, f"/v1/campaigns/{row.id}")


async def list_(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    rows = await queries.list_campaigns(
        call.session, call.principal, environment, call.query, position_of(call)
    )
    shown = rows[: call.query.limit]
    contexts = await delivery_context_of(call.session, call.principal.account_id, shown, call.now)

    def wire(row: CampaignRow) -> dict[str, Any]:
        found = contexts[row.id]
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
            await check_slots(call.session, row)
        if "property_ids" in values:
            await _check_slots_of_ads(call, row)
        await edited(call, row)
        await changed(call, row)
    return versioned(await _public(call, row), row.version)


async def clone(call: Call) -> Reply:
    source = await queries.hold_campaign(call.session, call.principal, call.path["id"])
    row = await clone_campaign(call, source, call.body)
    return created(await _public(call, row), row.version, f"/v1/campaigns/{row.id}")


async def bulk(call: Call) -> Reply:
    return Reply(await act_on_many(call, call.body))


async def approve(call: Call) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    await decide(call, row, Decision.APPROVED, None)
    return versioned(await _public(call, row), row.version)


async def reject(call: Call) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    body: Rejection = call.body
    await decide(call, row, Decision.REJECTED, body.reason)
    return versioned(await _public(call, row), row.version)


async def _move(call: Call, verb: str) -> Reply:
    row = await queries.get_campaign(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    await move(call, row, verb)
    return versioned(await _public(call, row), row.version)


async def _public(call: Call, row: CampaignRow) -> CampaignPublic:
    context = (await delivery_context_of(call.session, row.account_id, [row], call.now))[row.id]
    return to_public(row, delivery_of(row, context, call.now), context.spent_micros)


async def _check_slots_of_ads(call: Call, row: CampaignRow) -> None:
    """Raises 422 if an ad names a slot of a property that the campaign no longer runs on."""
    for ad_id, slot_ids in await queries.list_slots_of_ads(call.session, row):
        foreign = await foreign_slots(call.session, row, slot_ids)
        if foreign:
            raise invalid(
                "property_ids",
                "slots_of_ads",
                Message(
                    "The ad {ad_id} uses the slot {slot_id}, which does not belong to these properties. "
                    "Change the ad first.",
                    ad_id=ad_id,
                    slot_id=foreign[0],
                ),
            )


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.BULK, bulk),
    Endpoint(operations.GET, get),
    Endpoint(operations.GET_DELIVERY, get_delivery),
    Endpoint(operations.PATCH, patch),
    Endpoint(operations.CLONE, clone),
    Endpoint(operations.ACTIVATE, partial(_move, verb=rules.ACTIVATE)),
    Endpoint(operations.PAUSE, partial(_move, verb=rules.PAUSE)),
    Endpoint(operations.RESUME, partial(_move, verb=rules.RESUME)),
    Endpoint(operations.ARCHIVE, partial(_move, verb=rules.ARCHIVE)),
    Endpoint(operations.APPROVE, approve),
    Endpoint(operations.REJECT, reject),
)
