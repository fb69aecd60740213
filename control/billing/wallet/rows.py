"""Converts table rows of the wallet, its entries and its top-ups to their API form."""

from typing import Any

from common.values.messages import Message
from common.values.money import micros_to_cents
from control.billing.ledger.available_funds import Funds
from control.billing.wallet.schemas import (
    BillingMode,
    EntryPublic,
    TopUpPublic,
    TopUpStatus,
    WalletPublic,
)
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
    return EntryPublic(
        id=row.id,
        at=row.at,
        kind=row.kind,
        amount_micros=row.micros,
        reference=row.reference,
        memo=row.memo,
        actor=row.actor,
    )


def top_up(row: TopUpRow, currency: str) -> TopUpPublic:
    return TopUpPublic(
        id=row.id,
        amount_cents=row.amount_cents,
        currency=currency,
        status=TopUpStatus(row.status),
        provider=row.provider,
        provider_reference=row.provider_reference,
        instructions=Message.from_stored(row.instructions, row.instructions_parts),
        requested_by=row.requested_by,
        created_at=row.created_at,
        settled_at=row.settled_at,
        failure_reason=row.failure_reason,
    )
