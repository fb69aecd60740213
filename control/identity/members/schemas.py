"""API schemas of members and invitations."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from common.contract.models import Timestamp, WireIn, WireOut
from common.contract.permissions import Role
from control.foundation.wire_types import Limit
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
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class MemberPublic(WireOut):
    id: str = Field(description="The member's in this account, and the invitation's before.")
    user_id: str | None = Field(
        description="The person, as the audit log and `created_by` name them; null while invited."
    )
    email: str
    name: str | None = Field(description="Null while invited.")
    role: Role
    status: str = Field(description="`active` or `invited`.")
    invited_by: str | None = Field(description="A `user_id`; null for who made the account.")
    expires_at: Timestamp | None = Field(
        description="Until when an invitation can be accepted; null of members."
    )
    last_active_at: Timestamp | None = Field(
        description="To the minute; null while invited, and without a session that is still kept."
    )
    second_factor: bool = Field(description="Whether one is asked for when they sign in.")
    version: int
    created_at: Timestamp = Field(description="When the person joined, or was invited.")
    updated_at: Timestamp


class InvitationAccept(WireIn):
    token: InvitationToken = Field(description="From the link in the mail.")
    name: Name | None = Field(None, description="Yours, where you are new here.")
    password: NewPassword | None = Field(
        None, description="A new one where you are new here, else your own."
    )


class InvitationAccepted(WireOut):
    account: AccountPublic
    member: MemberPublic
