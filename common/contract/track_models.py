"""Request and response models of track, for one event or many."""

from pydantic import Field

from common.contract.conversion_models import MAX_VALUE_CENTS
from common.contract.models import Currency, WireIn, WireOut
from common.values.enums import EventKind, QualitySignal
from common.values.errors import ErrorCode


class TrackBody(WireIn):
    token: str = Field(description="The `track_token`, unchanged.")
    event: EventKind | QualitySignal
    value_cents: int | None = Field(
        None, ge=0, le=MAX_VALUE_CENTS, description="Value of a conversion in cents."
    )
    currency: Currency | None = Field(
        None, description="ISO 4217 code of `value_cents`; only with it."
    )
    order_id: str | None = Field(
        None,
        min_length=1,
        max_length=128,
        description=(
            "Order id of a conversion. Each order counts once: a report with a secret key or a signed click id "
            "replaces this one."
        ),
    )
    ip: str | None = Field(
        None,
        description=(
            "The visitor's IP address. Accepted only from servers (a secret key, or a property with "
            "`server_rendering`); otherwise ignored."
        ),
        examples=["203.0.113.7"],
    )
    ua: str | None = Field(
        None,
        max_length=1024,
        description=(
            "The visitor's user agent; accepted like `ip`. Send both: an event with `ua` alone has no country, and no "
            "rule about addresses or repetition applies to it."
        ),
    )


class TrackManyBody(WireIn):
    events: list[TrackBody] = Field(min_length=1, max_length=50)


class TrackRefusal(WireOut):
    code: ErrorCode
    message: str


class TrackedOne(WireOut):
    status: int = Field(
        description="Status that `POST /v1/track` would have returned for this event."
    )
    result: str | None = Field(None, description="`counted` or `duplicate`; test keys only.")
    error: TrackRefusal | None = Field(None, description="The error of a refused event.")


class TrackedMany(WireOut):
    results: list[TrackedOne] = Field(description="One result per event, in the order sent.")
