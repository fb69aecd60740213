"""
The verification of a property and its changes, pure.

asked ──check proves──► verified ──re-check every 30 days──► verified
                            │ proof gone: a warning, then a check every day
                            └─ gone for 7 days, or another account proved the domain ──► unverified

An inconclusive check changes nothing.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from common.values.enums import PropertyStatus
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.inventory.domain_verification.check_result import Finding, Outcome
from control.inventory.domain_verification.problem_messages import message_of
from control.inventory.domain_verification.verification_state import (
    DomainProof,
    Method,
    VerificationState,
)
from control.storage.tables.properties import PropertyRow

RECHECK_AFTER = timedelta(days=30)
GRACE = timedelta(days=7)
_FAILING_AGAIN = timedelta(days=1)
_UNDECIDED_AGAIN = timedelta(hours=1)
_DAY_S = 86_400


class Recheck(StrEnum):
    """The result of re-checking a verified property."""

    HOLDS = "holds"
    UNDECIDED = "undecided"
    WARNED = "warned"
    """The first failure: the owners are notified once."""
    FAILING = "failing"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Rechecked:
    """``due_at`` None: there are no more re-checks."""

    verdict: Recheck
    state: VerificationState
    due_at: datetime | None


def check_can_verify(row: PropertyRow) -> str:
    """The domain to verify. Raises 409 for a suspended property, and for one that has no domain to prove."""
    if row.status == PropertyStatus.SUSPENDED:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "The property is suspended, and verification does not change that. Contact support."
            ),
            param="status",
        )
    if row.domain is None:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "This {kind} property has no domain to verify. Set one with PATCH "
                "/v1/properties/{property_id}, or ask the operator to verify it manually.",
                kind=row.kind,
                property_id=row.id,
            ),
            param="domain",
        )
    return row.domain


def check_may_start(state: VerificationState, domain: str, property_id: str) -> DomainProof:
    """The proof to look for. Raises 409 if no verification was started for this domain."""
    if state.requested is None or state.domain != domain:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "No verification was started. Call POST /v1/properties/{property_id}/verification "
                "first, and publish the proof it returns.",
                property_id=property_id,
            ),
            param="verification",
        )
    return state.requested


def request_proof(
    state: VerificationState, domain: str, method: Method, new_token: str
) -> VerificationState:
    """
    The state after a request for *method*: the same proof as before, or one with *new_token* if the domain or method
    changed. The proof behind a verified status stays until the new one is found. Without one, what a check by the other
    method found is dropped.
    """
    if state.domain != domain:
        return VerificationState(domain=domain, requested=DomainProof(method, new_token))
    if state.requested is not None and state.requested.method is method:
        return state
    if state.held is not None and state.held.method is method:
        return replace(state, requested=state.held)
    if state.held is None:
        return VerificationState(domain=domain, requested=DomainProof(method, new_token))
    return replace(state, requested=DomainProof(method, new_token))


def proven(state: VerificationState, now: datetime) -> VerificationState:
    return replace(state, held=state.requested, checked_at=now, last_error=None, failing_since=None)


def not_proven(state: VerificationState, finding: Finding, now: datetime) -> VerificationState:
    return replace(state, checked_at=now, last_error=message_of(finding.problem))


def after_recheck(
    state: VerificationState, finding: Finding, property_id: str, now: datetime
) -> Rechecked:
    """What a check of a verified property changes: the first failure warns; after `GRACE` it is unverified."""
    match finding.outcome:
        case Outcome.PROVEN:
            holds = replace(state, checked_at=now, last_error=None, failing_since=None)
            return Rechecked(Recheck.HOLDS, holds, next_check_at(property_id, now))
        case Outcome.UNDECIDED:
            return Rechecked(Recheck.UNDECIDED, state, now + _UNDECIDED_AGAIN)
        case Outcome.ABSENT:
            failed = not_proven(state, finding, now)
            if state.failing_since is None:
                first = replace(failed, failing_since=now)
                return Rechecked(Recheck.WARNED, first, now + _FAILING_AGAIN)
            if now - state.failing_since < GRACE:
                return Rechecked(Recheck.FAILING, failed, now + _FAILING_AGAIN)
            return Rechecked(Recheck.LOST, lost(failed), None)


def lost(state: VerificationState) -> VerificationState:
    """The requested proof stays valid: publishing it again is enough."""
    return replace(state, held=None, failing_since=None)


def next_check_at(property_id: str, now: datetime) -> datetime:
    """In 30 days, plus or minus half a day derived from the property's id, which spreads the re-checks."""
    number = int.from_bytes(hashlib.sha256(property_id.encode()).digest()[:4], "big")
    return now + RECHECK_AFTER + timedelta(seconds=number % _DAY_S - _DAY_S // 2)
