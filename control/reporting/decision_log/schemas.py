"""The request to explain a decision, and its response, on the wire."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.decision.rules.outcome import NoFillReason
from common.values.enums import (
    Format,
    Priority,
    Source,
    Surface,
)
from common.values.environment import Environment
from common.values.ids import canonical_id
from common.values.messages import Message
from control.demand.campaigns.targeting import AskedSignals
from control.foundation.public_suffixes import registrable_domain
from control.foundation.wire_types import Distinct, Host, Id, Instant, Plain, WireMessage

SlotText = Annotated[
    str, StringConstraints(min_length=1, max_length=64), Plain, AfterValidator(canonical_id)
]
AdvertiserDomain = Annotated[Host, AfterValidator(registrable_domain)]
Side = Annotated[int, Field(strict=True, ge=1, le=10_000)]
_MAX_VERSION = 2**53 - 1
"""The largest whole number that every JSON parser reads exactly; it fits a column of 64 bits."""
Seed = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class _AskedSlot(WireIn):
    slot: SlotText = Field(description="The slot's id, or its key together with `property_id`.")
    property_id: Id | None = Field(
        None,
        description="Default for an integration key: its own property. Signed-in users need it if `slot` is a key.",
    )
    environment: Environment | None = Field(
        None,
        description="Required for signed-in users. An integration key always uses its own environment.",
    )
    format: Format | None = None
    w: Side | None = Field(None, description="Available width and height in pixels.")
    h: Side | None = Field(None, description="Available width and height in pixels.")
    surface: Surface = Surface.WEB


class OpportunityAsked(AskedSignals, _AskedSlot):
    """A hypothetical ad request, with the values that targeting is matched against. An omitted field is unknown."""

    child_directed: bool = Field(
        default=False,
        strict=True,
        description="Whether the page is directed at children, like `coppa=1` on serve.",
    )
    consent_limited: bool = Field(
        default=False,
        strict=True,
        description="Whether consent is missing: segments are then ignored.",
    )
    shown_advertisers: Annotated[list[AdvertiserDomain], Field(max_length=10), Distinct] = Field(
        default_factory=list,
        description=(
            "Advertisers already shown by other slots of the same request: their domains, or URLs that contain them."
        ),
    )


class ExplainRequest(WireIn):
    """Exactly one of `decision_id` and `opportunity`. `at`, `snapshot_version` and `seed` go with `opportunity`."""

    decision_id: Id | None = Field(
        None,
        description="The `decision_id` of a serve response, or the `X-Decision-Id` of one without an ad.",
    )
    opportunity: OpportunityAsked | None = None
    at: Instant | None = Field(
        None, description="Time of the hypothetical request; may be in the future. Default: now."
    )
    snapshot_version: int | None = Field(
        None,
        strict=True,
        ge=0,
        le=_MAX_VERSION,
        description="Snapshot version. Default: the snapshot at the time `at`.",
    )
    seed: Seed | None = Field(
        None,
        description="64 bits in hex, from which all random draws are derived. Default: a new random seed.",
    )
    limit: int = Field(
        100, strict=True, ge=1, le=1000, description="Maximum number of candidates listed."
    )

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if (self.decision_id is None) == (self.opportunity is None):
            raise field_error(
                "one_of", Message("Send either `decision_id` or `opportunity`, not both.")
            )
        more = (self.at, self.snapshot_version, self.seed)
        if self.decision_id is not None and any(one is not None for one in more):
            raise field_error(
                "not_with_decision_id",
                Message(
                    "A recorded decision has its own time, snapshot and seed. Leave out `at`, "
                    "`snapshot_version` and `seed`."
                ),
            )
        return self


class Snapshot(WireOut):
    epoch: str = Field(
        description="Identifies the history that the version belongs to; a restored database gets a new epoch."
    )
    version: int = Field(description="Version of the snapshot used for the decision.")


class Outcome(WireOut):
    """An ad, or the reason why there is none."""

    filled: bool = Field(description="Whether an ad was chosen.")
    ad_id: str | None
    campaign_id: str | None
    source: Source | None
    price_micros: int | None = Field(
        description="Price of one billable event in micros: 10,000 are one cent."
    )
    reason: NoFillReason | None
    words: WireMessage = Field(description="What happened, and how to change that.")


class Consent(WireOut):
    """The consent of the request. For a hypothetical opportunity: as given."""

    limited: bool = Field(description="Whether a signal refused consent; recorded in the token.")
    child_directed: bool = Field(description="Whether the page is directed at children.")
    personal: bool = Field(description="Whether ids, segments and per-visitor caps may be used.")
    storage: bool | None = Field(description="Whether an id may be stored on the device.")
    measurement: bool | None = Field(
        description="Whether this visitor's events may be measured individually."
    )
    why: list[str] = Field(
        description="The deciding signals, in the order in which they are checked."
    )


class CandidateState(StrEnum):
    WON = "won"
    FITS = "fits"
    DROPPED = "dropped"


class CandidatePublic(WireOut):
    """A candidate ad and what happened to it."""

    campaign_id: str
    ad_id: str
    state: CandidateState
    dropped_by: NoFillReason | None = Field(description="The first rule that excluded it.")
    words: WireMessage = Field(
        description="What happened to the candidate, and how to change that."
    )
    turn: int | None = Field(
        description="Rank in which the candidate was tried, from 1; null if it was not eligible."
    )
    priority: Priority
    ecpm_micros: int = Field(
        description="Expected revenue per thousand impressions (eCPM), in micros: 10,000 are one cent."
    )
    clicks_ppm: int = Field(description="Expected clicks per million impressions.")
    conversions_ppm: int = Field(description="Expected conversions per million clicks.")
    weight: int
    matched: list[str] = Field(description="Targeting rules that matched.")
    missed: list[str] = Field(description="Targeting rules that did not match.")


class DecisionExplained(WireOut):
    decision_id: str | None = Field(description="Null for a hypothetical opportunity.")
    reproduced: bool | None = Field(
        description=(
            "Whether repeating the decision gave exactly the recorded outcome. False: a newer release changed the "
            "rules; the outcome shown is the recorded one. Null: nothing was recorded."
        )
    )
    at: Timestamp
    environment: Environment
    property_id: str
    slot_id: str
    snapshot: Snapshot
    seed: str = Field(description="Random seed of the decision, 64 bits in hex.")
    outcome: Outcome
    consent: Consent
    considered: list[CandidatePublic] = Field(
        description="Eligible candidates in the order tried, then the others by how many rules they passed."
    )
    considered_total: int = Field(description="Total number of candidates, listed or not.")
