"""API schemas of verification: what to publish, what was found, and what to do next."""

from pydantic import Field

from common.contract.models import WireIn, WireOut
from common.values.enums import PropertyStatus
from control.inventory.domain_verification.check_result import Problem
from control.inventory.domain_verification.verification_state import Method
from control.inventory.properties.schemas import PropertyPublic


class VerificationStart(WireIn):
    method: Method = Field(description="`dns`: a TXT record. `html_tag`: a tag in the front page.")


class RecordPublic(WireOut):
    type: str
    name: str
    value: str


class VerificationStarted(WireOut):
    """Exactly one of ``record`` and ``tag`` is present."""

    method: Method
    token: str = Field(
        description="Token to publish; it stays the same until you request another method or domain."
    )
    record: RecordPublic | None = Field(description="For `dns`: the record to publish.")
    tag: str | None = Field(description="For `html_tag`: the complete tag to publish.")
    where: str = Field(description="Where to publish it, as text.")


class SightingPublic(WireOut):
    source: str = Field(description="Address of the name server, or of the page after redirects.")
    outcome: str = Field(
        description=(
            "For a name server: `found`, `no_record`, `no_such_name`, `failed`, `timed_out`. For a page: `fetched`, "
            "or why it was not."
        )
    )
    values: list[str] = Field(description="TXT values, or the contents of verification tags.")
    status: int | None = Field(description="HTTP status of the page.")
    redirects: list[str] = Field(description="Redirects on the way to the page.")


class VerificationResult(WireOut):
    verified: bool = Field(
        description="Whether this check found the proof; `property.status` is the resulting status."
    )
    status: PropertyStatus
    saw: list[SightingPublic]
    problem: Problem | None = Field(description="Why the check failed; null if it succeeded.")
    message: str = Field(description="What was found, as text.")
    next: str = Field(description="What to do next.")
    property: PropertyPublic
