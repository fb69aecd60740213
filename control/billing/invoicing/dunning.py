"""
Getting paid: invoices age, are paid or voided, and the account's standing follows.

Past due still serves; when the grace is over the account is suspended. Money that comes lifts what billing imposed,
never what an operator did (`control.identity.accounts.rules`).
"""

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.billing.invoicing.rules import AGE, PAY, TRANSITIONS, VOID
from control.billing.invoicing.schemas import InvoiceStatus
from control.billing.ledger import entries
from control.billing.ledger.available_funds import judge_funds
from control.billing.ledger.entries import SYSTEM
from control.billing.ledger.post import lock_ledger, post
from control.identity.accounts.account_status import change_standing
from control.identity.accounts.rules import StatusCause
from control.outbox.changes import Changes
from control.storage.tables.money import InvoiceRow

OPERATOR = "operator"
_ORIGIN = {SYSTEM: "work", OPERATOR: "admin"}


async def pay(
    session: AsyncSession, invoice: InvoiceRow, changes: Changes, now: datetime, actor: str
) -> None:
    """The whole amount came in. Raises 409 `invalid_state`. Paying one that is paid changes nothing."""
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
    """Take the invoice back; what it asked for is carried to the next one. Raises 409 `invalid_state`."""
    await _hold(session, invoice, now)
    if invoice.status == InvoiceStatus.VOID:
        return
    invoice.status = TRANSITIONS.after(invoice.status, VOID)
    invoice.voided_at = now
    entry = entries.void(invoice.id, invoice.amount_cents, actor)
    await post(session, invoice.account_id, entry, now)
    await _settled(session, invoice, changes, now, actor)


async def age(session: AsyncSession, invoice: InvoiceRow, changes: Changes, now: datetime) -> None:
    """Its due date has passed; as the scheduler."""
    await _hold(session, invoice, now)
    if invoice.status != InvoiceStatus.OPEN:
        return
    invoice.status = TRANSITIONS.after(invoice.status, AGE)
    await _stand(
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
    """Long past due: the account is suspended, if it is past due."""
    await _hold(session, invoice, now)
    if invoice.status == InvoiceStatus.PAST_DUE:
        await _stand(
            session,
            invoice.account_id,
            StatusCause.GRACE_ENDED,
            changes=changes,
            now=now,
            actor=SYSTEM,
        )


async def _hold(session: AsyncSession, invoice: InvoiceRow, now: datetime) -> None:
    """The ledger, then the invoice as it stands now."""
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
        await _stand(
            session, invoice.account_id, StatusCause.PAID, changes=changes, now=now, actor=actor
        )
    await judge_funds(session, invoice.account_id, changes)


async def _stand(
    session: AsyncSession,
    account_id: str,
    cause: StatusCause,
    *,
    changes: Changes,
    now: datetime,
    actor: str,
) -> None:
    origin = _ORIGIN[actor]
    await change_standing(
        session, account_id, cause, changes=changes, now=now, actor=actor, origin=origin
    )
