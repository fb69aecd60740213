"""Billing jobs: make the invoices of finished months, collect unpaid invoices, and suspend ended subscriptions."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.enums import AccountState
from common.values.money import Amount
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.api.mail.kinds import MailKind
from control.billing.invoicing import dunning
from control.billing.invoicing.invoicing import list_uninvoiced, make_invoice
from control.billing.invoicing.mails import Ending, invoice_letter
from control.billing.invoicing.notices import next_step
from control.billing.invoicing.rules import month_of
from control.billing.invoicing.schemas import InvoiceStatus
from control.billing.invoicing.warning import plan_of, record_accepted, sent_about, warn
from control.billing.ledger.entries import SYSTEM
from control.foundation.subscription_terms import parse_days
from control.identity.accounts.account_status import change_status
from control.identity.accounts.rules import StatusCause
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.accounts import AccountRow
from control.storage.tables.money import InvoiceRow

_AT_ONCE = 200

_SERVING = (AccountState.ACTIVE.value, AccountState.PAST_DUE.value)
_UNPAID = (InvoiceStatus.OPEN.value, InvoiceStatus.PAST_DUE.value)
Step = Callable[[AsyncSession, InvoiceRow, Changes, datetime], Awaitable[None]]


async def make_invoices(control: ControlContext) -> None:
    """
    Make the missing invoices of every account and finished month (UTC), each in its own transaction. One that fails is
    tried again by the next run, and so are the account's later months: they are invoiced in order.
    """
    failed = FailedItems()
    while True:
        now = control.clock.now()
        async with control.database.service() as session:
            waiting = await list_uninvoiced(session, month_of(now), _AT_ONCE)
        for account_id, month in waiting:
            if account_id in failed.ids:
                continue
            with failed.catching(account_id):
                async with control.database.service() as session:
                    due_days = control.settings.invoice_due_days
                    await make_invoice(session, account_id, month, now, due_days=due_days)
        if len(waiting) < _AT_ONCE or failed.ids:
            failed.raise_first()
            return


async def chase_invoices(control: ControlContext) -> None:
    """
    Mark unpaid invoices as past due at their due date, and their accounts with them.
    Owners receive warnings before and after the due date. An invoice that stays unpaid for the grace period suspends
    the account, if the mail server accepted enough of the warnings.
    """
    now = control.clock.now()
    failed = FailedItems()
    await record_accepted(control)
    due = (col(InvoiceRow.status) == InvoiceStatus.OPEN.value) & (col(InvoiceRow.due_at) <= now)
    await _each(control, due, dunning.age, failed)
    soon = now + timedelta(days=-min(parse_days(control.settings.notice_days)))
    last = ""
    while True:
        async with control.database.service() as session:
            found = await session.scalars(
                select(col(InvoiceRow.id))
                .join(AccountRow, col(AccountRow.id) == col(InvoiceRow.account_id))
                .where(
                    col(InvoiceRow.status).in_(_UNPAID),
                    col(InvoiceRow.due_at) <= soon,
                    col(AccountRow.state).in_(_SERVING),
                    col(InvoiceRow.id) > last,
                )
                .order_by(col(InvoiceRow.id))
                .limit(_AT_ONCE)
            )
            ids = found.all()
        for invoice_id in ids:
            with failed.catching(invoice_id):
                await _one(control, invoice_id, partial(_chase, control))
        if len(ids) < _AT_ONCE:
            failed.raise_first()
            return
        last = ids[-1]


async def _chase(
    control: ControlContext,
    session: AsyncSession,
    invoice: InvoiceRow,
    changes: Changes,
    now: datetime,
) -> None:
    """Queue a warning to the owners of the account, or end the grace period."""
    plan = plan_of(control.settings, control.settings.invoice_grace_days)
    about = f"invoice:{invoice.id}"
    sent = await sent_about(session, invoice.account_id, about)
    step = next_step(plan, invoice.due_at, sent, now)
    if step.suspends:
        await dunning.end_grace(session, invoice, changes, now)
    elif step.notice_day is not None:
        suspended_at = invoice.due_at + timedelta(days=plan.suspend_day)
        ending = Ending(
            invoice.due_at,
            max(suspended_at, now + timedelta(days=1)),
            Amount(invoice.amount_cents, invoice.currency),
        )
        url = f"{control.settings.control_url}/billing/invoices/{invoice.id}"
        await warn(
            session,
            control,
            account_id=invoice.account_id,
            about=about,
            day=step.notice_day,
            kind=MailKind.INVOICE_UNPAID,
            letter=invoice_letter(ending, invoice.month, url, now),
            now=now,
        )


async def end_subscriptions(control: ControlContext) -> None:
    """Suspend accounts whose subscription has ended, even if an operator has activated them since."""
    ended = col(AccountRow.subscription_ended_at).is_not(None) & col(AccountRow.state).in_(_SERVING)
    async with control.database.service() as session:
        ids = (await session.scalars(select(col(AccountRow.id)).where(ended).limit(_AT_ONCE))).all()
    failed = FailedItems()
    for account_id in ids:
        with failed.catching(account_id):
            await _suspend(control, account_id)
    failed.raise_first()


async def _suspend(control: ControlContext, account_id: str) -> None:
    now = control.clock.now()
    async with control.database.service() as session:
        changes = Changes()
        await change_status(
            session,
            account_id,
            StatusCause.SUBSCRIPTION_ENDED,
            changes=changes,
            now=now,
            actor=SYSTEM,
            origin="work",
        )
        await flush(session, changes, keys=control.keys, now=now)


async def _each(
    control: ControlContext, wanted: ColumnElement[bool], step: Step, failed: FailedItems
) -> None:
    """
    Run *step* on every matching invoice, each in its own transaction.
    A step must make its invoice leave *wanted*. After a failure, the rest waits for the next run.
    """
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
            with failed.catching(invoice_id):
                await _one(control, invoice_id, step)
        if len(ids) < _AT_ONCE or failed.ids:
            return


async def _one(control: ControlContext, invoice_id: str, step: Step) -> None:
    now = control.clock.now()
    async with control.database.service() as session:
        changes = Changes()
        await step(session, await session.get_one(InvoiceRow, invoice_id), changes, now)
        await flush(session, changes, keys=control.keys, now=now)
