"""The ad endpoints: each handler reads, applies the rules, writes, and records the change for edges."""

from functools import partial
from typing import Any

from pydantic import ValidationError

from common.contract.validation_errors import inside, refuse
from common.snapshot.model import ObjectType
from common.values.enums import AdStatus, Format
from common.values.errors import Detail, not_found
from common.values.ids import new_id
from common.values.messages import Message
from control.api.authorization import environment_of
from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.api.versioning import check_version, created, raise_version, versioned
from control.demand.ads import operations, queries, rules
from control.demand.ads.assets import fill_content
from control.demand.ads.content import parse_content
from control.demand.ads.markup import prepare
from control.demand.ads.rows import to_public, write
from control.demand.ads.schemas import AdCreate
from control.demand.assets.queries import find_archived_asset
from control.demand.campaigns import review
from control.demand.campaigns.action_schemas import Rejection
from control.demand.campaigns.queries import find_foreign_slots, hold_campaign
from control.demand.campaigns.review import Decision
from control.demand.campaigns.status_transitions import review_demanded
from control.foundation.wire_types import given
from control.storage.tables.campaigns import AdRow, CampaignRow


async def create(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    body: AdCreate = call.body
    campaign = await hold_campaign(call.session, call.principal, body.campaign_id)
    if campaign.environment != environment:
        raise not_found()
    rules.check_campaign_open(campaign.status)
    row = _draft(call, campaign)
    row.format = body.format.value
    values = {name: getattr(body, name) for name in type(body).model_fields}
    faults: list[Detail] = []
    if body.asset_ids:
        faults = await _put_content(call, row, values, values["content"], body.asset_ids)
    write(row, values)
    faults += await _slot_faults(call, row, campaign)
    if faults:
        raise refuse(faults)
    await _save(call, row)
    return created(to_public(row), row.version, f"/v1/ads/{row.id}")


async def list_(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    rows = await queries.list_ads(
        call.session, call.principal, environment, call.query, before_id(call)
    )
    return Reply(page_of(call, rows, to_public))


async def get(call: Call) -> Reply:
    row = await queries.get_ad(call.session, call.principal, call.path["id"])
    return versioned(to_public(row), row.version)


async def patch(call: Call) -> Reply:
    row = await queries.get_ad(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    rules.check_editable(row)
    values = given(call.body)
    if values:
        faults: list[Detail] = []
        if values.keys() & {"content", "asset_ids"}:
            content = values.get("content", row.content)
            asset_ids = values.get("asset_ids", row.asset_ids)
            faults = await _put_content(call, row, values, content, asset_ids)
        seen = rules.seen_by_reviewers(row)
        write(row, values)
        if values.keys() & {"targeting", "slot_ids"}:
            campaign = await hold_campaign(call.session, call.principal, row.campaign_id)
            faults += await _slot_faults(call, row, campaign)
        if faults:
            raise refuse(faults)
        await _review_again(call, row, seen_changed=rules.seen_by_reviewers(row) != seen)
        raise_version(row, call.now)
        await _save(call, row)
    return versioned(to_public(row), row.version)


async def approve(call: Call) -> Reply:
    row = await queries.get_ad(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    return await _decide(call, row, Decision.APPROVED, None)


async def reject(call: Call) -> Reply:
    row = await queries.get_ad(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    body: Rejection = call.body
    return await _decide(call, row, Decision.REJECTED, body.reason)


async def _move(call: Call, verb: str) -> Reply:
    row = await queries.get_ad(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    status = await _status_after(call, row, verb)
    review.start(row, status, demanded=await review_demanded(call, row.environment))
    raise_version(row, call.now)
    await _save(call, row)
    return versioned(to_public(row), row.version)


async def _decide(call: Call, row: AdRow, decision: Decision, reason: str | None) -> Reply:
    verb = rules.APPROVE if decision is Decision.APPROVED else rules.REJECT
    row.status = await _status_after(call, row, verb)
    by = call.principal.user_id or ""
    review.decide(row, decision, reason=reason, by=by, now=call.now)
    raise_version(row, call.now)
    await _save(call, row)
    return versioned(to_public(row), row.version)


async def _status_after(call: Call, row: AdRow, verb: str) -> str:
    """Raises 409 `invalid_state`, also if the ad would run in an archived campaign or with an archived asset."""
    status = rules.TRANSITIONS.after(row.status, verb)
    if status == AdStatus.ACTIVE:
        campaign = await hold_campaign(call.session, call.principal, row.campaign_id)
        rules.check_campaign_open(campaign.status)
        if row.asset_ids:
            rules.check_assets(
                await find_archived_asset(call.session, row.account_id, row.asset_ids.values())
            )
    return status


async def _review_again(call: Call, row: AdRow, *, seen_changed: bool) -> None:
    demanded = await review_demanded(call, row.environment)
    row.status = rules.status_after_change(row, seen_changed=seen_changed, demanded=demanded)
    if seen_changed and review.is_approved(row):
        row.review = None  # the approved version is gone, whether or not a review is demanded today


async def _save(call: Call, row: AdRow) -> None:
    call.session.add(row)
    await call.session.flush()
    call.changes.touch(ObjectType.AD, row.id)


async def _slot_faults(call: Call, row: AdRow, campaign: CampaignRow) -> list[Detail]:
    faults: list[Detail] = []
    named = row.targeting.get("slots", {})
    targeted = [*named.get("include", ()), *named.get("exclude", ())]
    for param, slot_ids in (("slot_ids", row.slot_ids), ("targeting.slots", targeted)):
        foreign = await find_foreign_slots(
            call.session, row.account_id, campaign.property_ids, slot_ids
        )
        if foreign:
            message = Message(
                "The slot {slot_id} does not belong to the campaign's properties. Use only slots of "
                "those properties.",
                slot_id=foreign[0],
            )
            faults.append(Detail(param, "slot_unknown", message))
    return faults


def _draft(call: Call, campaign: CampaignRow) -> AdRow:
    columns: dict[str, Any] = {
        "id": new_id(),
        "account_id": campaign.account_id,
        "environment": campaign.environment,
        "status": AdStatus.DRAFT.value,
        "created_at": call.now,
        "updated_at": call.now,
    }
    return AdRow(**columns)


async def _put_content(
    call: Call,
    row: AdRow,
    values: dict[str, Any],
    content: dict[str, Any],
    asset_ids: dict[str, str],
) -> list[Detail]:
    """
    Sets ``content`` of *values* to *content* with what its assets fill in, and returns every fault of both. With a
    fault, *values* has no content. The row's format decides which fields exist.
    """
    values.pop("content", None)
    filled, faults = await fill_content(call, row, content, asset_ids, markup=call.prepared)
    try:
        parsed = parse_content(Format(row.format), filled)
    except ValidationError as error:
        return [*faults, *inside("content", error, filled).details]
    if not faults:
        values["content"] = parsed
    return faults


ENDPOINTS = (
    Endpoint(operations.CREATE, create, prepare),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
    Endpoint(operations.PATCH, patch, prepare),
    Endpoint(operations.ACTIVATE, partial(_move, verb=rules.ACTIVATE)),
    Endpoint(operations.PAUSE, partial(_move, verb=rules.PAUSE)),
    Endpoint(operations.RESUME, partial(_move, verb=rules.RESUME)),
    Endpoint(operations.ARCHIVE, partial(_move, verb=rules.ARCHIVE)),
    Endpoint(operations.APPROVE, approve),
    Endpoint(operations.REJECT, reject),
)
