"""
Makes the invoice of a month from the ledger: once per account and month, however often it is requested.

An entry belongs to the month in which it was posted. Making an invoice closes its month: later entries get a later
time, even if the clock went back, so the sums of the invoice's lines can no longer change.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.ids import new_id
from control.billing.invoicing.rules import (
    WALLET_KINDS,
    Bill,
    InvoiceLine,
    bill_of,
    month_after,
    start_of,
)
from control.billing.invoicing.schemas import InvoiceStatus, LineKind
from control.billing.ledger import entries
from control.billing.ledger.available_funds import PREPAID
from control.billing.ledger.entries import EntryKind
from control.billing.ledger.post import close_time, lock_ledger, post
from control.storage.tables.accounts import AccountRow
from control.storage.tables.money import InvoiceLineRow, InvoiceRow

_MOVED = text(
    "select e.kind, cast(sum(p.micros) as bigint) from ledger_entries e "
    "join ledger_postings p on p.entry_id = e.id "
    "join ledger_accounts a on a.id = p.ledger_account_id and a.kind = 'wallet' "
    "where e.account_id = :account and e.at < :until "
    "and (cast(:since as timestamptz) is null or e.at >= :since) "
    "and e.kind = any(:kinds) group by e.kind"
)
_SPEND = text(
    "select s.campaign_id, c.name, s.kind, cast(sum(s.units) as bigint), cast(sum(s.micros) as bigint) "
    "from spend_months s join campaigns c on c.id = s.campaign_id "
    "where s.account_id = :account and s.month <= :month "
    "and (cast(:after as date) is null or s.month > :after) "
    "group by s.campaign_id, c.name, s.kind order by s.campaign_id, s.kind"
)
_BILLED = text(
    "select cast(coalesce(sum(amount_cents), 0) as bigint) from invoices "
    "where account_id = :account and month < :month and status <> 'void'"
)
_MONTHS = text(
    "select l.account_id, m.month from ledgers l "
    "left join lateral (select max(month) as last from invoices where account_id = l.account_id) i "
    "on true join lateral ("
    " select distinct cast(date_trunc('month', e.at at time zone 'UTC') as date) as month"
    " from ledger_entries e where e.account_id = l.account_id and e.at < :now_month"
    " and e.kind = any(:kinds) and (i.last is null"
    " or e.at >= (i.last + interval '1 month') at time zone 'UTC')"
    ") m on true order by m.month, l.account_id limit :most"
)
_KINDS = sorted(kind.value for kind in (*WALLET_KINDS, EntryKind.VOID))


async def list_uninvoiced(
    session: AsyncSession, current_month: date, most: int
) -> list[tuple[str, date]]:
    """Accounts with each finished, uninvoiced month in which their wallet moved, oldest first. Runs as the service."""
    values = {"now_month": start_of(current_month), "kinds": _KINDS, "most": most}
    return [(account, month) for account, month in await session.execute(_MONTHS, values)]


async def make_invoice(
    session: AsyncSession, account_id: str, month: date, now: datetime, *, due_days: int
) -> InvoiceRow:
    """
    Returns the account's invoice of *month*, which must be over. Makes it if it does not exist.

    Months are invoiced in order: do not request a month that lies before an invoiced one.
    """
    at = await lock_ledger(session, account_id, now)
    before = await _invoices_until(session, account_id, month)
    if before and before[0].month == month:
        return before[0]
    await close_time(session, account_id, at)
    account = await session.get_one(AccountRow, account_id)
    bill = await _bill(session, account, month, before[0] if before else None)
    requests = bill.amount_cents > 0
    row = InvoiceRow(
        id=new_id(),
        account_id=account_id,
        month=month,
        status=(InvoiceStatus.OPEN if requests else InvoiceStatus.PAID).value,
        currency=account.currency,
        total_micros=bill.total_micros,
        amount_cents=bill.amount_cents,
        closing_micros=bill.closing_micros,
        issued_at=now,
        due_at=now + timedelta(days=due_days),
        paid_at=None if requests else now,
    )
    session.add(row)
    await session.flush()
    session.add_all(_rows(row, bill.lines))
    if requests:
        await post(session, account_id, entries.invoice(row.id, bill.amount_cents), now)
    return row


async def _bill(
    session: AsyncSession, account: AccountRow, month: date, last: InvoiceRow | None
) -> Bill:
    parameters = {
        "account": account.id,
        "month": month,
        "after": last.month if last else None,
        "since": start_of(month_after(last.month)) if last else None,
        "until": start_of(month_after(month)),
        "kinds": sorted(WALLET_KINDS),
    }
    moved = {EntryKind(kind): micros for kind, micros in await session.execute(_MOVED, parameters)}
    spend = [
        InvoiceLine(LineKind.SPEND, name, micros, campaign_id, unit, units)
        for campaign_id, name, unit, units, micros in await session.execute(_SPEND, parameters)
    ]
    billed = await session.scalar(_BILLED, parameters)
    return bill_of(
        last.closing_micros if last else 0,
        int(billed or 0),
        moved,
        spend,
        is_prepaid=account.billing_mode == PREPAID,
    )


async def _invoices_until(
    session: AsyncSession, account_id: str, month: date
) -> Sequence[InvoiceRow]:
    """The newest invoice up to *month*: a sequence of one, or empty."""
    wanted = select(InvoiceRow).where(
        col(InvoiceRow.account_id) == account_id, col(InvoiceRow.month) <= month
    )
    return (await session.scalars(wanted.order_by(col(InvoiceRow.month).desc()).limit(1))).all()


def _rows(invoice: InvoiceRow, lines: Sequence[InvoiceLine]) -> list[InvoiceLineRow]:
    return [
        InvoiceLineRow(
            invoice_id=invoice.id,
            position=position,
            account_id=invoice.account_id,
            kind=line.kind.value,
            description=line.description,
            campaign_id=line.campaign_id,
            unit=line.unit,
            units=line.units,
            micros=line.micros,
        )
        for position, line in enumerate(lines, start=1)
    ]
