"""Converts table rows of payouts and earnings to their API form."""

from common.values.money import micros_to_cents
from control.billing.payouts.schemas import EarningsPublic, PayoutPublic, PayoutStatus
from control.storage.tables.ledger import LedgerAccountRow
from control.storage.tables.money import PayoutRow


def payout(row: PayoutRow, currency: str) -> PayoutPublic:
    return PayoutPublic(
        id=row.id,
        property_id=row.property_id,
        payee=row.payee,
        amount_cents=row.amount_cents,
        currency=currency,
        status=PayoutStatus(row.status),
        requested_by=row.requested_by,
        created_at=row.created_at,
        approved_at=row.approved_at,
        paid_at=row.paid_at,
        failed_at=row.failed_at,
        failure_reason=row.failure_reason,
    )


def earnings(row: LedgerAccountRow, currency: str) -> EarningsPublic:
    return EarningsPublic(
        property_id=row.property_id or "",
        payable_micros=row.balance_micros,
        payable_cents=micros_to_cents(row.balance_micros),
        currency=currency,
    )
