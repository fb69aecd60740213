"""Builds the public form of an explanation; it shows only candidates of the caller's own account."""

from collections.abc import Mapping
from typing import Any

from common.decision import no_fill_messages
from common.decision.record import DecisionRecord, is_same
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Considered, Decision, Explanation, Fill
from common.values.clock import from_ms
from common.values.enums import Source
from common.values.messages import Message
from control.foundation.resource_models import from_row
from control.reporting.decision_log.explain_input import ExplainInput
from control.reporting.decision_log.schemas import (
    CandidatePublic,
    CandidateState,
    Consent,
    DecisionExplained,
    Outcome,
    Snapshot,
)


def to_public(
    explain_input: ExplainInput, explanation: Explanation | None, account_id: str
) -> DecisionExplained:
    """*explanation* None: the recorded decision could not be reproduced."""
    decision_input, record = explain_input.decision_input, explain_input.record
    opportunity, snapshot = decision_input.opportunity, decision_input.snapshot
    if record is not None:
        outcome = _recorded(record)
    elif explanation is not None:
        outcome = _outcome(explanation.decision)
    else:
        raise RuntimeError("gates that were made up know everything that is asked of them")
    lines = explanation.considered if explanation else ()
    return DecisionExplained(
        decision_id=record.id if record else None,
        reproduced=_is_reproduced(record, explanation) if record else None,
        at=from_ms(decision_input.now_ms),
        environment=snapshot.environment,
        property_id=opportunity.property.id,
        slot_id=opportunity.slot.id,
        snapshot=Snapshot(epoch=snapshot.epoch, version=snapshot.version),
        seed=f"{decision_input.seed:016x}",
        outcome=outcome,
        consent=_consent(opportunity, record.consent if record else {}),
        considered=[
            _candidate(line, filled=outcome.filled)
            for line in lines
            if line.account_id == account_id
        ],
        considered_total=explanation.total if explanation else 0,
    )


def _consent(opportunity: Opportunity, recorded: Mapping[str, Any]) -> Consent:
    limited, child_directed = opportunity.consent_limited, opportunity.child_directed
    return Consent(
        limited=limited,
        child_directed=child_directed,
        personal=recorded.get("personal", not (limited or child_directed)),
        storage=recorded.get("storage"),
        measurement=recorded.get("measurement"),
        why=recorded.get("why", []),
    )


def _is_reproduced(record: DecisionRecord, explanation: Explanation | None) -> bool:
    return explanation is not None and is_same(record, explanation.decision)


def _recorded(record: DecisionRecord) -> Outcome:
    return Outcome(
        filled=record.ad_id is not None,
        ad_id=record.ad_id,
        campaign_id=record.campaign_id,
        source=record.source,
        price_micros=record.price_micros,
        reason=record.reason,
        words=_words(record.source)
        if record.reason is None
        else no_fill_messages.message_of(record.reason),
    )


def _outcome(decision: Decision) -> Outcome:
    if isinstance(decision, Fill):
        return Outcome(
            filled=True,
            ad_id=decision.ad.id,
            campaign_id=decision.campaign.id,
            source=decision.source,
            price_micros=decision.price_micros,
            reason=None,
            words=_words(decision.source),
        )
    return Outcome(
        filled=False,
        ad_id=None,
        campaign_id=None,
        source=None,
        price_micros=None,
        reason=decision.reason,
        words=no_fill_messages.message_of(decision.reason),
    )


def _words(source: Source | None) -> Message:
    match source:
        case Source.PREVIEW:
            return no_fill_messages.PREVIEWED
        case Source.HOUSE:
            return no_fill_messages.HOUSE
        case _:
            return no_fill_messages.WON


def _candidate(line: Considered, *, filled: bool) -> CandidatePublic:
    if line.won:
        state, message = CandidateState.WON, no_fill_messages.WON
    elif line.dropped_by is not None:
        state, message = CandidateState.DROPPED, no_fill_messages.message_of(line.dropped_by)
    else:
        state, message = (
            CandidateState.FITS,
            no_fill_messages.OUTRANKED if filled else no_fill_messages.CLOSED,
        )
    return from_row(CandidatePublic, line, state=state, words=message)
