"""Keys on the wire. A secret or integration key's text is shown once; a publishable one's again in lists."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from common.contract.models import Timestamp, WireIn, WireOut
from common.contract.permissions import SCOPES
from common.environment import Environment
from common.keys import KeyKind
from control.fields import Distinct, Id, Limit, Name


def _scope(value: str) -> str:
    if value not in SCOPES:
        raise PydanticCustomError(
            "scope_unknown", "Scopes are {known}.", {"known": ", ".join(SCOPES)}
        )
    return value


Scopes = Annotated[
    list[Annotated[str, AfterValidator(_scope), Field(json_schema_extra={"enum": list(SCOPES)})]],
    Field(min_length=1),
    Distinct,
]


class SdkKeyCreate(WireIn):
    property_id: Id
    kind: Literal[KeyKind.PUBLISHABLE, KeyKind.SECRET]
    environment: Environment
    name: Name


class IntegrationKeyCreate(WireIn):
    property_id: Id
    environment: Environment
    name: Name
    scopes: Scopes


class KeyList(WireIn):
    property_id: Id | None = None
    environment: Environment | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class KeyStatus(StrEnum):
    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


class _Key(WireOut):
    id: str
    property_id: str
    kind: KeyKind
    environment: Environment
    is_test: bool
    name: str
    last4: str
    created_by: str = Field(description="The user who made it.")
    created_at: Timestamp
    last_used_at: Timestamp | None
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    status: KeyStatus


class SdkKeyPublic(_Key):
    key: str | None = Field(description="The text of a publishable key; null for secret keys.")
    previous_key_id: str | None = Field(description="The key it replaced by rotation.")


class SdkKeyCreated(_Key):
    key: str = Field(description="The key's text. A secret key's is never shown again.")
    previous_key_id: str | None


class IntegrationKeyPublic(_Key):
    scopes: list[str]


class IntegrationKeyCreated(IntegrationKeyPublic):
    key: str = Field(description="The key's text, never shown again.")
