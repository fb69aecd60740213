"""API schemas of sign-in and sessions: the two grants, and the tokens and sessions that they create."""

from typing import Annotated, Literal

from pydantic import Field, RootModel, ValidationInfo, field_validator

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.values.messages import Message
from control.foundation.wire_types import Id, Limit

_MAX_CHARS = 1024


class PasswordGrant(WireIn):
    grant_type: Literal["password"]
    username: str | None = Field(
        None, max_length=_MAX_CHARS, description="Same as `email`, under its OAuth 2.0 name."
    )
    email: str | None = Field(None, max_length=_MAX_CHARS, validate_default=True)
    password: str = Field(max_length=_MAX_CHARS)
    otp: str | None = Field(
        None,
        max_length=64,
        description="Required with a second factor: a code from the authenticator app, or a recovery code.",
    )
    account_id: Id | None = Field(
        None,
        description="Account to sign in to. Default: the account you joined first, of those that are not suspended.",
    )

    @field_validator("email")
    @classmethod
    def _names_one_person(cls, email: str | None, info: ValidationInfo) -> str | None:
        """*info* holds only fields that come before this one and are valid."""
        if "username" not in info.data:
            return email
        username = info.data["username"]
        if email is None and username is None:
            raise field_error("required", Message("Send `email` or `username`."))
        if email is not None and username is not None:
            raise field_error("required", Message("Send either `email` or `username`, not both."))
        return email

    @property
    def address(self) -> str:
        return self.email or self.username or ""


class RefreshGrant(WireIn):
    grant_type: Literal["refresh_token"]
    refresh_token: str = Field(max_length=_MAX_CHARS)


class TokenRequest(
    RootModel[Annotated[PasswordGrant | RefreshGrant, Field(discriminator="grant_type")]]
):
    """One of the two grant types."""


class TokenAnswer(WireOut):
    access_token: str
    token_type: Literal["Bearer"] = "Bearer"
    expires_in: int = Field(description="Lifetime of the access token in seconds.")
    refresh_token: str = Field(description="Refresh token; works once and returns a new one.")


class SessionList(WireIn):
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class SessionPublic(WireOut):
    id: str
    account_id: str = Field(description="Account that the session is for.")
    created_at: Timestamp
    last_used_at: Timestamp = Field(description="Last use, up to a minute behind.")
    expires_at: Timestamp = Field(description="Expiry, unless the session is used again.")
    revoked_at: Timestamp | None
    origin: str = Field(description="IP address at sign-in; empty if not recorded.")
    agent: str | None = Field(description="Browser or program at sign-in.")
    is_current: bool = Field(description="Whether this is the session of this request.")


class Revoked(WireOut):
    revoked: int = Field(description="Number of sessions ended.")
