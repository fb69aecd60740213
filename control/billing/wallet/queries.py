"""Database queries for the wallet: its entries and its top-ups."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.api.listing import equal_to, get_row, newest_first
from control.billing.ledger.entries import LedgerKind
from control.billing.wallet.rules import CANCEL, TRANSITIONS
from control.billing.wallet.schemas import EntryList, TopUpList, TopUpStatus
from control.storage.tables.ledger import LedgerAccountRow, LedgerEntryRow, LedgerPostingRow
from control.storage.tables.money import TopUpRow


async def list_entries(
    session: AsyncSession, account_id: str, query: EntryList, before_id: str | None
) -> Sequence[Any]:
    """
    Rows of ``id, at, kind, reference, memo, actor, micros``, newest first;
    one more than the limit if there are more.
    """
    wanted = wanted_entries(account_id, query)
    if before_id is not None:
        wanted = wanted.where(col(LedgerPostingRow.entry_id) < before_id)
    ordered = wanted.order_by(col(LedgerPostingRow.entry_id).desc()).limit(query.limit + 1)
    found: Sequence[Any] = (await session.execute(ordered)).all()
    return found


def wanted_entries(account_id: str, query: EntryList) -> Select[Any]:
    """The list without its order, cursor and limit."""
    wanted = (
        select(
            *(
                getattr(LedgerEntryRow, name)
                for name in ("id", "at", "kind", "reference", "memo", "actor")
            ),
            col(LedgerPostingRow.micros),
        )
        .join(LedgerPostingRow, col(LedgerPostingRow.entry_id) == col(LedgerEntryRow.id))
        .join(LedgerAccountRow, col(LedgerAccountRow.id) == col(LedgerPostingRow.ledger_account_id))
        .where(
            col(LedgerEntryRow.account_id) == account_id,
            col(LedgerAccountRow.account_id) == account_id,
            col(LedgerAccountRow.kind) == LedgerKind.WALLET.value,
        )
    )
    if query.kind is not None:
        wanted = wanted.where(col(LedgerEntryRow.kind) == query.kind.value)
    if query.since is not None:
        wanted = wanted.where(col(LedgerEntryRow.at) >= query.since)
    if query.until is not None:
        wanted = wanted.where(col(LedgerEntryRow.at) < query.until)
    return wanted


async def list_top_ups(
    session: AsyncSession, account_id: str, query: TopUpList, before_id: str | None
) -> Sequence[TopUpRow]:
    """Top-ups with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    own = col(TopUpRow.account_id) == account_id
    wanted = select(TopUpRow).where(own, *equal_to(query, TopUpRow))
    return await newest_first(session, wanted, col(TopUpRow.id), query.limit, before_id)


async def get_top_up(session: AsyncSession, account_id: str, top_up_id: str) -> TopUpRow:
    """Returns the account's top-up. Raises 404 `not_found` if there is none."""
    own = select(TopUpRow).where(col(TopUpRow.account_id) == account_id)
    return await get_row(session, own, col(TopUpRow.id), top_up_id)


async def cancel_top_up(session: AsyncSession, row: TopUpRow, now: datetime) -> None:
    """Cancels *row* and refreshes it. Raises 409 `invalid_state` if it is no longer pending."""
    await session.execute(
        update(TopUpRow)
        .where(col(TopUpRow.id) == row.id, col(TopUpRow.status) == TopUpStatus.PENDING.value)
        .values(status=TopUpStatus.CANCELLED.value, settled_at=now)
        .execution_options(synchronize_session=False)
    )
    await session.refresh(row)
    if row.status != TopUpStatus.CANCELLED:
        TRANSITIONS.after(row.status, CANCEL)
