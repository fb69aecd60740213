"""API schemas of the caller: all it needs to find out why a call failed."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.contract.operation import Auth
from common.contract.permissions import Permission, Role
from common.values.enums import PropertyStatus
from common.values.environment import Environment
from common.values.keys import KeyKind
from control.identity.accounts.schemas import AccountPublic
from control.identity.users.names import Name


class MeUser(WireOut):
    id: str
    email: str
    name: str
    email_verified: bool = Field(description="The address was proved by a mail.")


class MeKey(WireOut):
    id: str
    kind: KeyKind
    name: str
    last4: str
    environment: Environment
    created_by: str = Field(description="The user it acts for.")
    creator_is_member: bool = Field(
        description="False: that user has left the account, and the key may do nothing."
    )
    created_at: Timestamp
    last_used_at: Timestamp | None = Field(
        description="Before now, to about a minute; null at the first use."
    )
    expires_at: Timestamp | None = Field(description="When it ends by itself; null: never.")
    rotation_due: bool = Field(description="The key is older than 90 days: replace it.")


class MeProperty(WireOut):
    id: str
    name: str
    domain: str | None
    status: PropertyStatus


class LostScope(WireOut):
    scope: Permission
    reason: str = Field(description="Why the key cannot use it now, and what to do about it.")


class BlockCode(StrEnum):
    ADDRESS_UNVERIFIED = "address_unverified"
    PROPERTY_UNVERIFIED = "property_unverified"
    PROPERTY_SUSPENDED = "property_suspended"
    ACCOUNT_STOPPED = "account_stopped"
    PAYMENT_OVERDUE = "payment_overdue"


class Block(WireOut):
    """Something that holds although the credential is good."""

    code: BlockCode
    message: str = Field(description="What does not work, and what to do.")


class RateLimitPublic(WireOut):
    calls_per_second: int = Field(description="What may be called for ever.")
    burst: int = Field(description="What may be called at once after a rest.")
    left: int = Field(description="What may be called at once now.")


class MePublic(WireOut):
    credential: Auth = Field(description="What was shown at the door.")
    account: AccountPublic
    is_operator: bool
    user: MeUser | None = Field(
        description="Who signed in, or who made the key and is still a member."
    )
    role: Role | None = Field(description="The user's role now.")
    permissions: list[Permission] = Field(description="What this credential may do at this moment.")
    scopes: list[Permission] | None = Field(description="Of an integration key, as chosen.")
    lost_scopes: list[LostScope] = Field(
        description="Scopes that the key has and cannot use: `permission_lost`."
    )
    environment: Environment | None = Field(description="A key's own; null for a signed-in user.")
    property_id: str | None = Field(description="A key's own; null for a signed-in user.")
    property: MeProperty | None = Field(description="A key's own; null for a signed-in user.")
    key: MeKey | None
    keys_to_rotate: int = Field(
        description="Secret and integration keys that work and are older than 90 days: of the account, or of a key's "
        "own property."
    )
    blocks: list[Block] = Field(description="What holds this caller up; empty when all is well.")
    rate_limit: RateLimitPublic
    server_time: Timestamp = Field(
        description="When this was answered: compare it with your clock."
    )
    snapshot_version: int = Field(
        description="Of the newest state that edges are told; each change that they must know raises it."
    )


class MePatch(WireIn):
    name: Name = Field(description="How the other members see you.")
