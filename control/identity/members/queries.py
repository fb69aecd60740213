"""Database queries for members and open invitations, which form one list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, exists, false, func, literal, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from common.contract.permissions import Role
from common.values.errors import not_found
from common.values.ids import is_uuid
from control.api.listing import contains
from control.foundation.principal import Principal
from control.identity.members.rules import may_still_invite
from control.identity.members.schemas import MemberList
from control.storage.tables.accounts import AccountRow, MembershipRow, UserRow
from control.storage.tables.members import InvitationRow
from control.storage.tables.people import SecondFactorRow
from control.storage.tables.sessions import SessionRow


@dataclass(frozen=True, slots=True)
class Member:
    """A member with their user's data, or an open invitation with its address."""

    row: MembershipRow | InvitationRow
    email: str
    name: str | None
    last_active_at: datetime | None = None
    second_factor: bool = False

    @property
    def id(self) -> str:
        return self.row.id


async def list_members(
    session: AsyncSession, account_id: str, query: MemberList, before_id: str | None
) -> Sequence[Member]:
    """Members with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    listed = wanted_members(account_id, query).subquery()
    wanted = select(listed.c.id).order_by(listed.c.id.desc()).limit(query.limit + 1)
    if before_id is not None:
        wanted = wanted.where(listed.c.id < before_id)
    ids = (await session.scalars(wanted)).all()
    members = await _active(session, account_id, col(MembershipRow.id).in_(ids))
    invited = await _invited(session, account_id, col(InvitationRow.id).in_(ids))
    return sorted((*members, *invited), key=lambda member: member.id, reverse=True)


def wanted_members(account_id: str, query: MemberList) -> SelectOfScalar[str]:
    """The ids of the list, without its order, cursor and limit."""
    sides = {
        "active": select(col(MembershipRow.id))
        .join(UserRow, col(UserRow.id) == col(MembershipRow.user_id))
        .where(
            col(MembershipRow.account_id) == account_id,
            *contains([col(UserRow.name), col(UserRow.email)], query.q),
        ),
        "invited": select(col(InvitationRow.id)).where(
            col(InvitationRow.account_id) == account_id,
            *contains([col(InvitationRow.email)], query.q),
        ),
    }
    if query.status is not None:
        return sides[query.status]
    both = sides["active"].union_all(sides["invited"]).subquery()
    return select(both.c.id)


async def get_member(session: AsyncSession, account_id: str, member_id: str) -> Member:
    """Returns the member or invitation. Raises 404 `not_found` if there is none."""
    if not is_uuid(member_id):
        raise not_found()
    found = [
        *await _active(session, account_id, col(MembershipRow.id) == member_id),
        *await _invited(session, account_id, col(InvitationRow.id) == member_id),
    ]
    if not found:
        raise not_found()
    return found[0]


async def find_role(session: AsyncSession, account_id: str, user_id: str | None) -> Role | None:
    """The user's current role, which may have changed since authentication; None if they are no longer a member."""
    role = await session.scalar(
        select(col(MembershipRow.role)).where(
            col(MembershipRow.account_id) == account_id, col(MembershipRow.user_id) == user_id
        )
    )
    return Role(role) if role else None


async def find_membership(
    session: AsyncSession, account_id: str, user_id: str | None
) -> MembershipRow | None:
    return await session.scalar(
        select(MembershipRow).where(
            col(MembershipRow.account_id) == account_id, col(MembershipRow.user_id) == user_id
        )
    )


async def hold_members(session: AsyncSession, account_id: str) -> None:
    """Lock the account's members until the transaction ends, so that concurrent changes leave it an owner."""
    await session.execute(
        select(col(AccountRow.id))
        .where(col(AccountRow.id) == account_id)
        .with_for_update(key_share=True)
    )


async def count_other_owners(session: AsyncSession, account_id: str, user_id: str) -> int:
    return (
        await session.scalar(
            select(func.count())
            .select_from(MembershipRow)
            .where(
                col(MembershipRow.account_id) == account_id,
                col(MembershipRow.role) == Role.OWNER.value,
                col(MembershipRow.user_id) != user_id,
            )
        )
        or 0
    )


async def is_member(session: AsyncSession, account_id: str, email: str) -> bool:
    found = await session.scalar(
        select(literal(value=True))
        .select_from(MembershipRow)
        .join(UserRow, col(UserRow.id) == col(MembershipRow.user_id))
        .where(col(MembershipRow.account_id) == account_id, col(UserRow.email) == email)
    )
    return bool(found)


async def find_invitation(
    session: AsyncSession, account_id: str, email: str
) -> InvitationRow | None:
    return await session.scalar(
        select(InvitationRow).where(
            col(InvitationRow.account_id) == account_id, col(InvitationRow.email) == email
        )
    )


async def withdraw_invitations(
    session: AsyncSession, account_id: str, user_id: str, role: Role | None
) -> int:
    """Delete the member's open invitations that *role* no longer allows them to make. Returns their number."""
    made = await session.scalars(
        select(InvitationRow).where(
            col(InvitationRow.account_id) == account_id, col(InvitationRow.invited_by) == user_id
        )
    )
    fallen = [row for row in made if not may_still_invite(role, Role(row.role))]
    for row in fallen:
        await session.delete(row)
    return len(fallen)


def members_of(principal: Principal) -> ColumnElement[bool]:
    """Filter of users: the members of the caller's account. For a caller that is a key, no one."""
    if principal.user_id is None:
        return false()
    members = select(col(MembershipRow.user_id)).where(
        col(MembershipRow.account_id) == principal.account_id
    )
    return col(UserRow.id).in_(members)


async def end_all_sessions(session: AsyncSession, account_id: str, now: datetime) -> None:
    """End every session in this account. May run as the tenant."""
    await session.execute(
        update(SessionRow)
        .where(col(SessionRow.account_id) == account_id, col(SessionRow.revoked_at).is_(None))
        .values(revoked_at=now)
    )


async def _active(
    session: AsyncSession, account_id: str, which: ColumnElement[bool]
) -> list[Member]:
    seen = (
        select(func.max(col(SessionRow.last_used_at)))
        .where(
            col(SessionRow.account_id) == account_id,
            col(SessionRow.user_id) == col(MembershipRow.user_id),
        )
        .scalar_subquery()
    )
    factor = exists(col(SecondFactorRow.user_id)).where(
        col(SecondFactorRow.user_id) == col(MembershipRow.user_id),
        col(SecondFactorRow.confirmed_at).is_not(None),
    )
    found = await session.execute(
        select(MembershipRow, UserRow.email, UserRow.name, seen, factor)  # type: ignore[call-overload]  # SQLModel types fields as values
        .join(UserRow, col(UserRow.id) == col(MembershipRow.user_id))
        .where(col(MembershipRow.account_id) == account_id, which)
    )
    return [Member(*columns) for columns in found]


async def _invited(
    session: AsyncSession, account_id: str, which: ColumnElement[bool]
) -> list[Member]:
    found = await session.scalars(
        select(InvitationRow).where(col(InvitationRow.account_id) == account_id, which)
    )
    return [Member(row, row.email, None) for row in found]
