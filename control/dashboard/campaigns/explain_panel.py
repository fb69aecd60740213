"""Decisions behind a campaign, with their reasons: those recorded in the last minutes, and one requested explicitly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from common.values.clock import from_ms, to_iso
from common.values.errors import ApiError, ErrorCode
from common.values.messages import Message
from control.dashboard.campaigns.delivery_messages import Reason, gate_of
from control.dashboard.page_request import PageRequest
from control.dashboard.targeting.controls import QUESTIONS
from control.dashboard.targeting.questions import parse_signals
from control.reporting.decision_log import operations as decisions
from control.reporting.decision_log.queries import list_recent

MINUTES = 15
_MAX_LISTED = 200
_LISTED = 8
_EVERY_CANDIDATE = 1000


@dataclass(frozen=True, slots=True)
class RecentDecisions:
    """``reasons``: how often nothing was shown, and why; the most frequent first."""

    total: int
    won: int
    others: int
    reasons: Sequence[tuple[int, Reason]]
    listed: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ExplainedDecision:
    """What one decision did with the campaign's ads: a line for each, by the ad's id."""

    at: str
    slot_id: str
    filled_by: str | None
    outcome: Reason | None
    lines: Sequence[Mapping[str, Any]]
    is_recorded: bool


@dataclass(frozen=True, slots=True)
class RefusedQuestion:
    """``label``: of the field with the mistake; empty where no field of the form has it."""

    message: Message
    label: str


async def recent_of(view: PageRequest, campaign: Mapping[str, Any]) -> RecentDecisions | None:
    """Recorded decisions of its properties' slots. None for a user who may not request explanations."""
    if not view.can(decisions.EXPLAIN.id):
        return None
    since = view.now - timedelta(minutes=MINUTES)
    async with view.control.database.tenant(view.caller.account_id) as session:
        records = await list_recent(
            session, campaign["property_ids"], since, is_test=campaign["is_test"], limit=_MAX_LISTED
        )
    won = sum(one.get("campaign_id") == campaign["id"] for one in records)
    others = sum(bool(one.get("campaign_id")) for one in records) - won
    counts: dict[str, int] = {}
    for one in records:
        if one.get("reason"):
            counts[one["reason"]] = counts.get(one["reason"], 0) + 1
    ranked = sorted(counts.items(), key=lambda pair: -pair[1])
    listed = [_line_of(one, campaign["id"]) for one in records[:_LISTED]]
    return RecentDecisions(
        len(records), won, others, [(count, gate_of(name)) for name, count in ranked], listed
    )


async def explained_of(
    view: PageRequest, campaign: Mapping[str, Any]
) -> ExplainedDecision | RefusedQuestion | None:
    """The explanation requested by ``?decision=``, or ``?slot=`` and more."""
    query = _parse_opportunity(view)
    if query is None:
        return None
    try:
        found = await view.call(decisions.EXPLAIN, body=query | {"limit": _EVERY_CANDIDATE})
    except ApiError as error:
        if error.code is ErrorCode.UNAVAILABLE:
            raise
        named = (error.param or "").removeprefix("opportunity.").split(".")[0]
        labels = [one.label for one in QUESTIONS if one.name == named]
        return RefusedQuestion(error.message, labels[0] if labels else "")
    outcome = found["outcome"]
    return ExplainedDecision(
        at=found["at"],
        slot_id=found["slot_id"],
        filled_by=outcome["campaign_id"],
        outcome=gate_of(outcome["reason"]) if outcome["reason"] else None,
        lines=[
            one | {"why": gate_of(one["dropped_by"]) if one["dropped_by"] else None}
            for one in found["considered"]
            if one["campaign_id"] == campaign["id"]
        ],
        is_recorded=found["decision_id"] is not None,
    )


def _parse_opportunity(view: PageRequest) -> dict[str, Any] | None:
    if not view.can(decisions.EXPLAIN.id):
        return None
    if view.query_param("decision"):
        return {"decision_id": view.query_param("decision")}
    if not view.query_param("slot"):
        return None
    return {
        "opportunity": {"slot": view.query_param("slot"), "environment": view.environment}
        | parse_signals(view.user_locale.locale, view.query_param)
    }


def _line_of(record: Mapping[str, Any], campaign_id: str) -> dict[str, Any]:
    return {
        "id": record["id"],
        "at": to_iso(from_ms(record["at_ms"])),
        "slot_id": record["slot_id"],
        "is_own": record.get("campaign_id") == campaign_id,
        "reason": gate_of(record["reason"]) if record.get("reason") else None,
    }
