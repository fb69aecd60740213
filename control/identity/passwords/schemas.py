"""API schemas of passwords. They occur only in requests."""

from typing import Annotated

from pydantic import Field

from common.contract.models import WireIn
from control.identity.users.addresses import Email
from control.identity.users.email_tokens import TOKEN_CHARS

NewPassword = Annotated[
    str,
    Field(
        min_length=12, max_length=256, description="Any characters, except very common passwords."
    ),
]
_GivenPassword = Annotated[str, Field(max_length=1024)]


class PasswordChange(WireIn):
    current_password: _GivenPassword
    new_password: NewPassword


class PasswordReset(WireIn):
    email: Email


class PasswordResetConfirm(WireIn):
    token: str = Field(max_length=TOKEN_CHARS, description="The token from the link in the email.")
    new_password: NewPassword
