"""Turns a request into the input of a decision: a recorded decision, or a hypothetical opportunity."""

import secrets
from dataclasses import dataclass
from uuid import UUID

import orjson
from pydantic import TypeAdapter
from sqlalchemy import select
from sqlmodel import col

from common.budget.local_day import local_day
from common.budget.remaining import left_micros
from common.decision.decision_input import DecisionInput
from common.decision.named_slot import find_slot
from common.decision.record import DecisionRecord, RecordUnusable, decision_input_of, read_signals
from common.decision.rules.gates import Gates
from common.decision.rules.kinds import PERSONAL
from common.decision.rules.opportunity import Opportunity
from common.snapshot.model import Budget, Campaign, Slot
from common.snapshot.snapshot import Snapshot
from common.values.clock import to_ms
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused, invalid, not_found
from common.values.ids import is_uuid
from common.values.languages import without_extensions
from common.values.messages import Message
from control.api.authorization import environment_of
from control.api.call import PreTransactionCall
from control.demand.campaigns.targeting import AskedSignals
from control.inventory.properties.queries import get_property
from control.inventory.slots.queries import get_slot
from control.reporting.decision_log.past_snapshots import (
    Version,
    VersionExpired,
    get_version,
    version_at,
)
from control.reporting.decision_log.retention import KEPT, find_instant
from control.reporting.decision_log.schemas import ExplainRequest, OpportunityAsked
from control.reporting.decision_log.snapshot_cache import RebuiltSnapshots, RequestedSnapshot
from control.storage.tables.decisions import DecisionRow

_PLENTY = 2**62
_RECORD: TypeAdapter[DecisionRecord] = TypeAdapter(DecisionRecord)


@dataclass(frozen=True, slots=True)
class ExplainInput:
    """``record``: None where the opportunity is hypothetical."""

    decision_input: DecisionInput
    record: DecisionRecord | None


async def get_recorded(call: PreTransactionCall, decision_id: str) -> ExplainInput:
    """Input of a recorded decision. Raises the 404, the 410 and `Unavailable`."""
    record = await _get_record(call, UUID(decision_id))
    environment = Environment.TEST if record.is_test else Environment.LIVE
    try:
        async with call.control.database.service() as session:
            version = await get_version(session, record.version, record.epoch)
        named = record.opportunity.get("preview_ad_id")
        snapshot = await _rebuild(
            call,
            record.property_id,
            environment,
            version,
            account_id=record.account_id,
            named_ads=frozenset({named} if named else ()),
        )
        return ExplainInput(decision_input_of(record, snapshot), record)
    except (VersionExpired, RecordUnusable) as error:
        raise _expired(Message("The data of this decision is no longer stored.")) from error


async def get_made_up(call: PreTransactionCall, given: OpportunityAsked) -> ExplainInput:
    """Input of a hypothetical opportunity. Raises the 404, the 410, 422 and `Unavailable`."""
    body: ExplainRequest = call.body
    if call.principal.environment is None and given.environment is None:
        raise invalid(
            "opportunity.environment",
            "required",
            Message("Send `live` or `test`. With a key, leave it out."),
        )
    environment = environment_of(call, given.environment)
    property_id = await _property_of(call, given)
    at = body.at or call.now
    try:
        async with call.control.database.service() as session:
            if body.snapshot_version is not None:
                version = await get_version(session, body.snapshot_version)
            else:
                version = await version_at(session, at)
    except VersionExpired as error:
        raise _expired(Message("That snapshot is no longer stored.")) from error
    snapshot = await _rebuild(call, property_id, environment, version)
    prop = snapshot.properties.get(property_id)
    slot = None if prop is None else find_slot(snapshot, prop, given.slot)
    if slot is None:
        raise not_found()
    now_ms = to_ms(at)
    seed = secrets.randbits(64) if body.seed is None else int(body.seed, 16)
    opportunity = _opportunity(snapshot, slot, given)
    return ExplainInput(
        DecisionInput(snapshot, opportunity, assumed_gates(snapshot, now_ms), now_ms, seed), None
    )


async def _get_record(call: PreTransactionCall, decision_id: UUID) -> DecisionRecord:
    made_at = find_instant(decision_id)
    if made_at is None:
        raise not_found()
    if made_at < call.now - KEPT:
        raise _expired(Message("Decisions can be explained for 7 days."))
    caller = call.principal
    async with call.control.database.tenant(caller.account_id) as session:
        row = await session.scalar(
            select(DecisionRow).where(
                col(DecisionRow.day) == made_at.date(), col(DecisionRow.id) == decision_id
            )
        )
    if row is None or caller.property_id not in (None, str(row.property_id)):
        raise not_found()
    if caller.environment is not None and caller.environment.is_test is not row.is_test:
        raise not_found()
    return _RECORD.validate_python(orjson.loads(row.body))


async def _property_of(call: PreTransactionCall, body: OpportunityAsked) -> str:
    caller = call.principal
    async with call.control.database.tenant(caller.account_id) as session:
        wanted = body.property_id or caller.property_id
        if wanted is not None:
            return (await get_property(session, caller, wanted)).id
        if is_uuid(body.slot):
            return (await get_slot(session, caller, body.slot)).property_id
    raise invalid(
        "opportunity.property_id",
        "required",
        Message("Send the slot's id, or `property_id` with the slot's key."),
    )


async def _rebuild(
    call: PreTransactionCall,
    property_id: str,
    environment: Environment,
    version: Version,
    *,
    account_id: str | None = None,
    named_ads: frozenset[str] = frozenset(),
) -> Snapshot:
    account = account_id or call.principal.account_id
    wanted = RequestedSnapshot(account, property_id, environment, version, named_ads)
    return await call.control.get(RebuiltSnapshots).get(call.control.database, wanted)


def _opportunity(snapshot: Snapshot, slot: Slot, body: OpportunityAsked) -> Opportunity:
    personal = not (body.consent_limited or body.child_directed)
    signals = {name: getattr(body, name) for name in AskedSignals.model_fields}
    signals["languages"] = [without_extensions(tag) for tag in body.languages]
    if not personal:
        signals = {name: value for name, value in signals.items() if name not in PERSONAL}
    return Opportunity(
        environment=snapshot.environment,
        property=snapshot.properties[slot.property_id],
        slot=slot,
        format=body.format,
        width=body.w,
        height=body.h,
        surface=body.surface,
        preview_ad_id=None,
        consent_limited=not personal,
        child_directed=body.child_directed,
        signals=read_signals(signals),
        shown_advertisers=frozenset(body.shown_advertisers),
    )


def _expired(message: Message) -> Refused:
    return Refused(
        ErrorCode.DECISION_EXPIRED, Message("{problem} Choose a later one.", problem=message)
    )


def assumed_gates(snapshot: Snapshot, now_ms: int) -> Gates:
    """Gates in which nothing is stale, no cap is reached and no plan holds a campaign back."""
    available_micros = {
        campaign.id: _left_micros(snapshot, campaign, campaign.budget, now_ms)
        for campaign in snapshot.campaigns.values()
        if campaign.budget is not None
    }
    return Gates(available_micros=available_micros, counts={})


def _left_micros(snapshot: Snapshot, campaign: Campaign, budget: Budget, now_ms: int) -> int:
    """A goal without a budget is checked by a gate of its own."""
    if budget.total_micros is None and budget.daily_micros is None:
        return _PLENTY
    day = local_day(campaign.timezone, now_ms).name
    return left_micros(budget, snapshot.paces.get(campaign.id), day)
