"""API schemas of a rotation. The secret itself is never shown."""

from pydantic import Field

from common.contract.models import Timestamp, WireOut


class SecretRotation(WireOut):
    property_id: str
    kid: int = Field(description="Number of the new secret.")
    state: str = Field(
        description="`verify`: edges start to accept the new secret; it signs once all have acknowledged it."
    )
    signs_at: Timestamp = Field(
        description="Latest time at which it starts to sign; usually within seconds."
    )
    replaces_kid: int = Field(
        description=(
            "Number of the secret in use until then. Tokens signed with it count until they expire, and their clicks "
            "keep redirecting."
        )
    )
    created_at: Timestamp
