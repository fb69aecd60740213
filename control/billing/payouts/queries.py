"""Database queries for payouts and for the balances that they are paid from."""

from collections.abc import Sequence

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.api.listing import equal_to, get_row, newest_first
from control.billing.ledger.entries import LedgerKind
from control.billing.payouts.schemas import EarningsList, PayoutList
from control.storage.tables.ledger import LedgerAccountRow
from control.storage.tables.money import PayoutRow


async def get_payout(session: AsyncSession, account_id: str, payout_id: str) -> PayoutRow:
    """Returns the account's payout. Raises 404 `not_found` if there is none."""
    own = select(PayoutRow).where(col(PayoutRow.account_id) == account_id)
    return await get_row(session, own, col(PayoutRow.id), payout_id)


async def list_payouts(
    session: AsyncSession, account_id: str, query: PayoutList, before_id: str | None
) -> Sequence[PayoutRow]:
    """Payouts with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_payouts(account_id, query)
    return await newest_first(session, wanted, col(PayoutRow.id), query.limit, before_id)


def wanted_payouts(account_id: str, query: PayoutList) -> Select[PayoutRow]:
    """The list without its order, cursor and limit."""
    return select(PayoutRow).where(
        col(PayoutRow.account_id) == account_id, *equal_to(query, PayoutRow)
    )


async def list_payables(
    session: AsyncSession, account_id: str, query: EarningsList, before_id: str | None
) -> Sequence[LedgerAccountRow]:
    """The ledger accounts of properties' earnings, newest first. Returns one more than the limit if there are more."""
    wanted = select(LedgerAccountRow).where(
        col(LedgerAccountRow.account_id) == account_id,
        col(LedgerAccountRow.kind) == LedgerKind.PAYABLE.value,
        *equal_to(query, LedgerAccountRow),
    )
    return await newest_first(session, wanted, col(LedgerAccountRow.id), query.limit, before_id)
