"""The operator's actions on subscriptions and invoices."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.values.clock import to_iso
from common.values.ids import is_uuid
from control.api.operator_action import NotFound, OperatorAction
from control.billing.invoicing import dunning, rows
from control.billing.invoicing.rules import PLANS
from control.billing.wallet.operator_actions import get_account
from control.foundation.subscription_terms import Term
from control.identity.accounts.account_status import change_status
from control.identity.accounts.rules import StatusCause
from control.storage.tables.accounts import AccountRow
from control.storage.tables.money import InvoiceRow


@dataclass(frozen=True, slots=True)
class SubscriptionTerms:
    """Terms of a subscription; None leaves a term unchanged. ``ends_on``: the end of the current term."""

    price_cents: int | None = None
    term: Term | None = None
    ends_on: datetime | None = None
    renews: bool | None = None


async def start_subscription(
    act: OperatorAction, account_id: str, plan: str, terms: SubscriptionTerms = SubscriptionTerms()
) -> dict[str, Any]:
    """Start a subscription, or change its plan and terms. Lifts the suspension of an ended one. Raises `NotFound`."""
    if plan not in PLANS:
        raise NotFound(f"There is no plan {plan!r}. Plans: {', '.join(PLANS)}.")
    account = await get_account(act.session, account_id)
    account.plan = plan
    if account.subscription_ended_at is not None:
        account.subscription_started_at = act.control.clock.now()
        account.subscription_ended_at = None
        account.subscription_ends_at = None
        account.term_started_at = account.trial_ends_at = None
    _set_terms(account, terms, act.control.clock.now())
    act.record("subscription.start", "account", account.id, account.id)
    await _status_of(act, account, StatusCause.SUBSCRIBED)
    return _subscription(account)


async def end_subscription(act: OperatorAction, account_id: str) -> dict[str, Any]:
    """End the subscription at once and suspend the account. Raises `NotFound`."""
    account = await get_account(act.session, account_id)
    if account.subscription_ended_at is None:
        account.subscription_ended_at = act.control.clock.now()
        act.record("subscription.end", "account", account.id, account.id)
    await _status_of(act, account, StatusCause.SUBSCRIPTION_ENDED)
    return _subscription(account)


async def pay_invoice(act: OperatorAction, invoice_id: str) -> dict[str, Any]:
    """Record payment of the invoice's whole amount. Raises `NotFound`, 409 `invalid_state`."""
    invoice = await _get_invoice(act, invoice_id)
    now = act.control.clock.now()
    await dunning.pay(act.session, invoice, act.changes, now, dunning.OPERATOR)
    act.record("invoice.pay", "invoice", invoice.id, invoice.account_id)
    return rows.invoice(invoice).model_dump(mode="json")


async def void_invoice(act: OperatorAction, invoice_id: str) -> dict[str, Any]:
    """Void the invoice. Raises `NotFound`, 409 `invalid_state`."""
    invoice = await _get_invoice(act, invoice_id)
    now = act.control.clock.now()
    await dunning.void(act.session, invoice, act.changes, now, dunning.OPERATOR)
    act.record("invoice.void", "invoice", invoice.id, invoice.account_id)
    return rows.invoice(invoice).model_dump(mode="json")


def _set_terms(account: AccountRow, terms: SubscriptionTerms, now: datetime) -> None:
    if terms.price_cents is not None:
        account.subscription_price_cents = terms.price_cents
    if terms.term is not None:
        account.subscription_term = terms.term.value
    if terms.renews is not None:
        account.subscription_renews = terms.renews
    if terms.ends_on is not None:
        account.subscription_ends_at = terms.ends_on
        account.term_started_at = account.term_started_at or now


async def _status_of(act: OperatorAction, account: AccountRow, cause: StatusCause) -> None:
    await act.session.flush()
    await change_status(
        act.session,
        account.id,
        cause,
        changes=act.changes,
        now=act.control.clock.now(),
        actor=dunning.OPERATOR,
        origin="admin",
    )


async def _get_invoice(act: OperatorAction, invoice_id: str) -> InvoiceRow:
    row = await act.session.get(InvoiceRow, invoice_id) if is_uuid(invoice_id) else None
    if row is None:
        raise NotFound(f"There is no invoice {invoice_id!r}.")
    return row


def _subscription(account: AccountRow) -> dict[str, Any]:
    return {
        "account_id": account.id,
        "plan": account.plan,
        "status": "active" if account.subscription_ended_at is None else "ended",
        "price_cents": account.subscription_price_cents,
        "term": account.subscription_term,
        "ends_at": account.subscription_ends_at and to_iso(account.subscription_ends_at),
        "renews": account.subscription_renews,
        "state": account.state,
    }
