"""The caller's own account in the database."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from control.storage.tables.accounts import AccountRow, UserRow
from control.storage.tables.properties import KeyRow


async def get_account(session: AsyncSession, account_id: str, *, lock: bool = False) -> AccountRow:
    """*lock*: held until the transaction ends; rows that point at the account may still be written meanwhile."""
    wanted = select(AccountRow).where(col(AccountRow.id) == account_id)
    return (await session.scalars(wanted.with_for_update(key_share=True) if lock else wanted)).one()


async def find_password_hash(session: AsyncSession, user_id: str) -> str | None:
    """As the service: no tenant may read it."""
    wanted = select(col(UserRow.password_hash)).where(col(UserRow.id) == user_id)
    return await session.scalar(wanted)


async def revoke_keys(session: AsyncSession, account_id: str, now: datetime) -> Sequence[KeyRow]:
    """Every key that was still good."""
    good = select(KeyRow).where(
        col(KeyRow.account_id) == account_id, col(KeyRow.revoked_at).is_(None)
    )
    rows = (await session.scalars(good.order_by(col(KeyRow.id)).with_for_update())).all()
    for row in rows:
        row.revoked_at = now
    return rows


async def close_account(session: AsyncSession, now: datetime) -> None:
    """That of the tenant whose transaction this is."""
    await session.execute(text("select close_own_account(:now)"), {"now": now})
