"""Wire models of conversion reports: a server's requests and responses, and the pixel's query."""

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from common.contract.models import Currency, Timestamp, WireIn, WireOut

MAX_VALUE_CENTS = 10**12

_EventName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
_Value = Annotated[int, Field(ge=0, le=MAX_VALUE_CENTS)]
_WORTH = "Value of the conversion in cents of `currency`; without `currency`, of the property's currency."
_OrderId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
_CURRENCY = "ISO 4217 code of `value_cents`; only with it."
_ORDER = (
    "Your order id. An order counts once per property and environment, whichever way it is reported first. A report "
    "with a secret key or a signed click id replaces an earlier one without, such as one in session."
)


class ConversionBody(WireIn):
    """Exactly one of `click_id` and `uid`."""

    click_id: str | None = Field(
        None,
        description="The `sa_click_id` from the landing page's URL: a UUID, a dot and a tag, or the UUID alone.",
    )
    uid: str | None = Field(
        None,
        min_length=1,
        max_length=128,
        description="The visitor's `uid`, as sent to `/v1/serve`.",
    )
    event_name: _EventName = Field(
        description=(
            "Your own name for the event. A campaign's `conversion_events` lists the names that count for it, "
            "case-insensitive."
        )
    )
    value_cents: _Value | None = Field(None, description=_WORTH)
    currency: Currency | None = Field(None, description=_CURRENCY)
    order_id: _OrderId | None = Field(None, description=_ORDER)
    occurred_at: Timestamp | None = Field(
        None,
        description="Time of the conversion, at most 90 days ago and 30 seconds ahead. Default: now.",
    )


class ConversionAccepted(WireOut):
    conversion_id: str = Field(
        description="Same id for a repeated request; if attributed, also the event's id in the feed.",
        json_schema_extra={"format": "uuid"},
    )


class ClickVerification(WireIn):
    click_id: str = Field(
        min_length=1,
        max_length=128,
        description="The `sa_click_id` from the landing page's URL, unchanged: a UUID, a dot and a tag.",
    )


class ClickVerified(WireOut):
    valid: bool = Field(
        description="Whether this service signed the click id, in the environment of the key."
    )
    id: str | None = Field(
        None,
        description="The UUID of the click; null if the id is not valid.",
        json_schema_extra={"format": "uuid"},
    )


class ConversionPixelQuery(WireIn):
    """Unknown parameters are ignored here: tags in the wild carry them. An empty one counts as left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    event_name: _EventName = Field(
        "conversion",
        description="Your own name for the event. A campaign's `conversion_events` lists the names that count for it.",
    )
    value_cents: _Value | None = Field(None, description=_WORTH)
    currency: Currency | None = Field(None, description=_CURRENCY)
    order_id: _OrderId | None = Field(None, description=_ORDER)
