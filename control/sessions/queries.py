"""Access and refresh tokens at rest: made in pairs, in families that die together."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.ids import new_id
from control.authentication import ACCESS_PREFIX, REFRESH_PREFIX, new_token, token_hash
from control.tables.accounts import AccessTokenRow, AccountRow, MembershipRow


@dataclass(frozen=True, slots=True)
class Tokens:
    """The texts, which nobody can read again."""

    access: str
    refresh: str


@dataclass(frozen=True, slots=True)
class Life:
    access: timedelta
    refresh: timedelta


async def find_account_of(session: AsyncSession, user_id: str) -> AccountRow | None:
    """The account a person signs in to: the one they have been in longest."""
    return await session.scalar(
        select(AccountRow)
        .join(MembershipRow, col(MembershipRow.account_id) == col(AccountRow.id))
        .where(col(MembershipRow.user_id) == user_id)
        .order_by(col(MembershipRow.created_at), col(AccountRow.id))
        .limit(1)
    )


def add_tokens(
    session: AsyncSession,
    *,
    account_id: str,
    user_id: str,
    life: Life,
    now: datetime,
    family_id: str | None = None,
) -> Tokens:
    """A new pair; without *family_id* the first of a family."""
    family = family_id or new_id()
    tokens = Tokens(new_token(ACCESS_PREFIX), new_token(REFRESH_PREFIX))
    for kind, token, lasts in (
        ("access", tokens.access, life.access),
        ("refresh", tokens.refresh, life.refresh),
    ):
        session.add(
            AccessTokenRow(
                hash=token_hash(token),
                account_id=account_id,
                user_id=user_id,
                family_id=family,
                kind=kind,
                created_at=now,
                expires_at=now + lasts,
            )
        )
    return tokens


async def claim_refresh_token(session: AsyncSession, token: str) -> AccessTokenRow | None:
    """
    Its row, if it is a refresh token and nobody else is using it at this moment. The claim ends with the transaction.

    It locks no row, so that `revoke_family` may run beside this transaction.
    """
    hashed = token_hash(token)
    lock = int.from_bytes(hashed[:8], "big", signed=True)
    if not await session.scalar(text("select pg_try_advisory_xact_lock(:lock)"), {"lock": lock}):
        return None
    return await session.scalar(
        select(AccessTokenRow).where(
            col(AccessTokenRow.hash) == hashed, col(AccessTokenRow.kind) == "refresh"
        )
    )


async def revoke_family(session: AsyncSession, family_id: str, now: datetime) -> None:
    """Nothing of it opens a door any more. Rows are locked in one order, so that two may do this at once."""
    family = await session.scalars(
        select(AccessTokenRow)
        .where(col(AccessTokenRow.family_id) == family_id, col(AccessTokenRow.revoked_at).is_(None))
        .order_by(col(AccessTokenRow.hash))
        .with_for_update()
    )
    for row in family:
        row.revoked_at = now


async def end_access(session: AsyncSession, account_id: str, user_id: str, now: datetime) -> None:
    """
    A member's access tokens open nothing any more; the next one is had for the refresh token, with the role of then.

    May run as the tenant.
    """
    await session.execute(
        update(AccessTokenRow)
        .where(
            col(AccessTokenRow.account_id) == account_id,
            col(AccessTokenRow.user_id) == user_id,
            col(AccessTokenRow.kind) == "access",
            col(AccessTokenRow.revoked_at).is_(None),
        )
        .values(revoked_at=now)
    )
