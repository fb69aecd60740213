"""The accounts that a user is a member of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.api import audit
from control.storage.tables.accounts import AccountRow, MembershipRow


@dataclass(slots=True)
class Membership:
    """An account, with the user's role there."""

    id: str
    name: str
    state: str
    role: str


async def account_ids_of(session: AsyncSession, user_id: str) -> Sequence[str]:
    """Account ids, the oldest membership first. Runs as the service."""
    wanted = select(col(MembershipRow.account_id)).where(col(MembershipRow.user_id) == user_id)
    return (await session.scalars(wanted.order_by(col(MembershipRow.created_at)))).all()


async def record_in_accounts(
    session: AsyncSession,
    user_id: str,
    action: str,
    *,
    origin: str,
    now: datetime,
    detail: dict[str, Any] | None = None,
) -> None:
    """Writes what a user did to the audit log of each of its accounts. Runs as the service."""
    for account_id in await account_ids_of(session, user_id):
        audit.record(
            session,
            account_id=account_id,
            now=now,
            actor=f"user:{user_id}",
            action=action,
            object_type="user",
            object_id=user_id,
            origin=origin,
            detail=detail,
        )


async def list_accounts_of(
    session: AsyncSession, user_id: str, *, limit: int, before_id: str | None
) -> Sequence[Membership]:
    """Newest account first, ids below *before_id*; one more than *limit* if there are more. Runs as the service."""
    wanted = (
        select(
            col(AccountRow.id), col(AccountRow.name), col(AccountRow.state), col(MembershipRow.role)
        )
        .join(MembershipRow, col(MembershipRow.account_id) == col(AccountRow.id))
        .where(col(MembershipRow.user_id) == user_id)
    )
    if before_id is not None:
        wanted = wanted.where(col(AccountRow.id) < before_id)
    found = await session.execute(wanted.order_by(col(AccountRow.id).desc()).limit(limit + 1))
    return [Membership(*row) for row in found]
