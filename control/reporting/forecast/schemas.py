"""A proposed campaign and its forecast, on the wire."""

from typing import Annotated

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import Format
from control.demand.campaigns.schemas import CampaignCreate
from control.foundation.wire_types import Instant

Side = Annotated[int, Field(strict=True, ge=1, le=10_000)]


class ProposedAd(WireIn):
    """A planned ad: its format and size."""

    format: Format
    width: Side | None = Field(None, description="In pixels. Omitted: fits every size.")
    height: Side | None = Field(None, description="In pixels. Omitted: fits every size.")


class ForecastAsked(CampaignCreate):
    from_: Instant | None = Field(
        None,
        alias="from",
        description="Start of the period. Default: now, or `start_at` if that is later.",
    )
    to: Instant | None = Field(
        None,
        description=(
            "End of the period, at most 92 days after its start. Default: `end_at`, or 30 days after the start."
        ),
    )
    ads: Annotated[list[ProposedAd], Field(min_length=1, max_length=20)] | None = Field(
        None, description="The planned ads. Default: one of each format, in any size."
    )


class SpanPublic(WireOut):
    low: int = Field(description="95 % of outcomes should be higher.")
    likely: int = Field(description="The median: half of the outcomes should be higher.")
    high: int = Field(description="95 % of outcomes should be lower.")


class BasisPublic(WireOut):
    requests: int = Field(
        description="Requests counted on the campaign's properties in the last four weeks."
    )
    hours: int = Field(description="Number of hours with data, from the first request on.")
    decisions: int = Field(
        description="Number of recorded decisions of the last 7 days that the forecast uses."
    )
    impressions_a_fill_percent: float = Field(
        description="Percentage of served ads that were seen."
    )


class ForecastPublic(WireOut):
    from_at: Timestamp = Field(description="Start of the forecast period.")
    to_at: Timestamp = Field(description="End of the forecast period, exclusive.")
    insufficient_traffic: bool = Field(
        description="Whether there was too little traffic to forecast from; all numbers below are then null."
    )
    matched: SpanPublic | None = Field(
        description="Impressions that match the campaign's targeting and ads."
    )
    booked: SpanPublic | None = Field(
        description="Matched impressions that higher-ranked campaigns take."
    )
    available: SpanPublic | None = Field(
        description="Matched minus booked: impressions that the campaign could have."
    )
    contested: SpanPublic | None = Field(
        description="Available impressions that other campaigns would have without this one."
    )
    delivered: SpanPublic | None = Field(
        description="Impressions that the campaign is expected to deliver, given its budget, goal and pacing."
    )
    spend_cents: SpanPublic | None = Field(
        description="Expected cost of the delivered impressions."
    )
    limited_by: str | None = Field(
        description="What limits delivery: `traffic`, `budget` or `goal`."
    )
    basis: BasisPublic
    is_test: bool
