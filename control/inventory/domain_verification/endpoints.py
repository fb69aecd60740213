"""The verification endpoints. The check runs before the transaction, which raises 409 if the property has changed."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from common.snapshot.model import ObjectType
from common.values.enums import PropertyStatus
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.versioning import check_version, raise_version
from control.foundation.rate_limit import Rate, check_rate
from control.inventory.domain_verification import operations, queries, rows, rules
from control.inventory.domain_verification.check import find_proof
from control.inventory.domain_verification.check_result import Finding, Outcome, Problem
from control.inventory.domain_verification.ownership_transfer import OwnershipClaim, take_over
from control.inventory.domain_verification.schemas import VerificationStart
from control.inventory.domain_verification.verification_state import (
    DomainProof,
    column_of,
    parse_state,
)
from control.inventory.properties.queries import get_currency, get_property
from control.inventory.properties.rows import to_public
from control.storage.tables.properties import PropertyRow

_PER_PROPERTY = Rate(4, 60.0, burst=4)
_PER_ACCOUNT = Rate(30, 60.0, burst=30)
_TOKEN_BYTES = 24


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The domain and proof that were checked, and the finding."""

    domain: str
    proof: DomainProof
    finding: Finding


async def start(call: Call) -> Reply:
    row = await get_property(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    body: VerificationStart = call.body
    domain = rules.check_can_verify(row)
    before = parse_state(row.verification)
    token = f"sav_{secrets.token_urlsafe(_TOKEN_BYTES)}"
    state = rules.request_proof(before, domain, body.method, token)
    if state != before:
        row.verification = column_of(state)
        raise_version(row, call.now)
        call.session.add(row)
        await call.session.flush()
    return Reply(rows.to_started(rules.check_may_start(state, domain, row.id), domain))


@asynccontextmanager
async def check_domain(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """
    Run the check. Raises 404, the 409s, the 412 and the 429 before any request to the outside: the check may take the
    domain from another account, which a refusal of the transaction would not undo.
    """
    control = call.control
    principal = call.principal
    async with control.database.tenant(principal.account_id) as session:
        row = await get_property(session, principal, call.path["id"])
    check_version(call, row)
    _ = call.body  # refuses a body, which the operation does not have
    domain = rules.check_can_verify(row)
    proof = rules.check_may_start(parse_state(row.verification), domain, row.id)
    now_s = control.clock.monotonic_s()
    check_rate(control.limiter, f"verify:{principal.account_id}", _PER_ACCOUNT, now_s)
    check_rate(control.limiter, f"verify:{row.id}", _PER_PROPERTY, now_s)
    finding = await find_proof(proof, domain, resolver=control.resolver, fetcher=control.fetcher)
    control.metrics.verifications.labels(proof.method, finding.outcome, "asked").inc()
    if finding.outcome is Outcome.PROVEN:
        await take_over(control, OwnershipClaim(principal.account_id, row.id, domain, proof))
    yield PreparedInput(CheckOutcome(domain, proof, finding))


async def verify(call: Call) -> Reply:
    outcome: CheckOutcome = call.prepared
    await queries.lock_domain(call.session, outcome.domain)
    row = await get_property(call.session, call.principal, call.path["id"], lock=True)
    check_version(call, row)
    _check_unchanged(row, outcome)
    finding = outcome.finding
    if finding.outcome is Outcome.PROVEN and await queries.is_held_elsewhere(
        call.session, outcome.domain
    ):
        finding = replace(finding, outcome=Outcome.ABSENT, problem=Problem.HELD_BY_ANOTHER)
    _settle(call, row, finding)
    call.session.add(row)
    await call.session.flush()
    currency = await get_currency(call.session, row.account_id)
    return Reply(rows.to_result(finding, to_public(row, currency)))


ENDPOINTS = (
    Endpoint(operations.START, start),
    Endpoint(operations.VERIFY, verify, prepare=check_domain),
)


def _check_unchanged(row: PropertyRow, outcome: CheckOutcome) -> None:
    state = parse_state(row.verification)
    rules.check_can_verify(row)
    if (row.domain, state.requested) != (outcome.domain, outcome.proof):
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "The property's domain or verification changed during the check. Verify again."
            ),
            param="verification",
        )


def _settle(call: Call, row: PropertyRow, finding: Finding) -> None:
    """
    Apply the finding. A proof verifies the property. Its absence is stored and, if the property is verified, brings the
    next re-check forward: that re-check notifies the owners and starts the grace period.
    """
    before = parse_state(row.verification)
    raise_version(row, call.now)  # `verification.checked_at` is shown
    if finding.outcome is Outcome.PROVEN:
        row.verification = column_of(rules.proven(before, call.now))
        row.check_due_at = rules.next_check_at(row.id, call.now)
        if row.status != PropertyStatus.VERIFIED:
            row.status = PropertyStatus.VERIFIED.value
            call.changes.touch(ObjectType.PROPERTY, row.id)
        return
    row.verification = column_of(rules.not_proven(before, finding, call.now))
    if finding.outcome is Outcome.ABSENT and row.check_due_at is not None:
        row.check_due_at = min(row.check_due_at, call.now)
