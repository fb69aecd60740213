"""Converts table rows of the wallet, its entries and its top-ups to their API form."""

from typing import Any

from common.values.messages import Message
from common.values.money import micros_to_cents
from control.billing.ledger.available_funds import Funds
from control.billing.wallet.schemas import BillingMode, EntryPublic, TopUpPublic, WalletPublic
from control.foundation.resource_models import from_row
from control.storage.tables.money import TopUpRow


def wallet(funds: Funds, currency: str) -> WalletPublic:
    return WalletPublic(
        currency=currency,
        mode=BillingMode(funds.mode),
        balance_cents=micros_to_cents(funds.wallet_micros),
        balance_micros=funds.wallet_micros,
        pending_spend_micros=funds.pending_micros,
        invoiced_cents=micros_to_cents(funds.invoiced_micros),
        credit_limit_cents=funds.credit_limit_cents,
        available_micros=funds.available_micros,
        funded=funds.is_funded,
    )


def entry(row: Any) -> EntryPublic:
    """*row*: as returned by `queries.list_entries`."""
    return from_row(EntryPublic, row, amount_micros=row.micros)


def top_up(row: TopUpRow, currency: str) -> TopUpPublic:
    instructions = Message.from_stored(row.instructions, row.instructions_parts)
    return from_row(TopUpPublic, row, currency=currency, instructions=instructions)
