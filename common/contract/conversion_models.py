"""Wire models of conversion reports: a server's request and response, and the pixel's query."""

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from common.contract.models import Currency, Timestamp, WireIn, WireOut

MAX_VALUE_CENTS = 10**12

_EventName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
_Value = Annotated[int, Field(ge=0, le=MAX_VALUE_CENTS)]
_WORTH = "What it was worth, in cents of `currency`; without one in those of the property's."
_OrderId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
_CURRENCY = "ISO 4217; goes with `value_cents`."
_ORDER = "One order counts once on a property and environment, whoever tells of it first."


class ConversionBody(WireIn):
    """Exactly one of `click_id` and `uid`."""

    click_id: str | None = Field(
        None,
        description="The `sa_click_id` of the landing page's address: a UUID, a dot and a tag, or the UUID alone.",
    )
    uid: str | None = Field(
        None,
        min_length=1,
        max_length=128,
        description="The reader, as `uid` names them when ads are asked for.",
    )
    event_name: _EventName = Field(
        description="Yours; a campaign's `conversion_events` says which names count for it, in any case."
    )
    value_cents: _Value | None = Field(None, description=_WORTH)
    currency: Currency | None = Field(None, description=_CURRENCY)
    order_id: _OrderId | None = Field(None, description=_ORDER)
    occurred_at: Timestamp | None = Field(
        None,
        description="When it happened, at most 90 days ago and 30 seconds ahead; now where it is left out.",
    )


class ConversionAccepted(WireOut):
    conversion_id: str = Field(
        description="The same for a repeated call; the event's id in the feed where it is attributed.",
        json_schema_extra={"format": "uuid"},
    )


class ConversionPixelQuery(WireIn):
    """Unknown parameters are ignored here: tags in the wild carry them. An empty one counts as left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    event_name: _EventName = Field(
        "conversion", description="Yours; a campaign's `conversion_events` says which count for it."
    )
    value_cents: _Value | None = Field(None, description=_WORTH)
    currency: Currency | None = Field(None, description=_CURRENCY)
    order_id: _OrderId | None = Field(None, description=_ORDER)
