"""Database queries for properties by domain and by due date; in the service's transactions across all accounts."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.contract.permissions import Role
from common.values.enums import PropertyStatus
from control.api.mail.letter import Recipient
from control.storage.tables.accounts import MembershipRow, UserRow
from control.storage.tables.properties import PropertyRow

_VERIFIED = PropertyStatus.VERIFIED.value
_LOCK_DOMAIN = text("select pg_advisory_xact_lock(hashtextextended('domain:' || :domain, 0))")
_HELD_ELSEWHERE = text("select is_domain_held_elsewhere(:domain)")


async def lock_domain(session: AsyncSession, domain: str) -> None:
    """Lock *domain* until the transaction ends, so that its owner does not change. Lock it before any row."""
    await session.execute(_LOCK_DOMAIN, {"domain": domain})


async def is_held_elsewhere(session: AsyncSession, domain: str) -> bool:
    """Whether an account other than the transaction's has a verified property of *domain*."""
    return bool(await session.scalar(_HELD_ELSEWHERE, {"domain": domain}))


async def list_holders(
    session: AsyncSession, domain: str, *, but: str, lock: bool = False
) -> Sequence[PropertyRow]:
    """Verified properties of *domain* in accounts other than *but*. The session is the service's."""
    wanted = (
        select(PropertyRow)
        .where(
            col(PropertyRow.domain) == domain,
            col(PropertyRow.status) == _VERIFIED,
            col(PropertyRow.account_id) != but,
        )
        .order_by(col(PropertyRow.id))
    )
    return (await session.scalars(wanted.with_for_update() if lock else wanted)).all()


async def list_due(session: AsyncSession, now: datetime, *, limit: int) -> Sequence[PropertyRow]:
    """Verified properties that are due for a re-check, the longest due first."""
    wanted = (
        select(PropertyRow)
        .where(col(PropertyRow.check_due_at) <= now, col(PropertyRow.status) == _VERIFIED)
        .order_by(col(PropertyRow.check_due_at), col(PropertyRow.id))
        .limit(limit)
    )
    return (await session.scalars(wanted)).all()


async def find_locked(session: AsyncSession, property_id: str) -> PropertyRow | None:
    return await session.get(PropertyRow, property_id, with_for_update=True)


async def list_owners(
    session: AsyncSession, account_id: str, *, kind: str = ""
) -> Sequence[Recipient]:
    """
    Mail addresses and languages of the account's owners. As the service, or as the account.

    Without those who refused mails of this *kind*.
    """
    wanted = (
        select(col(UserRow.email), col(UserRow.language))
        .join(MembershipRow, col(MembershipRow.user_id) == col(UserRow.id))
        .where(
            col(MembershipRow.account_id) == account_id,
            col(MembershipRow.role) == Role.OWNER.value,
            ~col(UserRow.mails_off).contains([kind]),
        )
        .order_by(col(UserRow.id))
    )
    return [Recipient(*row) for row in await session.execute(wanted)]
