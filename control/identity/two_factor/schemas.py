"""API schemas of the second factor. Its secret and the recovery codes are shown once."""

from pydantic import Field

from common.contract.models import WireIn, WireOut

_MAX_CHARS = 64


class SecondFactorCreate(WireIn):
    password: str = Field(
        max_length=1024, description="Yours: a stolen token alone must not lock you out."
    )


class SecondFactorCreated(WireOut):
    secret: str = Field(description="Base32, for an authenticator app. Shown once.")
    otpauth_url: str = Field(description="The same as a link or QR code carries it.")


class SecondFactorConfirm(WireIn):
    code: str = Field(max_length=_MAX_CHARS, description="What the authenticator app shows now.")


class RecoveryCodes(WireOut):
    recovery_codes: list[str] = Field(
        description="Each good for one sign-in without the app. Shown once."
    )


class SecondFactorDisable(WireIn):
    password: str = Field(max_length=1024)
    code: str = Field(
        max_length=_MAX_CHARS, description="A code of the authenticator app, or a recovery code."
    )
