"""Converts table rows of billing and invoices to their API form."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from common.values.enums import AccountState
from common.values.money import cents_to_micros
from control.billing.invoicing.rules import due_cents, month_after, month_of, start_of
from control.billing.invoicing.schemas import (
    BillingPublic,
    InvoiceLinePublic,
    InvoicePublic,
    InvoiceStatus,
    InvoiceWithLines,
    NextInvoicePublic,
    SubscriptionPublic,
)
from control.billing.invoicing.subscriptions import status_of
from control.billing.ledger.available_funds import PREPAID, Funds
from control.billing.wallet.schemas import BillingMode
from control.foundation.resource_models import from_row
from control.storage.tables.accounts import AccountRow
from control.storage.tables.money import InvoiceLineRow, InvoiceRow


def billing(
    account: AccountRow,
    funds: Funds,
    owed: Mapping[InvoiceStatus, int],
    now: datetime,
    *,
    grace: timedelta,
) -> BillingPublic:
    """*grace*: time between the end of a subscription and the suspension of the account."""
    month = month_of(now)
    past_due = owed.get(InvoiceStatus.PAST_DUE, 0)
    return BillingPublic(
        account_state=AccountState(account.state),
        currency=account.currency,
        mode=BillingMode(account.billing_mode),
        credit_limit_cents=account.credit_limit_cents,
        subscription=subscription(account, now, grace=grace),
        next_invoice=NextInvoicePublic(
            month=month_text(month),
            issued_after=start_of(month_after(month)),
            amount_cents=due_cents(
                funds.pending_micros - funds.wallet_micros, is_prepaid=funds.mode == PREPAID
            ),
        ),
        open_cents=owed.get(InvoiceStatus.OPEN, 0) + past_due,
        past_due_cents=past_due,
    )


def invoice(row: InvoiceRow) -> InvoicePublic:
    return from_row(InvoicePublic, row, **_computed(row))


def invoice_with_lines(row: InvoiceRow, lines: Sequence[InvoiceLineRow]) -> InvoiceWithLines:
    shown = [from_row(InvoiceLinePublic, line) for line in lines]
    return from_row(InvoiceWithLines, row, lines=shown, **_computed(row))


def month_text(month: date) -> str:
    return month.strftime("%Y-%m")


def subscription(account: AccountRow, now: datetime, *, grace: timedelta) -> SubscriptionPublic:
    month = month_of(now)
    ends_at, ended_at = account.subscription_ends_at, account.subscription_ended_at
    is_ending = ends_at is not None and ended_at is None and not account.subscription_renews
    return SubscriptionPublic(
        plan=account.plan,
        status=status_of(account, now),
        price_cents=account.subscription_price_cents,
        term=account.subscription_term,
        trial_ends_at=account.trial_ends_at,
        renews=account.subscription_renews and ended_at is None,
        ends_at=ends_at,
        suspends_at=ends_at + grace if ends_at and is_ending else None,
        started_at=account.subscription_started_at or account.created_at,
        ended_at=ended_at,
        period_start=account.term_started_at or start_of(month),
        period_end=ends_at or start_of(month_after(month)),
    )


def _computed(row: InvoiceRow) -> dict[str, Any]:
    return {
        "month": month_text(row.month),
        "carried_micros": row.total_micros - cents_to_micros(row.amount_cents),
    }
