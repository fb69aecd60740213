"""Converts table rows of members and invitations to their API form."""

from control.foundation.resource_models import from_row
from control.identity.members.queries import Member
from control.identity.members.schemas import MemberPublic
from control.storage.tables.accounts import MembershipRow


def to_public(member: Member) -> MemberPublic:
    row = member.row
    return from_row(
        MemberPublic,
        row,
        user_id=row.user_id if isinstance(row, MembershipRow) else None,
        email=member.email,
        name=member.name,
        status="active" if isinstance(row, MembershipRow) else "invited",
        expires_at=None if isinstance(row, MembershipRow) else row.expires_at,
        last_active_at=member.last_active_at,
        second_factor=member.second_factor,
    )
