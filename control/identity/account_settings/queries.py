"""Database queries for the caller's own account."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from control.storage.tables.accounts import AccountRow, UserRow
from control.storage.tables.properties import KeyRow


async def get_account(session: AsyncSession, account_id: str, *, lock: bool = False) -> AccountRow:
    """
    *lock*: lock the row until the transaction ends;
    rows that refer to the account may still be written meanwhile.
    """
    wanted = select(AccountRow).where(col(AccountRow.id) == account_id)
    return (await session.scalars(wanted.with_for_update(key_share=True) if lock else wanted)).one()


async def find_password_hash(session: AsyncSession, user_id: str) -> str | None:
    """The user's password hash; None for an unknown user. Runs as the service: no tenant may read it."""
    wanted = select(col(UserRow.password_hash)).where(col(UserRow.id) == user_id)
    return await session.scalar(wanted)


async def revoke_keys(session: AsyncSession, account_id: str, now: datetime) -> Sequence[KeyRow]:
    """Revoke all keys of the account that are not revoked yet, and return them."""
    good = select(KeyRow).where(
        col(KeyRow.account_id) == account_id, col(KeyRow.revoked_at).is_(None)
    )
    rows = (await session.scalars(good.order_by(col(KeyRow.id)).with_for_update())).all()
    for row in rows:
        row.revoked_at = now
        row.version += 1
    return rows


async def close_account(session: AsyncSession, now: datetime) -> None:
    """Close the account of the tenant that this transaction runs as."""
    await session.execute(text("select close_own_account(:now)"), {"now": now})
