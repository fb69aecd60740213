"""API schemas of sign-in and sessions: the two grants, and the tokens and sessions that they create."""

from typing import Annotated, Literal, Self

from pydantic import Field, RootModel, model_validator

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.values.messages import Message
from control.foundation.wire_types import Id, Limit

_MAX_CHARS = 1024


class PasswordGrant(WireIn):
    grant_type: Literal["password"]
    email: str | None = Field(None, max_length=_MAX_CHARS)
    username: str | None = Field(
        None, max_length=_MAX_CHARS, description="The same as `email`, as OAuth 2.0 names it."
    )
    password: str = Field(max_length=_MAX_CHARS)
    otp: str | None = Field(
        None,
        max_length=64,
        description="Where a second factor is set: a code of the authenticator app, or a recovery code.",
    )
    account_id: Id | None = Field(
        None,
        description="Which account to sign in to; without it the one you have been in longest.",
    )

    @property
    def address(self) -> str:
        return self.email or self.username or ""


class RefreshGrant(WireIn):
    grant_type: Literal["refresh_token"]
    refresh_token: str = Field(max_length=_MAX_CHARS)


class TokenRequest(
    RootModel[Annotated[PasswordGrant | RefreshGrant, Field(discriminator="grant_type")]]
):
    """One of the two grants."""

    @model_validator(mode="after")
    def _names_one_person(self) -> Self:
        """Checked here and not in the grant, where the error would name the grant instead of the field."""
        grant = self.root
        if isinstance(grant, PasswordGrant) and (grant.email is None) == (grant.username is None):
            raise field_error("required", Message("Send either `email` or `username`, not both."))
        return self


class TokenAnswer(WireOut):
    access_token: str
    token_type: Literal["Bearer"] = "Bearer"
    expires_in: int = Field(description="Seconds the access token is good for.")
    refresh_token: str = Field(description="Good for one use; it brings a new one.")


class SessionList(WireIn):
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class SessionPublic(WireOut):
    id: str
    account_id: str = Field(description="The account that was signed in to.")
    created_at: Timestamp
    last_used_at: Timestamp = Field(description="Up to a minute behind.")
    expires_at: Timestamp = Field(description="When it ends unless it is used again.")
    revoked_at: Timestamp | None
    origin: str = Field(description="The address that signed in; empty where it was not noted.")
    agent: str | None = Field(description="The family of the program that signed in.")
    is_current: bool = Field(description="The session of this very call.")


class Revoked(WireOut):
    revoked: int = Field(description="How many sessions ended.")
