"""
Collecting payment: invoices age and are paid or voided, and the account's status changes with them.

A past due account still serves ads. When the grace period is over, the account is suspended. A payment lifts only
statuses that billing imposed, never one that an operator set (`control.identity.accounts.rules`).
"""

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.billing.invoicing.rules import AGE, PAY, TRANSITIONS, VOID
from control.billing.invoicing.schemas import InvoiceStatus
from control.billing.ledger import entries
from control.billing.ledger.available_funds import update_funded
from control.billing.ledger.entries import SYSTEM
from control.billing.ledger.post import lock_ledger, post
from control.identity.accounts.account_status import change_status
from control.identity.accounts.rules import StatusCause
from control.outbox.changes import Changes
from control.storage.tables.money import InvoiceRow

OPERATOR = "operator"
_ORIGIN = {SYSTEM: "work", OPERATOR: "admin"}


async def pay(
    session: AsyncSession, invoice: InvoiceRow, changes: Changes, now: datetime, actor: str
) -> None:
    """
    Record payment of the whole amount. Raises 409 `invalid_state`.
    Changes nothing if the invoice is already paid.
    """
    await _hold(session, invoice, now)
    if invoice.status == InvoiceStatus.PAID:
        return
    invoice.status = TRANSITIONS.after(invoice.status, PAY)
    invoice.paid_at = now
    entry = entries.payment(invoice.id, invoice.amount_cents, actor)
    await post(session, invoice.account_id, entry, now)
    await _settled(session, invoice, changes, now, actor)


async def void(
    session: AsyncSession, invoice: InvoiceRow, changes: Changes, now: datetime, actor: str
) -> None:
    """Void the invoice; its amount is carried to the next one. Raises 409 `invalid_state`."""
    await _hold(session, invoice, now)
    if invoice.status == InvoiceStatus.VOID:
        return
    invoice.status = TRANSITIONS.after(invoice.status, VOID)
    invoice.voided_at = now
    entry = entries.void(invoice.id, invoice.amount_cents, actor)
    await post(session, invoice.account_id, entry, now)
    await _settled(session, invoice, changes, now, actor)


async def age(session: AsyncSession, invoice: InvoiceRow, changes: Changes, now: datetime) -> None:
    """Mark an open invoice whose due date has passed as past due. Runs as the scheduler."""
    await _hold(session, invoice, now)
    if invoice.status != InvoiceStatus.OPEN:
        return
    invoice.status = TRANSITIONS.after(invoice.status, AGE)
    await _status_of(
        session,
        invoice.account_id,
        StatusCause.PAYMENT_FAILED,
        changes=changes,
        now=now,
        actor=SYSTEM,
    )


async def end_grace(
    session: AsyncSession, invoice: InvoiceRow, changes: Changes, now: datetime
) -> None:
    """End the grace period of an invoice: if it is still past due, suspend its account."""
    await _hold(session, invoice, now)
    if invoice.status == InvoiceStatus.PAST_DUE:
        await _status_of(
            session,
            invoice.account_id,
            StatusCause.GRACE_ENDED,
            changes=changes,
            now=now,
            actor=SYSTEM,
        )


async def _hold(session: AsyncSession, invoice: InvoiceRow, now: datetime) -> None:
    """Lock the account's ledger, then lock the invoice and reload it."""
    await lock_ledger(session, invoice.account_id, now)
    await session.refresh(invoice, with_for_update=True)


async def _settled(
    session: AsyncSession, invoice: InvoiceRow, changes: Changes, now: datetime, actor: str
) -> None:
    await session.flush()
    late = await session.scalar(
        select(func.count()).where(
            col(InvoiceRow.account_id) == invoice.account_id,
            col(InvoiceRow.status) == InvoiceStatus.PAST_DUE.value,
        )
    )
    if not late:
        await _status_of(
            session, invoice.account_id, StatusCause.PAID, changes=changes, now=now, actor=actor
        )
    await update_funded(session, invoice.account_id, changes)


async def _status_of(
    session: AsyncSession,
    account_id: str,
    cause: StatusCause,
    *,
    changes: Changes,
    now: datetime,
    actor: str,
) -> None:
    origin = _ORIGIN[actor]
    await change_status(
        session, account_id, cause, changes=changes, now=now, actor=actor, origin=origin
    )
