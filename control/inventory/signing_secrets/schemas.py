"""API schemas of a rotation. The secret itself is never shown."""

from pydantic import Field

from common.contract.models import Timestamp, WireOut


class SecretRotation(WireOut):
    property_id: str
    kid: int = Field(description="The new secret's number.")
    state: str = Field(
        description="`verify`: every edge learns to accept it; it signs when all have acknowledged it."
    )
    signs_at: Timestamp = Field(
        description="When it takes over at the latest; within seconds as a rule."
    )
    replaces_kid: int = Field(
        description="The secret that signs until then. What it signed keeps counting and redirecting in its time."
    )
    created_at: Timestamp
