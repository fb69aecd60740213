"""Request and response models of track, for one event or many."""

from pydantic import Field

from common.contract.models import Currency, WireIn, WireOut
from common.values.enums import EventKind, QualitySignal
from common.values.errors import ErrorCode


class TrackBody(WireIn):
    token: str = Field(description="The `track_token`, verbatim.")
    event: EventKind | QualitySignal
    value_cents: int | None = Field(None, ge=0, description="Of a conversion.")
    currency: Currency | None = Field(None, description="ISO 4217; with `value_cents`.")
    order_id: str | None = Field(
        None, min_length=1, max_length=128, description="Of a conversion: one order counts once."
    )
    ip: str | None = Field(
        None,
        description="The person's address, as a server says it (a secret key, or a property with `server_rendering`). "
        "Of others ignored.",
        examples=["203.0.113.7"],
    )
    ua: str | None = Field(
        None,
        max_length=1024,
        description="The person's user agent; as `ip`. Send both.",
    )


class TrackManyBody(WireIn):
    events: list[TrackBody] = Field(min_length=1, max_length=50)


class TrackRefusal(WireOut):
    code: ErrorCode
    message: str


class TrackedOne(WireOut):
    status: int = Field(description="As `POST /v1/track` would have answered this event alone.")
    result: str | None = Field(None, description="`counted` or `duplicate`; test keys only.")
    error: TrackRefusal | None = Field(None, description="Of an event that was refused.")


class TrackedMany(WireOut):
    results: list[TrackedOne] = Field(description="One for each event, in the order sent.")
