"""API schemas of verification: what to publish, what was found, and what to do next."""

from pydantic import Field

from common.contract.models import WireIn, WireOut
from common.values.enums import PropertyStatus
from control.inventory.domain_verification.check_result import Problem
from control.inventory.domain_verification.verification_state import Method
from control.inventory.properties.schemas import PropertyPublic


class VerificationStart(WireIn):
    method: Method = Field(description="`dns`: a TXT record; `html_tag`: a tag in the front page.")


class RecordPublic(WireOut):
    type: str
    name: str
    value: str


class VerificationStarted(WireOut):
    """One of ``record`` and ``tag`` is there."""

    method: Method
    token: str = Field(description="The same until another method or domain is asked for.")
    record: RecordPublic | None = Field(description="Of `dns`: the record to publish.")
    tag: str | None = Field(description="Of `html_tag`: the tag to publish, whole.")
    where: str = Field(description="Where it has to stand, in words.")


class SightingPublic(WireOut):
    source: str = Field(description="The name server's address, or the page's after redirects.")
    outcome: str = Field(
        description=(
            "Of a name server: `found`, `no_record`, `no_such_name`, `failed`, `timed_out`. Of a page: `fetched`, or "
            "why it was not."
        )
    )
    values: list[str] = Field(description="TXT values, or the contents of verification tags.")
    status: int | None = Field(description="The page's HTTP status.")
    redirects: list[str] = Field(description="Addresses that led on to the page.")


class VerificationResult(WireOut):
    verified: bool = Field(
        description="Whether this check proved it; `property.status` is what holds now."
    )
    status: PropertyStatus
    saw: list[SightingPublic]
    problem: Problem | None = Field(description="Null where it was proven.")
    message: str = Field(description="What was found, in words.")
    next: str = Field(description="What to do next.")
    property: PropertyPublic
