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
from control.foundation.wire_types import Distinct, Id, Instant, Limit, Name, Sought, unchanged


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
    """Why an active key does not work now, although the key itself is valid."""

    ADDRESS_UNVERIFIED = "address_unverified"
    PROPERTY_UNVERIFIED = "property_unverified"
    PROPERTY_SUSPENDED = "property_suspended"


_EXPIRES_AT = (
    "Expiry, from which on requests with the key return `key_revoked`: in the future, at most five years ahead. Null: "
    "does not expire."
)

SdkKeyKind = TypeAliasType("SdkKeyKind", Literal[KeyKind.PUBLISHABLE, KeyKind.SECRET])


class SdkKeyCreate(WireIn):
    property_id: Id = Field(description="Property that the key belongs to.")
    kind: SdkKeyKind
    environment: Environment
    name: Name = Field(description="Name of the key, such as where it is used.")
    expires_at: Instant | None = Field(None, description=_EXPIRES_AT)


class IntegrationKeyCreate(WireIn):
    property_id: Id = Field(description="Property that the key belongs to.")
    environment: Environment
    name: Name = Field(description="Name of the key, such as the system that uses it.")
    scopes: Scopes = Field(description="Scopes of the key; each needs that permission of yours.")
    expires_at: Instant | None = Field(None, description=_EXPIRES_AT)


class KeyPatch(WireIn):
    name: Name = unchanged(description="Name of the key, such as where it is used.")
    expires_at: Instant | None = unchanged(description=_EXPIRES_AT)


class KeyList(WireIn):
    property_id: Id | None = Field(None, description="Only keys of this property.")
    environment: Environment | None = Field(None, description="Only keys of this environment.")
    status: KeyStatus | None = Field(None, description="Only keys in this state.")
    q: Sought | None = None
    limit: Limit = Field(20, description="Maximum number of keys on the page.")
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class SdkKeyList(KeyList):
    kind: SdkKeyKind | None = Field(None, description="Only keys of this kind.")


class _Key(WireOut):
    id: str
    property_id: str
    kind: KeyKind
    environment: Environment
    is_test: bool = Field(description="Whether `environment` is `test`.")
    name: str
    last4: str = Field(description="Last four characters of the key's text.")
    created_by: str = Field(description="Id of the user who created it.")
    created_at: Timestamp
    last_used_at: Timestamp | None = Field(
        description="Last use, on the control plane or an edge, accurate to about two minutes; null if never used."
    )
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    status: KeyStatus
    previous_key_id: str | None = Field(description="Id of the key that it replaced by rotation.")
    rotation_due: bool = Field(
        description="Whether the key is an active secret or integration key older than 90 days, and should be replaced."
    )
    version: int = Field(description="Version of the object, to send in `If-Match`.")


class SdkKeyPublic(_Key):
    key: str | None = Field(description="Text of a publishable key; null for secret keys.")
    blocked_by: KeyBlock | None = Field(
        description="Why edges serve nothing to this key now: a live key needs a verified property."
    )


class SdkKeyCreated(SdkKeyPublic):
    key: str = Field(description="Text of the key. The text of a secret key is never shown again.")


class IntegrationKeyPublic(_Key):
    scopes: list[str] = Field(
        description="The scopes as chosen; the creator's permissions limit them further."
    )


class IntegrationKeyCreated(IntegrationKeyPublic):
    key: str = Field(description="Text of the key. It is never shown again.")
