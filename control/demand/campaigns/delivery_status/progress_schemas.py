"""API schemas of a campaign's progress."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireOut
from common.values.enums import CampaignStatus
from control.demand.campaigns.schemas import DeliveryStatus
from control.foundation.wire_types import WireMessage


class Pace(StrEnum):
    AHEAD = "ahead"
    ON_TRACK = "on_track"
    BEHIND = "behind"


class Today(WireOut):
    """Delivery of the current day, in the campaign's time zone."""

    date: str = Field(
        description="The date, in the campaign's time zone.", json_schema_extra={"format": "date"}
    )
    spend_cents: int = Field(
        description=(
            "Spend in cents: charges for events by their hour, as in reports, and the day's part of a flat rate."
        )
    )
    remaining_cents: int | None = Field(
        description=(
            "Remaining daily budget, which counts an event on the day when its ad was served; null without "
            "`budget.daily_cents`."
        )
    )
    impressions: int
    clicks: int
    conversions: int


class NoServeReason(WireOut):
    reason: str
    share: float = Field(description="Share of all requests, 0 to 1.")


class DeliveryPublic(WireOut):
    status: CampaignStatus
    delivery_status: DeliveryStatus
    delivery_reason: WireMessage | None
    expected_percent: float | None = Field(
        description=(
            "Percentage of the goal (or else of the total budget) that should be delivered by now, from the pacing "
            "plan over the flight and the traffic of the targeted slots. Null if there is no plan: no goal and no "
            "total budget, no end, pacing `asap`, a flat rate, priority `house`, or test."
        )
    )
    actual_percent: float | None = Field(
        description=(
            "Percentage of the goal (or else of the total budget) delivered; null if there is neither, and for test "
            "budgets."
        )
    )
    pace: Pace | None = Field(
        description="`ahead` or `behind` if more than 10 % off the plan; null without a plan."
    )
    spend_cents: int = Field(description="Spend so far in cents, rounded down.")
    remaining_cents: int | None = Field(
        description="Remaining total budget; null if there is none. In test it stays full: nothing is charged."
    )
    today: Today
    impressions: int = Field(description="Valid impressions since the campaign was created.")
    clicks: int
    conversions: int
    max_over_delivery_cents: int | None = Field(
        description=(
            "Maximum that edges could still deliver with the budget already granted to them, events in transit "
            "included. Delivery beyond the budget is not charged. Null: no budget, or unknown."
        )
    )
    top_no_serve_reasons: list[NoServeReason] = Field(
        description=(
            "Reasons why requests of the last 24 hours that the campaign could have filled (by slot, country and "
            "device) showed no ad, most frequent first."
        )
    )
    as_of: Timestamp | None = Field(
        description="Every event up to this time is counted; null before any edge reported."
    )
