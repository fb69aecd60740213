"""
Moves a verified domain to another account: only if that account shows a proof while the other account's is gone.

The other account's proof is checked at once, without a grace period, because another proof has taken its place.
If an operator verified the other property manually, there is no proof to check, and only an operator can revoke it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.messages import Message
from control.api.context import ControlContext
from control.inventory.domain_verification import queries
from control.inventory.domain_verification.check import find_proof
from control.inventory.domain_verification.check_result import Outcome
from control.inventory.domain_verification.mails import Notice
from control.inventory.domain_verification.revoke import revoke_verification
from control.inventory.domain_verification.verification_state import (
    DomainProof,
    VerificationState,
    parse_state,
)
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.properties import PropertyRow

_MAX_HOLDERS = 10
_LOST_TO_ANOTHER = Message(
    "Another account verified the domain, and your proof is no longer published there."
)


@dataclass(frozen=True, slots=True)
class OwnershipClaim:
    """The account and property that have just proved the domain, with their proof."""

    account_id: str
    property_id: str
    domain: str
    proof: DomainProof


async def take_over(control: ControlContext, transfer: OwnershipClaim) -> None:
    """
    Revoke the verification of other accounts if all of their proofs are gone; otherwise change nothing.

    Uses the service's transactions, and makes network requests between them. The transaction that verifies must check
    whether the domain is then free.
    """
    async with control.database.service() as session:
        holders = await queries.list_holders(session, transfer.domain, but=transfer.account_id)
    if not holders or len(holders) > _MAX_HOLDERS:
        return
    gone = await asyncio.gather(*(_is_gone(control, row, transfer.domain) for row in holders))
    if all(gone):
        await _release(control, transfer, holders)


async def _is_gone(control: ControlContext, row: PropertyRow, domain: str) -> bool:
    held = parse_state(row.verification).held
    if held is None:
        return False
    finding = await find_proof(held, domain, resolver=control.resolver, fetcher=control.fetcher)
    control.metrics.verifications.labels(held.method, finding.outcome, "takeover").inc()
    return finding.outcome is Outcome.ABSENT


async def _release(
    control: ControlContext, transfer: OwnershipClaim, seen: Sequence[PropertyRow]
) -> None:
    """Revoke all of them or none: none if a property changed since its check."""
    now = control.clock.now()
    proofs = {row.id: parse_state(row.verification).held for row in seen}
    changes = Changes()
    async with control.database.service() as session:
        await queries.lock_domain(session, transfer.domain)
        if not await _still_claims(session, transfer):
            return
        holders = await queries.list_holders(
            session, transfer.domain, but=transfer.account_id, lock=True
        )
        states = {row.id: parse_state(row.verification) for row in holders}
        if {row_id: state.held for row_id, state in states.items()} != proofs:
            return
        for row in holders:
            lost = replace(states[row.id], checked_at=now, last_error=_LOST_TO_ANOTHER)
            await revoke_verification(
                session, row, lost, Notice.MOVED, changes, keys=control.keys, now=now
            )
        await flush(session, changes, keys=control.keys, now=now)


async def _still_claims(session: AsyncSession, transfer: OwnershipClaim) -> bool:
    row = await queries.find_locked(session, transfer.property_id)
    if row is None or row.domain != transfer.domain:
        return False
    state: VerificationState = parse_state(row.verification)
    return state.requested == transfer.proof
