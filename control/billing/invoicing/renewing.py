"""Subscriptions with a term: renews and charges them, or warns their owners and ends them."""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.values.clock import to_iso
from common.values.money import Amount
from control.api import audit
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.api.mail.kinds import MailKind
from control.billing.invoicing.mails import Ending, subscription_letter
from control.billing.invoicing.notices import next_step
from control.billing.invoicing.warning import plan_of, record_accepted, sent_about, warn
from control.billing.ledger.available_funds import update_funded
from control.billing.ledger.entries import SYSTEM, subscription
from control.billing.ledger.post import lock_ledger, post
from control.foundation.subscription_terms import Term, parse_days, term_after
from control.identity.accounts.account_status import change_status
from control.identity.accounts.rules import StateReason, StatusCause
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.accounts import AccountRow

_AT_ONCE = 200


async def move_subscriptions(control: ControlContext) -> None:
    """Process every subscription whose term is over or ends soon, each in its own transaction."""
    if not control.settings.subscriptions:
        return
    await record_accepted(control)
    soon = control.clock.now() + timedelta(days=-min(parse_days(control.settings.notice_days)))
    last = ""
    failed = FailedItems()
    while True:
        async with control.database.service() as session:
            wanted = select(AccountRow.id).where(
                col(AccountRow.subscription_ends_at) <= soon,
                col(AccountRow.subscription_ended_at).is_(None),
                col(AccountRow.state_reason).is_distinct_from(StateReason.CLOSED.value),
                col(AccountRow.id) > last,
            )
            found = await session.scalars(wanted.order_by(col(AccountRow.id)).limit(_AT_ONCE))
            ids = found.all()
        for account_id in ids:
            with failed.catching(account_id):
                await _move(control, account_id)
        if len(ids) < _AT_ONCE:
            failed.raise_first()
            return
        last = ids[-1]


async def renew(
    session: AsyncSession, account: AccountRow, now: datetime, *, changes: Changes
) -> None:
    """
    Begin the next term and charge it to the wallet, so that it appears on the next invoice.
    The term begins where the last one ended, or now if that whole term would already be over. The caller must hold the
    ledger. Does nothing before the end of the current term.
    """
    ends_at = account.subscription_ends_at
    if ends_at is None or ends_at > now:
        return
    start_at = ends_at
    term = Term(account.subscription_term)
    period = term_after(start_at, term, day=_end_day(account, start_at))
    if period.end_at <= now:
        period = term_after(now, term, day=now.day)
    if account.subscription_price_cents:
        entry = subscription(to_iso(period.start_at), account.subscription_price_cents)
        await post(session, account.id, entry, now)
        await update_funded(session, account.id, changes)
    account.term_started_at, account.subscription_ends_at = period.start_at, period.end_at
    account.updated_at = now


def _end_day(account: AccountRow, start_at: datetime) -> int:
    """
    The day of the month on which the term from *start_at* ends: that of the subscription's beginning, also after a
    month that lacks this day.
    """
    begun = (account.subscription_started_at or account.created_at).day
    is_last_of_month = (start_at + timedelta(days=1)).month != start_at.month
    return begun if is_last_of_month and begun > start_at.day else start_at.day


async def _move(control: ControlContext, account_id: str) -> None:
    now, changes = control.clock.now(), Changes()
    async with control.database.service() as session:
        await lock_ledger(session, account_id, now)
        account = await session.get_one(AccountRow, account_id, with_for_update=True)
        ends_at = account.subscription_ends_at
        is_closed = account.state_reason == StateReason.CLOSED
        if ends_at is None or account.subscription_ended_at is not None or is_closed:
            return
        if account.subscription_renews:
            await renew(session, account, now, changes=changes)
        else:
            await _near_end(session, control, account, ends_at, changes=changes, now=now)
        await session.flush()
        await flush(session, changes, keys=control.keys, now=now)


async def _near_end(
    session: AsyncSession,
    control: ControlContext,
    account: AccountRow,
    ends_at: datetime,
    *,
    changes: Changes,
    now: datetime,
) -> None:
    """Queue the mail that is due, or end the subscription."""
    about = f"subscription:{to_iso(ends_at)}"
    plan = plan_of(control.settings, control.settings.subscription_grace_days)
    step = next_step(plan, ends_at, await sent_about(session, account.id, about), now)
    if step.suspends:
        account.subscription_ended_at = now
        audit.record(
            session,
            account_id=account.id,
            now=now,
            actor=SYSTEM,
            action="subscription.end",
            object_type="account",
            object_id=account.id,
            origin="work",
        )
        await session.flush()
        await change_status(
            session,
            account.id,
            StatusCause.SUBSCRIPTION_ENDED,
            changes=changes,
            now=now,
            actor=SYSTEM,
            origin="work",
        )
    elif step.notice_day is not None and _is_after_begin(account, ends_at, step.notice_day):
        ending = Ending(
            ends_at,
            max(ends_at + timedelta(days=plan.suspend_day), now + timedelta(days=1)),
            Amount(account.subscription_price_cents, account.currency),
        )
        url = f"{control.settings.control_url}/billing"
        await warn(
            session,
            control,
            account_id=account.id,
            about=about,
            day=step.notice_day,
            kind=MailKind.SUBSCRIPTION_ENDING,
            letter=subscription_letter(ending, url, now),
            now=now,
        )


def _is_after_begin(account: AccountRow, ends_at: datetime, day: int) -> bool:
    """
    Whether the warning of *day* falls into the term.
    For example, a trial of two weeks skips the warning of day -14.
    """
    return ends_at + timedelta(days=day) > (account.term_started_at or account.created_at)
