"""Converts proofs and findings to their API form."""

from common.values.messages import Message
from control.foundation.resource_models import from_row
from control.inventory.domain_verification.check import record_name
from control.inventory.domain_verification.check_result import Finding, Outcome
from control.inventory.domain_verification.problem_messages import message_of, next_of
from control.inventory.domain_verification.schemas import (
    RecordPublic,
    SightingPublic,
    VerificationResult,
    VerificationStarted,
)
from control.inventory.domain_verification.tags import tag_for
from control.inventory.domain_verification.verification_state import DomainProof, Method
from control.inventory.properties.schemas import PropertyPublic


def to_started(proof: DomainProof, domain: str) -> VerificationStarted:
    match proof.method:
        case Method.DNS:
            return VerificationStarted(
                method=proof.method,
                token=proof.token,
                record=RecordPublic(type="TXT", name=record_name(domain), value=proof.token),
                tag=None,
                where=f"In the DNS of {domain}, beside any other TXT values of that name.",
            )
        case Method.HTML_TAG:
            return VerificationStarted(
                method=proof.method,
                token=proof.token,
                record=None,
                tag=tag_for(proof.token),
                where=f"In the <head> of https://{domain}/ as the server sends it, beside any other tags.",
            )


def to_result(finding: Finding, shown: PropertyPublic) -> VerificationResult:
    return VerificationResult(
        verified=finding.outcome is Outcome.PROVEN,
        status=shown.status,
        saw=[from_row(SightingPublic, item) for item in finding.saw],
        problem=finding.problem,
        message=message_of(finding.problem) or Message("The proof was found."),
        next=next_of(finding.problem),
        property=shown,
    )
