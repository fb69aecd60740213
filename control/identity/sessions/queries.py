"""Database queries for sessions and their tokens. Tokens are made in pairs and end with their session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.enums import AccountState
from common.values.errors import not_found
from common.values.ids import is_uuid, new_id
from control.api.authentication import (
    ACCESS_PREFIX,
    COOKIE_PREFIX,
    REFRESH_PREFIX,
    new_token,
    token_hash,
)
from control.api.listing import newest_first
from control.api.session_limits import Limits
from control.storage.tables.accounts import AccountRow, MembershipRow
from control.storage.tables.sessions import AccessTokenRow, SessionRow


@dataclass(frozen=True, slots=True)
class Tokens:
    """The texts of a token pair. Only their hashes are stored."""

    access: str
    refresh: str


async def find_account_of(
    session: AsyncSession, user_id: str, account_id: str | None = None
) -> AccountRow | None:
    """
    The account to sign in to: *account_id* if the user is a member there.

    By default their oldest membership, of accounts that are not suspended if there are any.
    """
    wanted = (
        select(AccountRow)
        .join(MembershipRow, col(MembershipRow.account_id) == col(AccountRow.id))
        .where(col(MembershipRow.user_id) == user_id)
        .order_by(
            col(AccountRow.state) == AccountState.SUSPENDED.value,
            col(MembershipRow.created_at),
            col(AccountRow.id),
        )
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
    """Add a new token pair to the session *of*, used *now*."""
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
    """Add a browser's token to the session *of*; it is valid as long as the session."""
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
    Claim a refresh token and return its row; None if it is unknown or another transaction is using it.

    The claim ends with the transaction. It locks no row, so `revoke_session` can run concurrently.
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
    """The session, if it is live. Locked until the transaction ends, so that it is not revoked meanwhile."""
    return await session.scalar(
        select(SessionRow)
        .where(col(SessionRow.id) == session_id, _live(limits, now))
        .with_for_update(key_share=True)
    )


async def get_session(session: AsyncSession, user_id: str, session_id: str) -> SessionRow:
    """A session of this user, even an ended one, locked until the transaction ends. Raises 404 `not_found`."""
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
    """Live sessions with ids below *before_id*, newest first. Returns one more than *limit* if there are more."""
    wanted = wanted_sessions(user_id, limits, now)
    return await newest_first(session, wanted, col(SessionRow.id), limit, before_id)


def wanted_sessions(user_id: str, limits: Limits, now: datetime) -> Select[SessionRow]:
    """The list without its order, cursor and limit."""
    return select(SessionRow).where(col(SessionRow.user_id) == user_id, _live(limits, now))


async def revoke_session(session: AsyncSession, session_id: str, now: datetime) -> None:
    """End the session: its tokens become invalid."""
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
    End all sessions of a user, or only those in one account, or all except *but*. Returns how many ended.

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
    Revoke a member's access tokens. Their refresh token gets a new one, with the role of that moment.

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
    """Rows are locked in the order of their ids, so that concurrent calls cannot deadlock."""
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
