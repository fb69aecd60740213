"""Database queries for payouts and for the balances that they are paid from."""

from collections.abc import Sequence

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.errors import not_found
from common.values.ids import is_uuid
from control.api.listing import equal_to
from control.billing.ledger.entries import LedgerKind
from control.billing.payouts.schemas import EarningsList, PayoutList
from control.storage.tables.ledger import LedgerAccountRow
from control.storage.tables.money import PayoutRow


async def get_payout(session: AsyncSession, account_id: str, payout_id: str) -> PayoutRow:
    """Returns the account's payout. Raises 404 `not_found` if there is none."""
    if not is_uuid(payout_id):
        raise not_found()
    wanted = select(PayoutRow).where(
        col(PayoutRow.account_id) == account_id, col(PayoutRow.id) == payout_id
    )
    found = await session.scalar(wanted)
    if found is None:
        raise not_found()
    return found


async def list_payouts(
    session: AsyncSession, account_id: str, query: PayoutList, before_id: str | None
) -> Sequence[PayoutRow]:
    """Payouts with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_payouts(account_id, query)
    if before_id is not None:
        wanted = wanted.where(col(PayoutRow.id) < before_id)
    newest_first = wanted.order_by(col(PayoutRow.id).desc())
    return (await session.scalars(newest_first.limit(query.limit + 1))).all()


def wanted_payouts(account_id: str, query: PayoutList) -> Select[PayoutRow]:
    """The list without its order, cursor and limit."""
    return select(PayoutRow).where(
        col(PayoutRow.account_id) == account_id, *equal_to(query, PayoutRow)
    )


async def list_payables(
    session: AsyncSession, account_id: str, query: EarningsList, before_id: str | None
) -> Sequence[LedgerAccountRow]:
    """The ledger accounts of properties' earnings. Returns one more than the limit if there are more."""
    wanted = select(LedgerAccountRow).where(
        col(LedgerAccountRow.account_id) == account_id,
        col(LedgerAccountRow.kind) == LedgerKind.PAYABLE.value,
    )
    if query.property_id is not None:
        wanted = wanted.where(col(LedgerAccountRow.property_id) == query.property_id)
    if before_id is not None:
        wanted = wanted.where(col(LedgerAccountRow.id) < before_id)
    by_id = wanted.order_by(col(LedgerAccountRow.id).desc())
    return (await session.scalars(by_id.limit(query.limit + 1))).all()
