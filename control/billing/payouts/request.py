"""Requests a payout. The money is set aside under the ledger's lock, so two payouts never take the same money."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.ids import new_id
from control.billing.ledger import entries
from control.billing.ledger.entries import payable
from control.billing.ledger.post import balances_of, lock_ledger, post
from control.billing.payouts import rules
from control.billing.payouts.schemas import PayoutStatus
from control.storage.tables.money import PayoutRow
from control.storage.tables.properties import PropertyRow


async def request_payout(
    session: AsyncSession,
    site: PropertyRow,
    cents: int | None,
    *,
    user_id: str | None,
    now: datetime,
) -> PayoutRow:
    """
    Request a payout of *cents* of the earnings of *site*; None: all of them.
    Raises 409 `invalid_state`, `insufficient_balance`.
    """
    payee = rules.payee_of(site.payout)
    await lock_ledger(session, site.account_id, now)
    balances = await balances_of(session, site.account_id)
    amount_cents = rules.amount_of(cents, balances.get(payable(site.id), 0))
    row = PayoutRow(
        id=new_id(),
        account_id=site.account_id,
        property_id=site.id,
        payee=payee,
        amount_cents=amount_cents,
        status=PayoutStatus.REQUESTED.value,
        requested_by=user_id,
        created_at=now,
    )
    session.add(row)
    entry = entries.payout(row.id, site.id, amount_cents, f"user:{user_id}")
    await post(session, site.account_id, entry, now)
    return row
