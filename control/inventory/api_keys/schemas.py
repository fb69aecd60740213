"""API schemas of keys. A secret or integration key's text is shown once; a publishable key's text also in lists."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from typing_extensions import TypeAliasType

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.contract.permissions import SCOPES
from common.values.environment import Environment
from common.values.keys import KeyKind
from common.values.messages import Message
from control.api.key_status import KeyStatus
from control.foundation.wire_types import Distinct, Id, Instant, Limit, Name, unchanged


def _scope(value: str) -> str:
    if value not in SCOPES:
        raise field_error(
            "scope_unknown",
            Message("Must be one of these scopes: {known}.", known=", ".join(SCOPES)),
        )
    return value


Scopes = Annotated[
    list[Annotated[str, AfterValidator(_scope), Field(json_schema_extra={"enum": list(SCOPES)})]],
    Field(min_length=1),
    Distinct,
]


class KeyBlock(StrEnum):
    """What keeps an active key from working now, though nothing is wrong with the key itself."""

    ADDRESS_UNVERIFIED = "address_unverified"
    PROPERTY_UNVERIFIED = "property_unverified"
    PROPERTY_SUSPENDED = "property_suspended"


_EXPIRES_AT = (
    "When calls with the key begin to answer `key_revoked`: in the future, at most five years ahead. "
    "Null: it does not end by itself."
)

SdkKeyKind = TypeAliasType("SdkKeyKind", Literal[KeyKind.PUBLISHABLE, KeyKind.SECRET])


class SdkKeyCreate(WireIn):
    property_id: Id = Field(description="The property that the key is for.")
    kind: SdkKeyKind
    environment: Environment
    name: Name = Field(description="Yours: where the key is used.")
    expires_at: Instant | None = Field(None, description=_EXPIRES_AT)


class IntegrationKeyCreate(WireIn):
    property_id: Id = Field(description="The property that the key is for.")
    environment: Environment
    name: Name = Field(description="Yours: which system uses the key.")
    scopes: Scopes = Field(description="What it may do, of what you may do yourself.")
    expires_at: Instant | None = Field(None, description=_EXPIRES_AT)


class KeyPatch(WireIn):
    name: Name = unchanged(description="Yours: where the key is used.")
    expires_at: Instant | None = unchanged(description=_EXPIRES_AT)


class KeyList(WireIn):
    property_id: Id | None = Field(None, description="Only keys of this property.")
    environment: Environment | None = Field(None, description="Only keys of this environment.")
    status: KeyStatus | None = Field(None, description="Only keys in this state.")
    limit: Limit = Field(20, description="How many keys a page holds at most.")
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class SdkKeyList(KeyList):
    kind: SdkKeyKind | None = Field(None, description="Only keys of this kind.")


class _Key(WireOut):
    id: str
    property_id: str
    kind: KeyKind
    environment: Environment
    is_test: bool = Field(description="Whether `environment` is `test`.")
    name: str
    last4: str = Field(description="The last four characters of its text.")
    created_by: str = Field(description="The user who made it.")
    created_at: Timestamp
    last_used_at: Timestamp | None = Field(
        description="On the control plane or an edge, to about two minutes; null where it was never used."
    )
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    status: KeyStatus
    previous_key_id: str | None = Field(description="The key it replaced by rotation.")
    rotation_due: bool = Field(
        description="A secret or integration key that works and is older than 90 days: replace it."
    )
    version: int = Field(description="Send it in `If-Match` to change the key.")


class SdkKeyPublic(_Key):
    key: str | None = Field(description="The text of a publishable key; null for secret keys.")
    blocked_by: KeyBlock | None = Field(
        description="Why edges serve nothing to this key now: a live key needs a verified property."
    )


class SdkKeyCreated(SdkKeyPublic):
    key: str = Field(description="The key's text. A secret key's is never shown again.")


class IntegrationKeyPublic(_Key):
    scopes: list[str] = Field(description="As chosen; what its creator may do limits them further.")


class IntegrationKeyCreated(IntegrationKeyPublic):
    key: str = Field(description="The key's text, never shown again.")
