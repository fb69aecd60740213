"""Sign-in on the wire: the two grants, and the tokens they give."""

from typing import Annotated, Literal, Self

from pydantic import Field, RootModel, model_validator
from pydantic_core import PydanticCustomError

from common.contract.models import WireIn, WireOut

_MOST_CHARS = 1024


class PasswordGrant(WireIn):
    grant_type: Literal["password"]
    email: str | None = Field(None, max_length=_MOST_CHARS)
    username: str | None = Field(
        None, max_length=_MOST_CHARS, description="The same as `email`, as OAuth 2.0 names it."
    )
    password: str = Field(max_length=_MOST_CHARS)

    @property
    def address(self) -> str:
        return self.email or self.username or ""


class RefreshGrant(WireIn):
    grant_type: Literal["refresh_token"]
    refresh_token: str = Field(max_length=_MOST_CHARS)


class TokenRequest(
    RootModel[Annotated[PasswordGrant | RefreshGrant, Field(discriminator="grant_type")]]
):
    """One of the two grants."""

    @model_validator(mode="after")
    def _names_one_person(self) -> Self:
        """Here and not in the grant, whose own name would stand for the field."""
        grant = self.root
        if isinstance(grant, PasswordGrant) and (grant.email is None) == (grant.username is None):
            raise PydanticCustomError("required", "Send either `email` or `username`.")
        return self


class TokenAnswer(WireOut):
    access_token: str
    token_type: Literal["Bearer"] = "Bearer"
    expires_in: int = Field(description="Seconds the access token is good for.")
    refresh_token: str = Field(description="Good for one use; it brings a new one.")
