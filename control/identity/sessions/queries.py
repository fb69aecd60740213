"""Sessions and their tokens at rest: tokens are made in pairs, and die with their session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.errors import not_found
from common.values.ids import is_uuid, new_id
from control.api.authentication import (
    ACCESS_PREFIX,
    COOKIE_PREFIX,
    REFRESH_PREFIX,
    new_token,
    token_hash,
)
from control.api.session_limits import Limits
from control.storage.tables.accounts import AccountRow, MembershipRow
from control.storage.tables.sessions import AccessTokenRow, SessionRow


@dataclass(frozen=True, slots=True)
class Tokens:
    """The texts, which nobody can read again."""

    access: str
    refresh: str


async def find_account_of(
    session: AsyncSession, user_id: str, account_id: str | None = None
) -> AccountRow | None:
    """The account a person signs in to: the one named, if they are in it, else the one they have been in longest."""
    wanted = (
        select(AccountRow)
        .join(MembershipRow, col(MembershipRow.account_id) == col(AccountRow.id))
        .where(col(MembershipRow.user_id) == user_id)
        .order_by(col(MembershipRow.created_at), col(AccountRow.id))
    )
    if account_id is not None:
        wanted = wanted.where(col(AccountRow.id) == account_id)
    return await session.scalar(wanted.limit(1))


async def add_session(
    session: AsyncSession,
    *,
    account_id: str,
    user_id: str,
    origin: str,
    agent: str,
    now: datetime,
) -> SessionRow:
    row = SessionRow(
        id=new_id(),
        account_id=account_id,
        user_id=user_id,
        created_at=now,
        last_used_at=now,
        origin=origin,
        agent=agent,
    )
    session.add(row)
    await session.flush()
    return row


def add_tokens(session: AsyncSession, of: SessionRow, limits: Limits, now: datetime) -> Tokens:
    """A new pair of the session *of*, used *now*."""
    tokens = Tokens(new_token(ACCESS_PREFIX), new_token(REFRESH_PREFIX))
    for kind, token, expires_at in (
        ("access", tokens.access, limits.access_ends_at(of.created_at, now)),
        ("refresh", tokens.refresh, limits.ends_at(of.created_at, now)),
    ):
        session.add(
            AccessTokenRow(
                hash=token_hash(token),
                account_id=of.account_id,
                user_id=of.user_id,
                family_id=of.id,
                kind=kind,
                created_at=now,
                expires_at=expires_at,
            )
        )
    return tokens


def add_cookie(session: AsyncSession, of: SessionRow, limits: Limits, now: datetime) -> str:
    """A browser's token of the session *of*: good for as long as the session is."""
    token = new_token(COOKIE_PREFIX)
    session.add(
        AccessTokenRow(
            hash=token_hash(token),
            account_id=of.account_id,
            user_id=of.user_id,
            family_id=of.id,
            kind="cookie",
            created_at=now,
            expires_at=of.created_at + limits.absolute,
        )
    )
    return token


async def claim_refresh_token(session: AsyncSession, token: str) -> AccessTokenRow | None:
    """
    Its row, if it is a refresh token and nobody else is using it at this moment. The claim ends with the transaction.

    It locks no row, so that `revoke_session` may run beside this transaction.
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


async def find_live_session(
    session: AsyncSession, session_id: str, limits: Limits, now: datetime
) -> SessionRow | None:
    """Held until the transaction ends: nobody revokes it meanwhile."""
    return await session.scalar(
        select(SessionRow)
        .where(col(SessionRow.id) == session_id, _live(limits, now))
        .with_for_update(key_share=True)
    )


async def get_session(session: AsyncSession, user_id: str, session_id: str) -> SessionRow:
    """One of this person's, ended ones too; held until the transaction ends. Raises the 404."""
    if not is_uuid(session_id):
        raise not_found()
    row = await session.scalar(
        select(SessionRow)
        .where(col(SessionRow.id) == session_id, col(SessionRow.user_id) == user_id)
        .with_for_update(key_share=True)
    )
    if row is None:
        raise not_found()
    return row


async def list_sessions(
    session: AsyncSession,
    user_id: str,
    *,
    limits: Limits,
    now: datetime,
    limit: int,
    before_id: str | None,
) -> Sequence[SessionRow]:
    """Live ones, newest first, from behind *before_id*; one more than *limit* where there is more."""
    wanted = select(SessionRow).where(col(SessionRow.user_id) == user_id, _live(limits, now))
    if before_id is not None:
        wanted = wanted.where(col(SessionRow.id) < before_id)
    return (
        await session.scalars(wanted.order_by(col(SessionRow.id).desc()).limit(limit + 1))
    ).all()


async def revoke_session(session: AsyncSession, session_id: str, now: datetime) -> None:
    """Nothing of it opens a door any more."""
    await _revoke(session, col(SessionRow.id) == session_id, now)


async def revoke_sessions(
    session: AsyncSession,
    user_id: str,
    now: datetime,
    *,
    account_id: str | None = None,
    but: str | None = None,
) -> int:
    """
    All sessions of a person, or those in one account, or all but one; says how many ended.

    With *account_id* it may run as that tenant.
    """
    wanted = col(SessionRow.user_id) == user_id
    if account_id is not None:
        wanted = and_(wanted, col(SessionRow.account_id) == account_id)
    if but is not None:
        wanted = and_(wanted, col(SessionRow.id) != but)
    return await _revoke(session, wanted, now)


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


def _live(limits: Limits, now: datetime) -> ColumnElement[bool]:
    return and_(
        col(SessionRow.revoked_at).is_(None),
        col(SessionRow.last_used_at) > now - limits.idle,
        col(SessionRow.created_at) > now - limits.absolute,
    )


async def _revoke(session: AsyncSession, which: ColumnElement[bool], now: datetime) -> int:
    """Rows are locked in the order of their ids, so that two may do this at once."""
    held = (
        select(col(SessionRow.id))
        .where(which, col(SessionRow.revoked_at).is_(None))
        .order_by(col(SessionRow.id))
        .with_for_update(key_share=True)
    )
    ids = (await session.scalars(held)).all()
    await session.execute(
        update(SessionRow)
        .where(col(SessionRow.id).in_(ids))
        .values(revoked_at=now)
        .execution_options(synchronize_session=False)
    )
    return len(ids)
