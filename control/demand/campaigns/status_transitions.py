"""Changes a campaign's status in the call's transaction: rules, review, a new version, and the change for edges."""

from common.snapshot.model import ObjectType
from common.values.enums import CampaignStatus
from control.api.call import Call
from control.api.versioning import raise_version
from control.demand.campaigns import queries, review, rules
from control.demand.campaigns.delivery_status.delivery_context import delivery_context_of
from control.demand.campaigns.review import Decision
from control.storage.tables.accounts import AccountRow
from control.storage.tables.campaigns import CampaignRow

_VERB_OF = {Decision.APPROVED: rules.APPROVE, Decision.REJECTED: rules.REJECT}


async def move(call: Call, row: CampaignRow, verb: str) -> None:
    """The caller has locked *row*. Raises 409 `invalid_state`. One that becomes active without budget is completed."""
    status = rules.status_after(row, verb, call.now)
    review.start(row, status, demanded=await review_demanded(call, row.environment))
    await _complete_without_budget(call, row)
    await changed(call, row)


async def decide(call: Call, row: CampaignRow, decision: Decision, reason: str | None) -> None:
    """The caller has locked *row*. Raises 409 `invalid_state` if it is not pending review."""
    row.status = rules.status_after(row, _VERB_OF[decision], call.now)
    by = call.principal.user_id or ""
    review.decide(row, decision, reason=reason, by=by, now=call.now)
    await _complete_without_budget(call, row)
    await changed(call, row)


async def _complete_without_budget(call: Call, row: CampaignRow) -> None:
    if rules.may_use_up_budget(row):
        context = (await delivery_context_of(call.session, row.account_id, [row], call.now))[row.id]
        if rules.has_used_up_budget(row, context.spent_micros):
            _complete(row)


def _complete(row: CampaignRow) -> None:
    row.completed_from, row.status = row.status, CampaignStatus.COMPLETED.value


async def edited(call: Call, row: CampaignRow) -> None:
    """
    Status changes after an edit of the terms: a rejected campaign becomes a draft, an active one whose total
    budget has become used up is completed, and a completed one may reopen, active or paused as it was.
    """
    if row.status == CampaignStatus.REJECTED:
        row.status = CampaignStatus.DRAFT.value
    if row.status != CampaignStatus.COMPLETED and not rules.may_use_up_budget(row):
        return
    context = (await delivery_context_of(call.session, row.account_id, [row], call.now))[row.id]
    if rules.has_used_up_budget(row, context.spent_micros):
        _complete(row)
    if rules.reopens(row, spent_micros=context.spent_micros, counted=context.counted, now=call.now):
        demanded = await review_demanded(call, row.environment)
        review.start(row, row.completed_from or CampaignStatus.ACTIVE.value, demanded=demanded)


async def changed(call: Call, row: CampaignRow) -> None:
    raise_version(row, call.now)
    await queries.save_campaign(call.session, row)
    call.changes.touch(ObjectType.CAMPAIGN, row.id)


async def review_demanded(call: Call, environment: str) -> bool:
    account = await call.session.get_one(AccountRow, call.principal.account_id)
    return review.is_demanded(account, environment)
