"""API schemas of the caller: all it needs to find out why a call failed."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.contract.operation import Auth
from common.contract.permissions import Permission, Role
from common.values.enums import PropertyStatus
from common.values.environment import Environment
from common.values.keys import KeyKind
from control.foundation.languages import Language
from control.foundation.wire_types import unchanged
from control.identity.accounts.schemas import AccountPublic
from control.identity.users.names import Name


class MeUser(WireOut):
    id: str
    email: str
    name: str
    email_verified: bool = Field(description="Whether the email address is verified.")
    language: Language | None = Field(
        description="Language of the mails to the user; null: English."
    )


class MeKey(WireOut):
    id: str
    kind: KeyKind
    name: str
    last4: str
    environment: Environment
    created_by: str = Field(description="Id of the user the key acts for.")
    creator_is_member: bool = Field(
        description="False: the user has left the account, and the key has no permissions."
    )
    created_at: Timestamp
    last_used_at: Timestamp | None = Field(
        description="Last use before this request, accurate to about a minute; null on first use."
    )
    expires_at: Timestamp | None = Field(description="Expiry; null: does not expire.")
    rotation_due: bool = Field(
        description="Whether the key is older than 90 days and should be replaced."
    )


class MeProperty(WireOut):
    id: str
    name: str
    domain: str | None
    status: PropertyStatus


class LostScope(WireOut):
    scope: Permission
    reason: str = Field(description="Why the key cannot use the scope, and what to do.")


class BlockCode(StrEnum):
    ADDRESS_UNVERIFIED = "address_unverified"
    PROPERTY_UNVERIFIED = "property_unverified"
    PROPERTY_SUSPENDED = "property_suspended"
    ACCOUNT_STOPPED = "account_stopped"
    PAYMENT_OVERDUE = "payment_overdue"


class Block(WireOut):
    """A condition that applies although the credential is valid."""

    code: BlockCode
    message: str = Field(description="What does not work, and what to do.")


class RateLimitPublic(WireOut):
    calls_per_second: int = Field(description="Sustained rate in requests per second.")
    burst: int = Field(description="Maximum burst.")
    left: int = Field(description="Requests left in the current burst.")


class MePublic(WireOut):
    credential: Auth = Field(description="The credential used for this request.")
    account: AccountPublic
    is_operator: bool
    user: MeUser | None = Field(
        description="The signed-in user, or the key's creator if still a member."
    )
    role: Role | None = Field(description="The user's role now.")
    permissions: list[Permission] = Field(description="Permissions that this credential has now.")
    scopes: list[Permission] | None = Field(description="Scopes of the integration key, as chosen.")
    lost_scopes: list[LostScope] = Field(
        description="Scopes that the key cannot use any more: `permission_lost`."
    )
    environment: Environment | None = Field(
        description="Environment of the key; null for a signed-in user."
    )
    property_id: str | None = Field(description="Property of the key; null for a signed-in user.")
    property: MeProperty | None = Field(
        description="Property of the key; null for a signed-in user."
    )
    key: MeKey | None
    keys_to_rotate: int = Field(
        description=(
            "Active secret and integration keys older than 90 days: of the account, or of the key's own property."
        )
    )
    blocks: list[Block] = Field(description="What blocks this caller; empty if nothing does.")
    rate_limit: RateLimitPublic
    server_time: Timestamp = Field(
        description="Server time of the response, to compare with your clock."
    )
    snapshot_version: int = Field(
        description="Version of the newest snapshot. Every change relevant to edges increases it."
    )


class MePatch(WireIn):
    name: Name = unchanged(description="Your display name for other members.")
    language: Language | None = unchanged(
        description="Language of the mails to you; null: English. The dashboard's choice of language sets it."
    )
