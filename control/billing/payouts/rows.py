"""Converts table rows of payouts and earnings to their API form."""

from common.values.money import micros_to_cents
from control.billing.payouts.schemas import EarningsPublic, PayoutPublic
from control.foundation.resource_models import from_row
from control.storage.tables.ledger import LedgerAccountRow
from control.storage.tables.money import PayoutRow


def payout(row: PayoutRow, currency: str) -> PayoutPublic:
    return from_row(PayoutPublic, row, currency=currency)


def earnings(row: LedgerAccountRow, currency: str) -> EarningsPublic:
    return EarningsPublic(
        property_id=row.property_id or "",
        payable_micros=row.balance_micros,
        payable_cents=micros_to_cents(row.balance_micros),
        currency=currency,
    )
