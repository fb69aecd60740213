"""API schemas of campaigns: requests and responses."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import CampaignStatus, Objective, Pacing, PricingModel, Priority
from common.values.environment import Environment
from common.values.messages import Message
from control.demand.campaigns.cross_field_rules import Budgeted, Flown
from control.demand.campaigns.targeting import Targeting
from control.foundation.resource_models import patch_model_of
from control.foundation.wire_types import (
    Distinct,
    Id,
    Instant,
    Limit,
    Name,
    Plain,
    Sought,
    Timezone,
    unchanged,
)

_MAX_METADATA = 50
_MAX_AMOUNT = 1_000_000_000_000
"""Upper bound of a budget in cents and of a goal in events: in micros it still fits 64 bits."""

Cents = Annotated[int, Field(strict=True, ge=1, le=_MAX_AMOUNT)]
BidCents = Annotated[int, Field(strict=True, ge=1, le=10_000_000)]
Percent = Annotated[int, Field(strict=True, ge=1, le=100)]
PropertyIds = Annotated[list[Id], Field(min_length=1, max_length=100), Distinct]
ExternalRef = Annotated[str, StringConstraints(min_length=1, max_length=200), Plain]
EventName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}$"), AfterValidator(str.lower)
]
"""The name of a conversion, in either case. Stored in lower case, because names are compared in it."""


def _few(metadata: dict[str, str]) -> dict[str, str]:
    if len(metadata) > _MAX_METADATA:
        raise field_error(
            "too_many_keys", Message("Metadata may have at most 50 keys. Remove some.")
        )
    return metadata


Metadata = Annotated[
    dict[
        Annotated[str, StringConstraints(min_length=1, max_length=64), Plain],
        Annotated[str, StringConstraints(max_length=500), Plain],
    ],
    AfterValidator(_few),
    Field(json_schema_extra={"maxProperties": _MAX_METADATA}),
]


class Budget(Budgeted):
    total_cents: Cents | None = None
    daily_cents: Cents | None = None


class Goal(WireIn):
    kind: Literal["impressions", "clicks", "conversions"]
    total: Annotated[int, Field(strict=True, ge=1, le=_MAX_AMOUNT)]


class Window(WireIn):
    interval: Annotated[int, Field(strict=True, ge=1, le=1000)]
    unit: Literal["minute", "hour", "day", "week"]


class FrequencyCap(WireIn):
    scope: Literal["campaign", "ad"]
    event: Literal["impression", "click"]
    limit: Annotated[int, Field(strict=True, ge=1, le=1000)]
    window: Window


FrequencyCaps = Annotated[list[FrequencyCap], Field(max_length=10)]


ClickHours = Annotated[int, Field(strict=True, ge=1, le=2160)]
ViewHours = Annotated[int, Field(strict=True, ge=0, le=720)]
EventNames = Annotated[list[EventName], Field(max_length=50), Distinct]
Flag = Annotated[bool, Field(strict=True)]
PixelConversions = Annotated[int, Field(strict=True, ge=1, le=10)]


class Attribution(WireIn):
    click_window_hours: ClickHours = 720
    view_window_hours: ViewHours = 24
    conversion_events: EventNames = Field(
        default_factory=list,
        description="Names of the conversions that count, in either case; returned in lower case. Empty: all.",
    )
    bill_in_session: Flag = Field(
        default=False,
        description="Whether conversions reported through `/v1/track` are billed too.",
    )
    pixel_conversions_per_click: PixelConversions = Field(
        1,
        description=(
            "Maximum number of pixel conversions per click and event name; more are invalid with `rate_exceeded`."
        ),
    )


class CampaignCreate(Flown):
    property_ids: PropertyIds | None = Field(
        None,
        description=(
            "Properties that the campaign may serve on. Required for signed-in users; default for an integration key: "
            "its own property."
        ),
    )
    name: Name
    objective: Objective
    pricing_model: PricingModel
    bid_cents: BidCents = Field(
        description=(
            "Price in cents for a thousand impressions (cpm), a click (cpc), a conversion (cpa), or the whole flight "
            "(flat_rate)."
        )
    )
    pacing: Pacing = Pacing.EVEN
    priority: Priority = Priority.AUCTION
    start_at: Instant | None = Field(None, validate_default=True)
    end_at: Instant | None = Field(None, validate_default=True)
    timezone: Timezone | None = Field(
        None,
        description="IANA time zone for daily budgets and dayparts. Default: the first property's.",
    )
    budget: Budget | None = None
    goal: Goal | None = None
    share_of_voice_percent: Percent | None = Field(
        None, description="Share of all decisions in percent; sponsorships only."
    )
    frequency_caps: FrequencyCaps = Field(default_factory=list)
    targeting: Targeting = Field(default_factory=Targeting)
    attribution: Attribution = Field(default_factory=Attribution)
    external_ref: ExternalRef | None = Field(
        None,
        description="Your own id, compared byte for byte; unique in the account and environment.",
    )
    metadata: Metadata = Field(default_factory=dict)


@patch_model_of(Budget)
class BudgetPatch(Budgeted):
    pass


@patch_model_of(Attribution)
class AttributionPatch(WireIn):
    pass


@patch_model_of(CampaignCreate)
class CampaignPatch(Flown):
    property_ids: PropertyIds = unchanged()
    timezone: Timezone = unchanged()
    budget: BudgetPatch | None = unchanged()
    attribution: AttributionPatch = unchanged()


class Sort(StrEnum):
    NEWEST = "-created_at"
    OLDEST = "created_at"
    BY_NAME = "name"
    BY_NAME_BACKWARDS = "-name"
    LAST_CHANGED = "-updated_at"
    FIRST_CHANGED = "updated_at"


class CampaignList(WireIn):
    environment: Environment | None = Field(
        None, description="Required for signed-in users. A key always uses its own environment."
    )
    status: CampaignStatus | None = None
    objective: Objective | None = None
    external_ref: ExternalRef | None = None
    property_id: Id | None = Field(
        None, description="Only campaigns that run on this property, among others or alone."
    )
    q: Sought | None = None
    updated_since: Instant | None = Field(
        None,
        description=(
            "Only campaigns changed at or after this time. To follow changes, sort by `updated_at`, and begin a minute "
            "before the newest change that you have: changes of the same moment may become visible in any order."
        ),
    )
    sort: Sort = Field(
        Sort.NEWEST,
        description="Sort order; a leading minus reverses it. Names sort case-insensitively.",
    )
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class EnvironmentQuery(WireIn):
    environment: Environment | None = Field(
        None, description="Required for signed-in users. A key always uses its own environment."
    )


class DeliveryStatus(StrEnum):
    SCHEDULED = "scheduled"
    DELIVERING = "delivering"
    NOT_DELIVERING = "not_delivering"
    BUDGET_EXHAUSTED_TODAY = "budget_exhausted_today"
    BUDGET_EXHAUSTED = "budget_exhausted"
    ENDED = "ended"
    NO_ADS = "no_ads"
    BLOCKED = "blocked"


class ReviewPublic(WireOut):
    decision: str = Field(description="Decision: `approved` or `rejected`.")
    reason: str | None = Field(description="Reason for the rejection, as written by the reviewer.")
    at: Timestamp
    by: str = Field(description="Id of the reviewer.")


class BudgetPublic(WireOut):
    total_cents: int | None
    daily_cents: int | None


class GoalPublic(WireOut):
    kind: str
    total: int


class WindowPublic(WireOut):
    interval: int
    unit: str


class FrequencyCapPublic(WireOut):
    scope: str
    event: str
    limit: int
    window: WindowPublic


class AttributionPublic(WireOut):
    click_window_hours: int
    view_window_hours: int
    conversion_events: list[str]
    bill_in_session: bool
    pixel_conversions_per_click: int


class CampaignPublic(WireOut):
    id: str
    property_ids: list[str]
    name: str
    objective: str
    pricing_model: str
    bid_cents: int
    pacing: str
    priority: str
    start_at: Timestamp | None
    end_at: Timestamp | None
    timezone: str
    budget: BudgetPublic
    goal: GoalPublic | None
    share_of_voice_percent: int | None
    frequency_caps: list[FrequencyCapPublic]
    targeting: dict[str, Any] = Field(
        description="The targeting, with codes in their standard case and without empty rules."
    )
    attribution: AttributionPublic
    status: CampaignStatus
    delivery_status: DeliveryStatus
    delivery_reason: str | None = Field(
        description=(
            "Why the campaign does not deliver: a code, or a code with text. Null while it delivers, except "
            "`caps_unknown`: more than 0.1 % of its frequency cap look-ups failed in the current and the previous "
            "hour, so it delivers less than it could."
        )
    )
    spend_cents: int = Field(description="Spend so far in cents, rounded down.")
    review: ReviewPublic | None = Field(
        description="The last review decision; null before the first, and while a new one is pending."
    )
    external_ref: str | None
    metadata: dict[str, str]
    is_test: bool
    version: int
    created_at: Timestamp
    updated_at: Timestamp
