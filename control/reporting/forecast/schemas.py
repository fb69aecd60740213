"""A proposed campaign and its forecast, on the wire."""

from typing import Annotated

from pydantic import ConfigDict, Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import Format
from control.demand.campaigns.schemas import CampaignCreate
from control.foundation.wire_types import Instant

Side = Annotated[int, Field(strict=True, ge=1, le=10_000)]


class ProposedAd(WireIn):
    """What matters of an ad that is not made yet."""

    format: Format
    width: Side | None = Field(None, description="Left out: it fits every size.")
    height: Side | None = Field(None, description="Left out: it fits every size.")


class ForecastAsked(CampaignCreate):
    model_config = ConfigDict(populate_by_name=True)

    from_: Instant | None = Field(
        None,
        alias="from",
        description="Where the period begins. Left out: now, or `start_at` where that is later.",
    )
    to: Instant | None = Field(
        None,
        description="Where it ends, at most 92 days later. Left out: `end_at`, or 30 days after it begins.",
    )
    ads: Annotated[list[ProposedAd], Field(min_length=1, max_length=20)] | None = Field(
        None, description="The ads it shall have. Left out: one of each format, in any size."
    )


class SpanPublic(WireOut):
    low: int = Field(description="Nineteen of twenty forecasts should come to more.")
    likely: int = Field(description="The middle of the forecasts: as many come to more as to less.")
    high: int = Field(description="Nineteen of twenty forecasts should come to less.")


class BasisPublic(WireOut):
    requests: int = Field(
        description="Counted on the campaign's properties in the last four weeks."
    )
    hours: int = Field(description="Over how many hours, from the first request on.")
    decisions: int = Field(description="Recorded decisions of the last 7 days it is drawn from.")
    impressions_a_fill_percent: float = Field(
        description="How many of the ads that were sent were seen."
    )


class ForecastPublic(WireOut):
    from_at: Timestamp = Field(description="Where the period begins.")
    to_at: Timestamp = Field(description="Where it ends.")
    insufficient_traffic: bool = Field(
        description="Too little was counted or recorded yet to forecast from: every number below is null then."
    )
    matched: SpanPublic | None = Field(
        description="Impressions that the campaign's targeting and ads fit."
    )
    booked: SpanPublic | None = Field(
        description="Of those, what campaigns take that rank before it."
    )
    available: SpanPublic | None = Field(description="Matched less booked: what it could have.")
    contested: SpanPublic | None = Field(
        description="Of the available, what other campaigns would have without it."
    )
    delivered: SpanPublic | None = Field(
        description="Impressions it is expected to deliver, by its budget, goal and pacing."
    )
    spend_cents: SpanPublic | None = Field(description="What these are expected to cost.")
    limited_by: str | None = Field(
        description="What keeps it from delivering more: `traffic`, `budget` or `goal`."
    )
    basis: BasisPublic
    is_test: bool
