"""`control admin money`: what an operator does with money. Prints JSON; every act is in the audit log."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import uuid4

import orjson
import typer

from control.admin import Act, acting
from control.billing import acts as billing
from control.ledger.check import find_drift
from control.payouts import acts as payouts
from control.settings import ControlSettings
from control.wallet import acts as wallet
from control.wallet.schemas import BillingMode
from control.wiring import open_control

app = typer.Typer(help="Wallets, invoices, subscriptions and payouts.", no_args_is_help=True)

_MOST_CENTS = 1_000_000_000_000

AccountId = Annotated[str, typer.Option("--account", help="The account's id.")]
TopUpId = Annotated[str, typer.Option("--top-up", help="The top-up's id.")]
InvoiceId = Annotated[str, typer.Option("--invoice", help="The invoice's id.")]
PayoutId = Annotated[str, typer.Option("--payout", help="The payout's id.")]
Reason = Annotated[str, typer.Option("--reason", help="Shown to the account.")]
Memo = Annotated[str, typer.Option("--memo", help="Shown with the entry.")]
Reference = Annotated[
    str | None,
    typer.Option("--reference", help="The same one twice is done once; made where left out."),
]


@app.command()
def show(account: AccountId) -> None:
    """An account's wallet."""
    _run(lambda act: wallet.wallet_of(act, account))


@app.command()
def confirm_top_up(top_up: TopUpId) -> None:
    """The payment came in: the money is in the wallet."""
    _run(lambda act: wallet.confirm_top_up(act, top_up))


@app.command()
def fail_top_up(top_up: TopUpId, reason: Reason) -> None:
    """No payment came. Confirm it after all if one does."""
    _run(lambda act: wallet.fail_top_up(act, top_up, reason))


@app.command()
def adjust(
    account: AccountId,
    amount_cents: Annotated[
        int, typer.Option(min=-_MOST_CENTS, max=_MOST_CENTS, help="Below zero takes money out.")
    ],
    memo: Memo,
    reference: Reference = None,
) -> None:
    """Put something right in the wallet."""
    if amount_cents == 0:
        raise typer.BadParameter("0 moves nothing.", param_hint="--amount-cents")
    _run(lambda act: wallet.adjust(act, account, amount_cents, _or_made(reference), memo))


@app.command()
def refund(
    account: AccountId,
    amount_cents: Annotated[int, typer.Option(min=1, max=_MOST_CENTS, help="What was given back.")],
    memo: Memo,
    reference: Reference = None,
) -> None:
    """Money of the wallet was given back outside."""
    _run(lambda act: wallet.refund(act, account, amount_cents, _or_made(reference), memo))


@app.command()
def set_terms(
    account: AccountId,
    mode: Annotated[BillingMode, typer.Option(help="How the account pays.")],
    credit_limit_cents: Annotated[
        int | None,
        typer.Option(min=0, max=_MOST_CENTS, help="Of invoiced accounts; left out: no limit."),
    ] = None,
) -> None:
    """How an account pays, and how much it may owe."""
    _run(lambda act: wallet.set_terms(act, account, mode, credit_limit_cents))


@app.command()
def start_subscription(
    account: AccountId, plan: Annotated[str, typer.Option(help="The plan's id.")] = "standard"
) -> None:
    """Start an account's subscription anew, or change its plan."""
    _run(lambda act: billing.start_subscription(act, account, plan))


@app.command()
def end_subscription(account: AccountId) -> None:
    """End an account's subscription: it is suspended at once."""
    _run(lambda act: billing.end_subscription(act, account))


@app.command()
def pay_invoice(invoice: InvoiceId) -> None:
    """The invoice was paid, all of it."""
    _run(lambda act: billing.pay_invoice(act, invoice))


@app.command()
def void_invoice(invoice: InvoiceId) -> None:
    """Take an invoice back; what it asked for is carried to the next."""
    _run(lambda act: billing.void_invoice(act, invoice))


@app.command()
def approve_payout(payout: PayoutId) -> None:
    """The payout may be made."""
    _run(lambda act: payouts.approve(act, payout))


@app.command()
def pay_payout(payout: PayoutId) -> None:
    """The payee has the money."""
    _run(lambda act: payouts.mark_paid(act, payout))


@app.command()
def fail_payout(payout: PayoutId, reason: Reason) -> None:
    """The payout cannot be made: the money is the property's again."""
    _run(lambda act: payouts.fail(act, payout, reason))


@app.command()
def check() -> None:
    """Whether the ledger adds up; exit status 1 where it does not."""
    found = _run(_drift)
    if found["drift"]:
        raise typer.Exit(1)


async def _drift(act: Act) -> dict[str, Any]:
    drift = await find_drift(act.session)
    return {
        "drift": [
            {"what": one.what, "id": one.object_id, "off_micros": one.off_micros} for one in drift
        ]
    }


def _or_made(reference: str | None) -> str:
    return reference or uuid4().hex


def _run(work: Callable[[Act], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    async def whole() -> dict[str, Any]:
        async with open_control(ControlSettings()) as control, acting(control) as act:
            return await work(act)

    answer = asyncio.run(whole())
    typer.echo(orjson.dumps(answer).decode())
    return answer
