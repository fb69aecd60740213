"""One verb on many campaigns: each in its own savepoint, all of them one change for the edges."""

from common.values.errors import Refused
from control.api.audit import actor_of, record
from control.api.audit_changes import state_changes_of
from control.api.call import Call
from control.demand.campaigns import queries
from control.demand.campaigns.action_schemas import BulkBody, BulkError, BulkPublic, BulkResult
from control.demand.campaigns.status_transitions import move
from control.storage.tables.campaigns import CampaignRow


async def act_on_many(call: Call, body: BulkBody) -> BulkPublic:
    """Returns a result for each id, in the order of the request. A refusal for one does not affect the others."""
    found: dict[str, BulkResult] = {}
    for campaign_id in sorted(
        body.ids
    ):  # the same order in every call, so that two calls cannot deadlock
        found[campaign_id] = await _act(call, campaign_id, body.action)
    return BulkPublic(data=[found[campaign_id] for campaign_id in body.ids])


async def _act(call: Call, campaign_id: str, verb: str) -> BulkResult:
    try:
        async with call.session.begin_nested():
            row = await queries.get_campaign(call.session, call.principal, campaign_id, lock=True)
            await move(call, row, verb)
            _note(call, row, verb)
    except Refused as refusal:
        error = BulkError(code=refusal.code.value, message=refusal.message)
        return BulkResult(id=campaign_id, ok=False, status=None, version=None, error=error)
    return BulkResult(id=campaign_id, ok=True, status=row.status, version=row.version, error=None)


def _note(call: Call, row: CampaignRow, verb: str) -> None:
    """Write a line to the audit log, like a separate call for this campaign."""
    record(
        call.session,
        account_id=call.principal.account_id,
        now=call.now,
        actor=actor_of(call.principal),
        action=f"{verb}Campaign",
        object_type=call.operation.object_type,
        object_id=row.id,
        origin=call.client_ip,
        request_id=call.request_id,
        environment=row.environment,
        detail=dict(state_changes_of(call.session, row.id)),
    )
