"""API schemas of the second factor. Its secret and the recovery codes are shown once."""

from pydantic import Field

from common.contract.models import WireIn, WireOut

_MAX_CHARS = 64


class SecondFactorCreate(WireIn):
    password: str = Field(
        max_length=1024,
        description="Your password, so that a stolen token alone cannot lock you out.",
    )


class SecondFactorCreated(WireOut):
    secret: str = Field(
        description="The secret in Base32, for an authenticator app. Shown only once."
    )
    otpauth_url: str = Field(description="The secret as a URL for a link or QR code.")


class SecondFactorConfirm(WireIn):
    code: str = Field(max_length=_MAX_CHARS, description="Current code of the authenticator app.")


class RecoveryCodes(WireOut):
    recovery_codes: list[str] = Field(
        description="Each code signs you in once without the app. Shown only once."
    )


class SecondFactorDisable(WireIn):
    password: str = Field(max_length=1024)
    code: str = Field(
        max_length=_MAX_CHARS, description="Code from the authenticator app, or a recovery code."
    )
