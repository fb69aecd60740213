"""Database queries about the caller."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.api.key_status import due_for_rotation
from control.foundation.languages import Language
from control.foundation.principal import Principal
from control.identity.me.schemas import MeUser
from control.storage.tables.accounts import AccountRow, UserRow
from control.storage.tables.properties import KeyRow, PropertyRow


async def get_account(session: AsyncSession, caller: Principal) -> AccountRow:
    return await session.get_one(AccountRow, caller.account_id)


async def find_user(session: AsyncSession, caller: Principal) -> MeUser | None:
    """Selects columns, because a tenant may not read password hashes. None if the user is no longer a member."""
    found = await session.execute(
        select(
            col(UserRow.id),
            col(UserRow.email),
            col(UserRow.name),
            col(UserRow.email_verified_at),
            col(UserRow.language),
        ).where(col(UserRow.id) == caller.user_id)
    )
    row = found.one_or_none()
    if row is None:
        return None
    return MeUser(
        id=row.id,
        email=row.email,
        name=row.name,
        email_verified=row.email_verified_at is not None,
        language=None if row.language is None else Language(row.language),
    )


async def change_user(
    session: AsyncSession, user_id: str | None, changes: Mapping[str, str | None]
) -> None:
    """*changes*: by column; none changes nothing."""
    if not changes:
        return
    await session.execute(
        update(UserRow)
        .where(col(UserRow.id) == user_id)
        .values(**changes)
        .execution_options(synchronize_session=False)
    )


async def find_key(session: AsyncSession, caller: Principal) -> KeyRow | None:
    return await session.get_one(KeyRow, caller.key_id) if caller.key_id else None


async def find_property(session: AsyncSession, caller: Principal) -> PropertyRow | None:
    return await session.get_one(PropertyRow, caller.property_id) if caller.property_id else None


async def count_keys_to_rotate(session: AsyncSession, caller: Principal, now: datetime) -> int:
    """Number of keys due for rotation: `control.api.key_status.is_rotation_due`, in SQL."""
    wanted = select(func.count()).select_from(KeyRow).where(due_for_rotation(now))
    wanted = wanted.where(col(KeyRow.account_id) == caller.account_id)
    if caller.property_id is not None:
        wanted = wanted.where(col(KeyRow.property_id) == caller.property_id)
    return int(await session.scalar(wanted) or 0)


async def get_snapshot_version(session: AsyncSession) -> int:
    """The version of the outbox's head."""
    return int(await session.scalar(text("select version from snapshot_head")) or 0)
