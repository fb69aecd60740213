"""The operator's actions on payouts; repeating one changes nothing."""

from typing import Any

from common.values.ids import is_uuid
from control.api.operator_action import NotFound, OperatorAction
from control.billing.ledger import entries
from control.billing.ledger.post import lock_ledger, post
from control.billing.payouts.rules import APPROVE, FAIL, PAY, TRANSITIONS
from control.billing.payouts.schemas import PayoutStatus
from control.storage.tables.money import PayoutRow

_OPERATOR = "operator"


async def approve(act: OperatorAction, payout_id: str) -> dict[str, Any]:
    """Approve the payout. Raises `NotFound`, 409 `invalid_state`."""
    row = await _get(act, payout_id)
    if row.status != PayoutStatus.APPROVED:
        row.status = TRANSITIONS.after(row.status, APPROVE)
        row.approved_at = act.control.clock.now()
        act.record("payout.approve", "payout", row.id, row.account_id)
    return _shown(row)


async def mark_paid(act: OperatorAction, payout_id: str) -> dict[str, Any]:
    """Record that the payee has the money. Raises `NotFound`, 409 `invalid_state`."""
    row = await _get(act, payout_id)
    if row.status != PayoutStatus.PAID:
        row.status = TRANSITIONS.after(row.status, PAY)
        row.paid_at = now = act.control.clock.now()
        entry = entries.payout_paid(row.id, row.amount_cents, _OPERATOR)
        await post(act.session, row.account_id, entry, now)
        act.record("payout.pay", "payout", row.id, row.account_id)
    return _shown(row)


async def fail(act: OperatorAction, payout_id: str, reason: str) -> dict[str, Any]:
    """Fail the payout and return the money to the property. Raises `NotFound`, 409 `invalid_state`."""
    row = await _get(act, payout_id)
    if row.status != PayoutStatus.FAILED:
        row.status = TRANSITIONS.after(row.status, FAIL)
        row.failed_at = now = act.control.clock.now()
        row.failure_reason = reason
        entry = entries.payout_failed(row.id, row.property_id, row.amount_cents, _OPERATOR)
        await post(act.session, row.account_id, entry, now)
        act.record("payout.fail", "payout", row.id, row.account_id)
    return _shown(row)


async def _get(act: OperatorAction, payout_id: str) -> PayoutRow:
    """Lock the ledger, then the row, in the usual lock order. Raises `NotFound`."""
    row = await act.session.get(PayoutRow, payout_id) if is_uuid(payout_id) else None
    if row is None:
        raise NotFound(f"There is no payout {payout_id!r}.")
    await lock_ledger(act.session, row.account_id, act.control.clock.now())
    await act.session.refresh(row, with_for_update=True)
    return row


def _shown(row: PayoutRow) -> dict[str, Any]:
    return {
        "payout_id": row.id,
        "property_id": row.property_id,
        "payee": row.payee,
        "amount_cents": row.amount_cents,
        "status": row.status,
    }
