"""The request to explain a decision, and its response, on the wire."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.decision.rules.outcome import NoFillReason
from common.values.enums import (
    Browser,
    DeviceType,
    Format,
    OperatingSystem,
    Priority,
    Source,
    Surface,
)
from common.values.environment import Environment
from common.values.messages import Message
from control.demand.campaigns.targeting import Country, Language, Lower, Region
from control.foundation.wire_types import Distinct, Id, Instant, Plain, WireMessage

Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
SlotText = Annotated[str, StringConstraints(min_length=1, max_length=64), Plain]
Domain = Annotated[str, StringConstraints(min_length=1, max_length=253), Plain]
Side = Annotated[int, Field(strict=True, ge=1, le=10_000)]
Values = Annotated[list[Lower], Field(max_length=500), Distinct]
Seed = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class OpportunityAsked(WireIn):
    """A slot asking for an ad, with what targeting is held against. Left out: not known."""

    slot: SlotText = Field(description="The slot's id, or its key together with `property_id`.")
    property_id: Id | None = Field(
        None,
        description="An integration key brings its own; a signed-in user's key of a slot needs it.",
    )
    environment: Environment | None = Field(
        None, description="An integration key brings its own; a signed-in user names one."
    )
    format: Format | None = None
    w: Side | None = Field(None, description="The room there is, in pixels.")
    h: Side | None = Field(None, description="The room there is, in pixels.")
    surface: Surface = Surface.WEB
    country: Country | None = Field(None, description="ISO 3166-1.")
    region: Region | None = Field(
        None, description="The part of the ISO 3166-2 code after the dash: `SP` of BR-SP."
    )
    device: DeviceType | None = None
    os: OperatingSystem | None = None
    browser: Browser | None = None
    languages: Annotated[list[Language], Field(max_length=20), Distinct] = Field(
        default_factory=list, description="Those the reader understands, BCP 47."
    )
    keywords: Values = Field(default_factory=list, description="What the page is about.")
    key_values: dict[Key, Values] = Field(
        default_factory=dict,
        max_length=100,
        description="Pairs of your own, as `kv.NAME` on serve.",
    )
    segments: Values = Field(default_factory=list, description="Groups the reader belongs to.")
    child_directed: bool = Field(
        default=False, strict=True, description="The page is for children, as `coppa=1` on serve."
    )
    consent_limited: bool = Field(
        default=False,
        strict=True,
        description="Nothing may be personal: segments are not looked at.",
    )
    shown_advertisers: Annotated[list[Domain], Field(max_length=10), Distinct] = Field(
        default_factory=list, description="Domains that other slots of the same call show already."
    )


class ExplainRequest(WireIn):
    """Exactly one of `decision_id` and `opportunity`; `at`, `snapshot_version` and `seed` go with the latter."""

    decision_id: Id | None = Field(
        None,
        description="`decision_id` of a serve answer, or `X-Decision-Id` of one without an ad.",
    )
    opportunity: OpportunityAsked | None = None
    at: Instant | None = Field(
        None, description="When it is asked; now, where it is left out. May lie ahead."
    )
    snapshot_version: int | None = Field(
        None, strict=True, ge=0, description="Which snapshot; that of `at`, where it is left out."
    )
    seed: Seed | None = Field(
        None, description="64 bits in hex, from which every draw follows; else one is drawn."
    )
    limit: int = Field(
        100, strict=True, ge=1, le=1000, description="How many candidates are listed at most."
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
        description="Which history the version is of; a restored database has a new one."
    )
    version: int = Field(description="Of the snapshot the edge decided on.")


class Outcome(WireOut):
    """Either an ad, or the reason why there is none."""

    filled: bool = Field(description="Whether there is an ad.")
    ad_id: str | None
    campaign_id: str | None
    source: Source | None
    price_micros: int | None = Field(
        description="What one billable event costs, in millionths of the currency."
    )
    reason: NoFillReason | None
    words: WireMessage = Field(description="What happened, and what changes that.")


class Consent(WireOut):
    """What may be personal about the call. Of one that was made up: as it says."""

    limited: bool = Field(description="Somebody said no; the token carries it.")
    child_directed: bool = Field(description="The page is for children.")
    personal: bool = Field(description="Ids, segments and caps by id may be used.")
    storage: bool | None = Field(description="An id may be kept on the device.")
    measurement: bool | None = Field(description="This reader's events may be measured one by one.")
    why: list[str] = Field(description="The signals that decided, in the order they are looked at.")


class CandidateState(StrEnum):
    WON = "won"
    FITS = "fits"
    DROPPED = "dropped"


class CandidatePublic(WireOut):
    """An ad that could have been chosen, and what became of it."""

    campaign_id: str
    ad_id: str
    state: CandidateState
    dropped_by: NoFillReason | None = Field(description="The first gate that dropped it.")
    words: WireMessage = Field(description="What happened to it, and what changes that.")
    turn: int | None = Field(description="As which it was asked, from 1; null: it did not fit.")
    priority: Priority
    ecpm_micros: int = Field(
        description="What a thousand impressions are expected to bring, in millionths of the currency."
    )
    clicks_ppm: int = Field(description="Clicks expected of a million impressions.")
    conversions_ppm: int = Field(description="Conversions expected of a million clicks.")
    weight: int
    matched: list[str] = Field(description="Kinds of targeting it uses that hold.")
    missed: list[str] = Field(description="Kinds of targeting it uses that do not hold.")


class DecisionExplained(WireOut):
    decision_id: str | None = Field(description="Null for an opportunity that was made up.")
    reproduced: bool | None = Field(
        description=(
            "Whether deciding again gave the very outcome that was recorded. False: the rules changed with a release "
            "since; the outcome is the recorded one. Null where nothing was recorded."
        )
    )
    at: Timestamp
    environment: Environment
    property_id: str
    slot_id: str
    snapshot: Snapshot
    seed: str = Field(description="64 bits in hex.")
    outcome: Outcome
    consent: Consent
    considered: list[CandidatePublic] = Field(
        description="Those that fit in their turn, then the others, by how far they came."
    )
    considered_total: int = Field(description="How many candidates there were, listed or not.")
