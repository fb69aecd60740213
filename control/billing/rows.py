"""From the tables to the wire: how billing and invoices are shown."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from common.money import MICROS_PER_CENT, cents_to_micros
from common.vocabulary import AccountState
from control.billing.rules import month_after, month_of, start_of
from control.billing.schemas import (
    BillingPublic,
    InvoiceLinePublic,
    InvoicePublic,
    InvoiceStatus,
    InvoiceWithLines,
    NextInvoicePublic,
    SubscriptionPublic,
    SubscriptionStatus,
)
from control.ledger.funds import Funds
from control.tables.accounts import AccountRow
from control.tables.money import InvoiceLineRow, InvoiceRow
from control.wallet.schemas import BillingMode


def billing(
    account: AccountRow, funds: Funds, owed: Mapping[InvoiceStatus, int], now: datetime
) -> BillingPublic:
    month = month_of(now)
    past_due = owed.get(InvoiceStatus.PAST_DUE, 0)
    return BillingPublic(
        account_state=AccountState(account.state),
        currency=account.currency,
        mode=BillingMode(account.billing_mode),
        credit_limit_cents=account.credit_limit_cents,
        subscription=_subscription(account, month),
        next_invoice=NextInvoicePublic(
            month=month_text(month),
            issued_after=start_of(month_after(month)),
            amount_cents=max(0, (funds.pending_micros - funds.wallet_micros) // MICROS_PER_CENT),
        ),
        open_cents=owed.get(InvoiceStatus.OPEN, 0) + past_due,
        past_due_cents=past_due,
    )


def invoice(row: InvoiceRow) -> InvoicePublic:
    return InvoicePublic(**_invoice(row))


def invoice_with_lines(row: InvoiceRow, lines: Sequence[InvoiceLineRow]) -> InvoiceWithLines:
    shown = [
        InvoiceLinePublic(
            kind=line.kind,
            description=line.description,
            campaign_id=line.campaign_id,
            unit=line.unit,
            units=line.units,
            micros=line.micros,
        )
        for line in lines
    ]
    return InvoiceWithLines(**_invoice(row), lines=shown)


def month_text(month: date) -> str:
    return month.strftime("%Y-%m")


def _subscription(account: AccountRow, month: date) -> SubscriptionPublic:
    ended_at = account.subscription_ended_at
    return SubscriptionPublic(
        plan=account.plan,
        status=SubscriptionStatus.ACTIVE if ended_at is None else SubscriptionStatus.ENDED,
        started_at=account.subscription_started_at or account.created_at,
        ended_at=ended_at,
        period_start=start_of(month),
        period_end=start_of(month_after(month)),
    )


def _invoice(row: InvoiceRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "month": month_text(row.month),
        "status": row.status,
        "currency": row.currency,
        "total_micros": row.total_micros,
        "amount_cents": row.amount_cents,
        "carried_micros": row.total_micros - cents_to_micros(row.amount_cents),
        "issued_at": row.issued_at,
        "due_at": row.due_at,
        "paid_at": row.paid_at,
        "voided_at": row.voided_at,
    }
