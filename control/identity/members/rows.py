"""Converts table rows of members and invitations to their API form."""

from common.contract.permissions import Role
from control.identity.members.queries import Member
from control.identity.members.schemas import MemberPublic
from control.storage.tables.accounts import MembershipRow


def to_public(member: Member) -> MemberPublic:
    row = member.row
    is_member = isinstance(row, MembershipRow)
    return MemberPublic(
        id=row.id,
        user_id=row.user_id if isinstance(row, MembershipRow) else None,
        email=member.email,
        name=member.name,
        role=Role(row.role),
        status="active" if is_member else "invited",
        invited_by=row.invited_by,
        expires_at=None if isinstance(row, MembershipRow) else row.expires_at,
        last_active_at=member.last_active_at,
        second_factor=member.second_factor,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
