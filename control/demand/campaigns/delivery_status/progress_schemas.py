"""API schemas of a campaign's progress."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireOut
from common.values.enums import CampaignStatus
from control.demand.campaigns.schemas import DeliveryStatus


class Pace(StrEnum):
    AHEAD = "ahead"
    ON_TRACK = "on_track"
    BEHIND = "behind"


class Today(WireOut):
    """Of the campaign's own day."""

    date: str = Field(
        description="In the campaign's time zone.", json_schema_extra={"format": "date"}
    )
    spend_cents: int
    remaining_cents: int | None = Field(description="Of `budget.daily_cents`; null without one.")
    impressions: int
    clicks: int
    conversions: int


class NoServeReason(WireOut):
    reason: str
    share: float = Field(description="Of all requests, 0 to 1.")


class DeliveryPublic(WireOut):
    status: CampaignStatus
    delivery_status: DeliveryStatus
    delivery_reason: str | None
    expected_percent: float | None = Field(
        description="Of the goal, else of the total budget, by now, as pacing plans it over the flight by the "
        "traffic of the slots it reaches; null where nothing follows a plan: neither of the two, no end, pacing "
        "`asap`, a flat rate, or test."
    )
    actual_percent: float | None = Field(
        description="Of the goal, else of the total budget; null where there is neither, and of a test budget."
    )
    pace: Pace | None = Field(
        description="More than a tenth off the plan is ahead or behind; null without a plan."
    )
    spend_cents: int = Field(description="Charged so far, rounded down.")
    remaining_cents: int | None = Field(
        description="Of the total budget; null without one. In test all of it: nothing is charged."
    )
    today: Today
    impressions: int = Field(
        description="Valid ones, since the campaign exists; so are the next two."
    )
    clicks: int
    conversions: int
    max_over_delivery_cents: int | None = Field(
        description=(
            "The most that edges may still deliver of what they were granted, were the budget to end now, "
            "events in flight included; what exceeds the budget nobody pays. Null: no budget, or not known."
        )
    )
    top_no_serve_reasons: list[NoServeReason] = Field(
        description="Why requests of the last 24 hours that it could have met, by slot, country and device, "
        "showed no ad at all, most frequent first."
    )
    as_of: Timestamp | None = Field(
        description="Every event up to this instant is counted; null before any edge reported."
    )
