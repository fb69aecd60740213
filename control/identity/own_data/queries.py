"""Database queries for a user's own data, in all accounts. They run as the service."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.contract.permissions import Role
from common.service.secrets import KeyRing
from common.values.clock import to_iso
from control.api.mail.outbox import discard_mails
from control.identity.members.queries import hold_members, withdraw_invitations
from control.storage.tables.accounts import AccountRow, MembershipRow, UserRow
from control.storage.tables.people import (
    KnownOriginRow,
    MailedTokenRow,
    RecoveryCodeRow,
    SecondFactorRow,
)
from control.storage.tables.sessions import SessionRow

_CLOSED = "closed"

_PARTS: dict[str, str] = {
    "user": (
        "select id, email, name, language, created_at, email_verified_at, mails_off,"
        " mails_monthly from users"
        " where id = :user"
    ),
    "memberships": (
        "select m.account_id, a.name as account_name, m.role, m.created_at as joined_at from memberships m"
        " join accounts a on a.id = m.account_id where m.user_id = :user order by m.created_at"
    ),
    "invitations_sent": (
        "select account_id, email, role, created_at, expires_at from invitations where invited_by = :user"
        " order by id"
    ),
    "sessions": (
        "select id, account_id, created_at, last_used_at, origin, agent, revoked_at from sessions"
        " where user_id = :user order by id"
    ),
    "known_networks": (
        "select network, seen_at from known_origins where user_id = :user order by seen_at"
    ),
    "second_factor": ("select created_at, confirmed_at from second_factors where user_id = :user"),
    "keys_created": (
        "select id, account_id, kind, environment, name, last4, created_at, revoked_at from keys"
        " where created_by = :user order by id"
    ),
    "saved_views": (
        "select id, account_id, environment, name, question, owner_id is null as is_shared, created_at"
        " from report_views where created_by = :user order by id"
    ),
    "privacy_requests": (
        "select id, account_id, kind, status, created_at, done_at from privacy_requests"
        " where requested_by = :user order by id"
    ),
    "audit_lines": (
        "select account_id, at, action, object_type, object_id, origin, environment, detail from audit_log"
        " where actor = :actor order by id desc limit 10000"
    ),
}


async def read_own_data(session: AsyncSession, user_id: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of each part of the export, by the name of the part; instants as the API writes them."""
    values = {"user": user_id, "actor": f"user:{user_id}"}
    return {
        name: [_on_wire(row) for row in (await session.execute(text(sql), values)).mappings()]
        for name, sql in _PARTS.items()
    }


def _on_wire(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        name: to_iso(value) if isinstance(value, datetime) else value for name, value in row.items()
    }


async def list_accounts_without_other_owner(
    session: AsyncSession, user_id: str
) -> Sequence[AccountRow]:
    """
    The open accounts whose only owner is the user, in the order of ids.

    Locks the members of all their accounts until the transaction ends, in the order of ids.
    """
    mine = select(col(MembershipRow.account_id)).where(col(MembershipRow.user_id) == user_id)
    for account_id in (await session.scalars(mine.order_by(col(MembershipRow.account_id)))).all():
        await hold_members(session, account_id)
    owners = (
        select(col(MembershipRow.account_id))
        .where(col(MembershipRow.role) == Role.OWNER.value)
        .group_by(col(MembershipRow.account_id))
        .having(func.count() == 1, func.max(col(MembershipRow.user_id)) == user_id)
    )
    wanted = select(AccountRow).where(
        col(AccountRow.id).in_(owners.where(col(MembershipRow.account_id).in_(mine))),
        col(AccountRow.state_reason).is_distinct_from(_CLOSED),
    )
    return (await session.scalars(wanted.order_by(col(AccountRow.id)))).all()


async def delete_user(session: AsyncSession, user_id: str, keys: KeyRing, now: datetime) -> None:
    """
    End the user's memberships and sessions, and delete what is stored about them and the mails not sent to them yet.

    The row of the user remains, without name and address, because keys, requests and audit lines refer to its id.
    """
    memberships = await session.scalars(
        select(MembershipRow).where(col(MembershipRow.user_id) == user_id)
    )
    for row in memberships.all():
        await withdraw_invitations(session, row.account_id, user_id, None)
        await session.delete(row)
    for table in (SessionRow, KnownOriginRow, MailedTokenRow, RecoveryCodeRow, SecondFactorRow):
        await session.execute(delete(table).where(col(table.user_id) == user_id))
    user = await session.get_one(UserRow, user_id, with_for_update={"key_share": True})
    await discard_mails(session, user.email, keys)
    user.email = f"{user_id}@deleted.invalid"
    user.name = "Deleted user"
    user.password_hash = ""
    user.email_verified_at = None
    user.mails_off = []
    user.mails_monthly = []
    user.language = None
    user.deleted_at = now


async def set_mails(
    session: AsyncSession, user_id: str, off: Sequence[str], monthly: Sequence[str] | None
) -> UserRow:
    """*monthly*: None leaves it as it is."""
    user = await session.get_one(UserRow, user_id)
    user.mails_off = list(off)
    if monthly is not None:
        user.mails_monthly = list(monthly)
    return user
