"""`control admin money`: an operator's actions on money. Prints JSON; every action is in the audit log."""

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

import typer

from control.api.operator_action import ActionRefused, OperatorAction
from control.billing.invoicing import operator_actions as billing
from control.billing.ledger.check import find_imbalances
from control.billing.payouts import operator_actions as payouts
from control.billing.wallet import operator_actions as wallet
from control.billing.wallet.schemas import BillingMode
from control.foundation.subscription_terms import Term
from control.operations.admin_cli.run import AccountId, run_action

app = typer.Typer(help="Wallets, invoices, subscriptions and payouts.", no_args_is_help=True)

_MAX_CENTS = 1_000_000_000_000

TopUpId = Annotated[str, typer.Option("--top-up", help="The top-up's id.")]
InvoiceId = Annotated[str, typer.Option("--invoice", help="The invoice's id.")]
PayoutId = Annotated[str, typer.Option("--payout", help="The payout's id.")]
Reason = Annotated[str, typer.Option("--reason", help="Shown to the account.")]
Memo = Annotated[str, typer.Option("--memo", help="Description shown with the entry.")]
Reference = Annotated[
    str | None,
    typer.Option(
        "--reference",
        help="Your own reference, which makes a repetition harmless. Default: generated.",
    ),
]


@app.command()
def show(account: AccountId) -> None:
    """Show an account's wallet."""
    run_action(lambda act: wallet.wallet_of(act, account))


@app.command()
def confirm_top_up(top_up: TopUpId) -> None:
    """Confirm that the payment arrived: the money is in the wallet."""
    run_action(lambda act: wallet.confirm_top_up(act, top_up))


@app.command()
def fail_top_up(top_up: TopUpId, reason: Reason) -> None:
    """Record that no payment arrived. It can still be confirmed if one arrives later."""
    run_action(lambda act: wallet.fail_top_up(act, top_up, reason))


@app.command()
def adjust(
    account: AccountId,
    amount_cents: Annotated[
        int,
        typer.Option(
            min=-_MAX_CENTS, max=_MAX_CENTS, help="Amount in cents; negative takes money out."
        ),
    ],
    memo: Memo,
    reference: Reference = None,
) -> None:
    """Correct the balance of a wallet."""
    if amount_cents == 0:
        raise typer.BadParameter("0 moves nothing.", param_hint="--amount-cents")
    run_action(lambda act: wallet.adjust(act, account, amount_cents, _or_made(reference), memo))


@app.command()
def refund(
    account: AccountId,
    amount_cents: Annotated[
        int, typer.Option(min=1, max=_MAX_CENTS, help="Refunded amount in cents.")
    ],
    memo: Memo,
    reference: Reference = None,
) -> None:
    """Record that money of the wallet was returned by other means."""
    run_action(lambda act: wallet.refund(act, account, amount_cents, _or_made(reference), memo))


@app.command()
def set_terms(
    account: AccountId,
    mode: Annotated[BillingMode, typer.Option(help="Billing mode of the account.")],
    credit_limit_cents: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=_MAX_CENTS,
            help="Credit limit of an invoiced account in cents. Default: no limit.",
        ),
    ] = None,
) -> None:
    """Set the billing mode and the credit limit of an account."""
    run_action(lambda act: wallet.set_terms(act, account, mode, credit_limit_cents))


@app.command()
def start_subscription(
    account: AccountId,
    *,
    plan: Annotated[str, typer.Option(help="Id of the plan.")] = "standard",
    price_cents: Annotated[
        int | None,
        typer.Option(min=0, max=_MAX_CENTS, help="Price of a term in cents. Default: unchanged."),
    ] = None,
    term: Annotated[Term | None, typer.Option(help="Length of a term. Default: unchanged.")] = None,
    ends_on: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], help="End of the current term, UTC. Default: unchanged."
        ),
    ] = None,
    renews: Annotated[
        bool | None,
        typer.Option(
            "--renews/--ends", help="Whether it renews at the end of the term. Default: unchanged."
        ),
    ] = None,
) -> None:
    """Start an account's subscription again, or change its plan and terms."""
    end = ends_on.replace(tzinfo=UTC) if ends_on else None
    terms = billing.SubscriptionTerms(price_cents, term, end, renews)
    run_action(lambda act: billing.start_subscription(act, account, plan, terms))


@app.command()
def end_subscription(account: AccountId) -> None:
    """End an account's subscription: the account is suspended at once."""
    run_action(lambda act: billing.end_subscription(act, account))


@app.command()
def pay_invoice(invoice: InvoiceId) -> None:
    """Record that the invoice was paid in full."""
    run_action(lambda act: billing.pay_invoice(act, invoice))


@app.command()
def void_invoice(invoice: InvoiceId) -> None:
    """Void an invoice; its amount is carried over to the next one."""
    run_action(lambda act: billing.void_invoice(act, invoice))


@app.command()
def approve_payout(payout: PayoutId) -> None:
    """Approve a payout."""
    run_action(lambda act: payouts.approve(act, payout))


@app.command()
def pay_payout(payout: PayoutId) -> None:
    """Record that the payee has received the money."""
    run_action(lambda act: payouts.mark_paid(act, payout))


@app.command()
def fail_payout(payout: PayoutId, reason: Reason) -> None:
    """Record that the payout failed: the money is returned to the property."""
    run_action(lambda act: payouts.fail(act, payout, reason))


@app.command()
def check() -> None:
    """Check that the ledger adds up; exits with status 1 if it does not."""
    run_action(_check)


async def _check(act: OperatorAction) -> dict[str, Any]:
    """Raises `ActionRefused` where a sum is wrong: the message lists every one."""
    drift = await find_imbalances(act.session)
    if drift:
        found = "; ".join(f"{one.what} {one.object_id} is off by {one.off_micros}" for one in drift)
        raise ActionRefused(f"The ledger does not add up: {found}.")
    return {"drift": []}


def _or_made(reference: str | None) -> str:
    return reference or uuid4().hex
