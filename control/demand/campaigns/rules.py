"""The rules of campaigns, pure: status transitions, and checks of their terms together."""

from datetime import datetime

from common.budget.remaining import is_used_up, least_charge_micros
from common.contract.validation_errors import refuse
from common.values.enums import CampaignStatus, PricingModel
from common.values.environment import Environment
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from common.values.money import cents_to_micros
from control.demand.campaigns import cross_field_rules
from control.foundation.state_machine import Transitions
from control.storage.tables.campaigns import CampaignRow

ACTIVATE, PAUSE, RESUME, ARCHIVE = "activate", "pause", "resume", "archive"
APPROVE, REJECT = "approve", "reject"

TRANSITIONS = Transitions(
    "campaign",
    {
        (CampaignStatus.DRAFT, ACTIVATE): CampaignStatus.ACTIVE,
        (CampaignStatus.DRAFT, ARCHIVE): CampaignStatus.ARCHIVED,
        (CampaignStatus.PENDING_REVIEW, APPROVE): CampaignStatus.ACTIVE,
        (CampaignStatus.PENDING_REVIEW, REJECT): CampaignStatus.REJECTED,
        (CampaignStatus.PENDING_REVIEW, ARCHIVE): CampaignStatus.ARCHIVED,
        (CampaignStatus.REJECTED, ARCHIVE): CampaignStatus.ARCHIVED,
        (CampaignStatus.ACTIVE, PAUSE): CampaignStatus.PAUSED,
        (CampaignStatus.ACTIVE, ARCHIVE): CampaignStatus.ARCHIVED,
        (CampaignStatus.PAUSED, RESUME): CampaignStatus.ACTIVE,
        (CampaignStatus.PAUSED, ACTIVATE): CampaignStatus.ACTIVE,
        (CampaignStatus.PAUSED, ARCHIVE): CampaignStatus.ARCHIVED,
        (CampaignStatus.COMPLETED, ARCHIVE): CampaignStatus.ARCHIVED,
    },
    hints={
        CampaignStatus.REJECTED: Message("Any change makes it a draft again."),
        CampaignStatus.COMPLETED: Message(
            "Raising `end_at`, `budget.total_cents` or `goal.total` reopens it, active or paused as it was."
        ),
    },
)
"""
| from           | activate | pause  | resume | approve | reject   | archive  | else                               |
|----------------|----------|--------|--------|---------|----------|----------|------------------------------------|
| draft          | active*  |        |        |         |          | archived |                                    |
| pending_review |          |        |        | active  | rejected | archived |                                    |
| rejected       |          |        |        |         |          | archived | draft, by a PATCH                  |
| active         |          | paused |        |         |          | archived | completed, by the system           |
| paused         | active*  |        | active*|         |          | archived | completed, by the system           |
| completed      |          |        |        |         |          | archived | as before, if a PATCH `reopens` it |
| archived       |          |        |        |         |          |          |                                    |

* `pending_review` if review is demanded and the campaign is not approved (`control.demand.campaigns.review`). The
system completes a campaign at its end, when its total budget is used up, or when its goal is reached. Where a paused
one has used up its budget or reached its goal, that is when it is resumed.
"""


def status_after(row: CampaignRow, verb: str, now: datetime) -> str:
    """
    The status after *verb*.
    Raises 409 `invalid_state`, also if the flight is over and the campaign would run again.
    """
    status = TRANSITIONS.after(row.status, verb)
    if status == CampaignStatus.ACTIVE and row.end_at is not None and row.end_at <= now:
        verbs = TRANSITIONS.verbs_from(row.status)
        others = [one for one in verbs if TRANSITIONS.after(row.status, one) != status]
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "The campaign's `end_at` has passed, so `{verb}` is not possible. Set a later "
                "`end_at` first.",
                verb=verb,
            ),
            param="end_at",
            details=TRANSITIONS.details_of(row.status, others),
        )
    return status


def check_editable(row: CampaignRow) -> None:
    """Raises 409 `invalid_state` for an archived campaign."""
    if row.status == CampaignStatus.ARCHIVED:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The campaign is archived and cannot be changed. Create a new one."),
            param="status",
        )


def may_use_up_budget(row: CampaignRow) -> bool:
    return row.status == CampaignStatus.ACTIVE and row.budget_total_cents is not None


def has_used_up_budget(row: CampaignRow, spent_micros: int) -> bool:
    """Whether the system completes the campaign, as it does when a charge uses up the total budget."""
    return may_use_up_budget(row) and is_budget_used_up(row, row.budget_total_cents, spent_micros)


def is_budget_used_up(row: CampaignRow, budget_cents: int | None, spent_micros: int) -> bool:
    """
    Whether *budget_cents* of the campaign, in total or of a day, is spent. None: no limit. A flat rate of which nothing
    is left is completed when a day begins that it cannot pay (`control.billing.invoicing.flat_rate`).
    """
    if budget_cents is None:
        return False
    model = PricingModel(row.pricing_model)
    if model is PricingModel.FLAT_RATE and row.status == CampaignStatus.COMPLETED:
        return is_used_up(cents_to_micros(budget_cents), spent_micros, 1)
    least_micros = least_charge_micros(Environment(row.environment), model, row.bid_cents)
    return is_used_up(cents_to_micros(budget_cents), spent_micros, least_micros)


def reopens(row: CampaignRow, *, spent_micros: int, counted: int, now: datetime) -> bool:
    """
    Whether a completed campaign, with its current terms, has time, budget and goal left again.

    *counted*: valid events of the goal's kind.
    """
    has_time = row.end_at is None or row.end_at > now
    has_budget = not is_budget_used_up(row, row.budget_total_cents, spent_micros)
    has_goal = row.goal is None or counted < row.goal["total"]
    return row.status == CampaignStatus.COMPLETED and has_time and has_budget and has_goal


def check_terms(row: CampaignRow) -> None:
    """Raises 422 with every fault that spans several fields."""
    faults = _faults(row)
    if faults:
        raise refuse(faults)


def _faults(row: CampaignRow) -> list[Detail]:
    model, start_at, end_at = row.pricing_model, row.start_at, row.end_at
    found = (
        cross_field_rules.flight_fault(start_at, end_at),
        cross_field_rules.unbounded_fault(model, "start_at", start_at),
        cross_field_rules.unbounded_fault(model, "end_at", end_at),
        cross_field_rules.share_fault(row.priority, row.share_of_voice_percent),
        cross_field_rules.budget_fault(row.budget_total_cents, row.budget_daily_cents),
    )
    return [fault for fault in found if fault is not None]
