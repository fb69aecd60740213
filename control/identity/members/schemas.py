"""API schemas of members and invitations."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from common.contract.models import Timestamp, WireIn, WireOut
from common.contract.permissions import Role
from control.foundation.wire_types import Limit, Sought
from control.identity.accounts.schemas import AccountPublic
from control.identity.passwords.schemas import NewPassword
from control.identity.users.addresses import Email
from control.identity.users.names import Name

InvitationToken = Annotated[str, Field(min_length=1, max_length=200)]


class MemberCreate(WireIn):
    email: Email
    role: Role


class MemberPatch(WireIn):
    role: Role


MemberStatus = TypeAliasType("MemberStatus", Literal["active", "invited"])


class MemberList(WireIn):
    status: MemberStatus | None = None
    q: Sought | None = Field(
        None, description="Part of the name or the email address, case-insensitive."
    )
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class MemberPublic(WireOut):
    id: str = Field(description="Id of the member, or of the invitation before it was accepted.")
    user_id: str | None = Field(
        description="Id of the person, as in the audit log and `created_by`; null while invited."
    )
    email: str
    name: str | None = Field(description="Name of the person; null while invited.")
    role: Role
    status: str = Field(description="Status: `active` or `invited`.")
    invited_by: str | None = Field(
        description="`user_id` of the inviter; null for the account's creator."
    )
    expires_at: Timestamp | None = Field(description="Expiry of the invitation; null for members.")
    last_active_at: Timestamp | None = Field(
        description="Last activity, to the minute; null while invited, or without a session on record."
    )
    second_factor: bool = Field(description="Whether the member needs a second factor to sign in.")
    version: int
    created_at: Timestamp = Field(description="When the person joined or was invited.")
    updated_at: Timestamp


class InvitationAccept(WireIn):
    token: InvitationToken = Field(description="The token from the link in the email.")
    name: Name | None = Field(None, description="Your name, if you are a new user.")
    password: NewPassword | None = Field(
        None, description="A new password if you are a new user, else your current one."
    )


class InvitationAccepted(WireOut):
    account: AccountPublic
    member: MemberPublic
