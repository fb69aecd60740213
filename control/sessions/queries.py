"""Access and refresh tokens at rest: made in pairs, in families that die together."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update
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
    for kind, text, lasts in (
        ("access", tokens.access, life.access),
        ("refresh", tokens.refresh, life.refresh),
    ):
        session.add(
            AccessTokenRow(
                hash=token_hash(text),
                account_id=account_id,
                user_id=user_id,
                family_id=family,
                kind=kind,
                created_at=now,
                expires_at=now + lasts,
            )
        )
    return tokens


async def use_refresh_token(
    session: AsyncSession, token: str, now: datetime
) -> AccessTokenRow | None:
    """Takes it, once: None where it is unknown, expired, revoked or used."""
    return await session.scalar(
        update(AccessTokenRow)
        .where(
            col(AccessTokenRow.hash) == token_hash(token),
            col(AccessTokenRow.kind) == "refresh",
            col(AccessTokenRow.used_at).is_(None),
            col(AccessTokenRow.revoked_at).is_(None),
            col(AccessTokenRow.expires_at) > now,
        )
        .values(used_at=now)
        .returning(AccessTokenRow)
    )


async def revoke_family_of_used(session: AsyncSession, token: str, now: datetime) -> None:
    """Whoever shows a used refresh token stole it, or was robbed: nothing of its family opens a door any more."""
    family = await session.scalar(
        select(col(AccessTokenRow.family_id)).where(
            col(AccessTokenRow.hash) == token_hash(token),
            col(AccessTokenRow.used_at).is_not(None),
        )
    )
    if family is not None:
        await session.execute(
            update(AccessTokenRow)
            .where(
                col(AccessTokenRow.family_id) == family, col(AccessTokenRow.revoked_at).is_(None)
            )
            .values(revoked_at=now)
        )
