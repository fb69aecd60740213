"""What billing does by itself: invoices of finished months, and chasing those that are not paid."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.vocabulary import AccountState
from control.accounts.rules import Cause, StateReason
from control.accounts.standing import change_standing
from control.billing import collecting
from control.billing.invoicing import list_uninvoiced, make_invoice
from control.billing.rules import month_of
from control.billing.schemas import InvoiceStatus
from control.context import ControlContext
from control.ledger.entries import SYSTEM
from control.publishing.changes import Changes
from control.publishing.outbox import flush
from control.tables.accounts import AccountRow
from control.tables.money import InvoiceRow

_AT_ONCE = 200

Step = Callable[[AsyncSession, InvoiceRow, Changes, datetime], Awaitable[None]]


async def make_invoices(control: ControlContext) -> None:
    """Of every account and finished month (UTC) that has none, an invoice a transaction."""
    while True:
        now = control.clock.now()
        async with control.database.service() as session:
            waiting = await list_uninvoiced(session, month_of(now), _AT_ONCE)
        for account_id, month in waiting:
            async with control.database.service() as session:
                due_days = control.settings.invoice_due_days
                await make_invoice(session, account_id, month, now, due_days=due_days)
        if len(waiting) < _AT_ONCE:
            return


async def chase_invoices(control: ControlContext) -> None:
    """What is due and not paid makes its account past due; what stays so for the grace suspends it."""
    now = control.clock.now()
    grace = timedelta(days=control.settings.invoice_grace_days)
    status, due_at = col(InvoiceRow.status), col(InvoiceRow.due_at)
    due = (status == InvoiceStatus.OPEN.value) & (due_at <= now)
    await _each(control, due, collecting.age)
    late = (
        (status == InvoiceStatus.PAST_DUE.value)
        & (due_at <= now - grace)
        & (col(AccountRow.state) == AccountState.PAST_DUE.value)
        & (col(AccountRow.state_reason) == StateReason.PAYMENT_FAILED.value)
    )
    await _each(control, late, collecting.end_grace)


async def end_subscriptions(control: ControlContext) -> None:
    """An account whose subscription ended is suspended, though an operator activated it meanwhile."""
    serving = (AccountState.ACTIVE.value, AccountState.PAST_DUE.value)
    ended = col(AccountRow.subscription_ended_at).is_not(None) & col(AccountRow.state).in_(serving)
    async with control.database.service() as session:
        ids = (await session.scalars(select(col(AccountRow.id)).where(ended).limit(_AT_ONCE))).all()
    for account_id in ids:
        now = control.clock.now()
        async with control.database.service() as session:
            changes = Changes()
            await change_standing(
                session,
                account_id,
                Cause.SUBSCRIPTION_ENDED,
                changes=changes,
                now=now,
                actor=SYSTEM,
                origin="work",
            )
            await flush(session, changes, keys=control.keys, now=now)


async def _each(control: ControlContext, wanted: ColumnElement[bool], step: Step) -> None:
    """*step* on every such invoice, each in a transaction of its own; a step takes its invoice out of *wanted*."""
    while True:
        async with control.database.service() as session:
            found = await session.scalars(
                select(col(InvoiceRow.id))
                .join(AccountRow, col(AccountRow.id) == col(InvoiceRow.account_id))
                .where(wanted)
                .limit(_AT_ONCE)
            )
            ids = found.all()
        for invoice_id in ids:
            await _one(control, invoice_id, step)
        if len(ids) < _AT_ONCE:
            return


async def _one(control: ControlContext, invoice_id: str, step: Step) -> None:
    now = control.clock.now()
    async with control.database.service() as session:
        changes = Changes()
        await step(session, await session.get_one(InvoiceRow, invoice_id), changes, now)
        await flush(session, changes, keys=control.keys, now=now)
