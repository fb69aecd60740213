"""
The wire models of the edge, for the public description. The edge builds its responses without them; a test proves that
real responses validate against them.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, RootModel
from typing_extensions import TypeAliasType

from common.contract.models import WireOut
from common.privacy.consent_rules import ConsentReason
from common.values.enums import EventKind, Format, Source


class Viewability(WireOut):
    """When an ad counts as viewable."""

    ratio: float = Field(description="Minimum share of the ad's area in the viewport.")
    duration_ms: int = Field(description="Minimum uninterrupted time in milliseconds.")


class ExplainLine(WireOut):
    """A candidate for the slot."""

    campaign_id: str
    ad_id: str
    dropped_by: str | None = Field(description="The first rule that excluded it; null if eligible.")
    priority: str
    ecpm_micros: int = Field(
        description="Expected revenue per thousand impressions (eCPM), in micros."
    )
    turn: int | None = Field(
        description="Rank in which the candidate was tried, from 1; null if it was not eligible."
    )
    matched: list[str] = Field(description="Targeting rules that matched.")
    missed: list[str] = Field(description="Targeting rules that did not match.")


class ExplainConsent(WireOut):
    """The consent of the request."""

    personal: bool = Field(description="Whether ids, segments and per-visitor caps may be used.")
    storage: bool = Field(description="Whether an id may be stored on the device.")
    measurement: bool = Field(
        description="Whether this visitor's events may be measured individually."
    )
    why: list[ConsentReason] = Field(
        description="The deciding signals, in the order in which they are checked."
    )


class CapToCount(WireOut):
    name: str = Field(description="Eight characters that identify the cap in `seen`.")
    event: EventKind
    window_seconds: int = Field(description="Length of the sliding window in seconds.")


class AdvertiserTracking(WireOut):
    """The advertiser's own tracking URLs. Clients load them and ignore the response."""

    impression_urls: list[str] = Field(description="Load these when the ad is shown.")
    click_urls: list[str] = Field(description="Load these when the ad is clicked.")


class ServedAd(WireOut):
    decision_id: str = Field(description="UUID of this decision; also the id inside its tokens.")
    ad_id: str
    campaign_id: str
    slot_id: str
    property_id: str
    format: Format
    width: int | None = Field(description="In pixels; null if the format has no size.")
    height: int | None
    content: dict[str, Any] = Field(description="Content of the ad, by format.")
    html: str = Field(description="Ready-made markup. An html ad is inside a sandboxed iframe.")
    track_token: str = Field(description="Token for `POST /v1/track`, to send unchanged.")
    impression_url: str = Field(
        description="Signed impression pixel; safe to use on third-party pages."
    )
    click_url: str = Field(description="Signed redirect to the ad's destination.")
    source: Source
    is_test: bool
    ttl_seconds: int = Field(
        description="Seconds during which the token counts for impression and track."
    )
    viewability: Viewability
    has_destination: bool | None = Field(
        None,
        description=(
            "`false` if the ad has no destination: show it without a link, because `click_url` returns 404. Otherwise "
            "absent."
        ),
    )
    tracking: AdvertiserTracking | None = Field(
        None,
        description=(
            "Tracking URLs of the advertiser for you to load, if any. `output=html` loads `impression_urls` itself; "
            "`click_urls` are always yours to load."
        ),
    )
    caps: list[CapToCount] | None = Field(
        None,
        description="For an ad with frequency caps: what a client without a `uid` counts itself, to send as `seen`.",
    )
    explain: list[ExplainLine] | None = Field(
        None,
        description="With `debug=1`: the candidates (at most 1,000), most relevant first.",
    )
    consent: ExplainConsent | None = Field(
        None, description="With `debug=1`: the consent of the request and its reasons."
    )
    page_origin: str | None = Field(
        None,
        description="With `debug=1`: the origin of `url`; null if `url` is not a web address.",
    )


class FilledSlot(ServedAd):
    """One of several slots, with its ad as in a response for a single slot."""

    slot: str = Field(description="The slot as in the request.")
    status: Literal["filled"]


class UnfilledSlot(WireOut):
    slot: str = Field(description="The slot as in the request.")
    status: Literal["no_fill"]
    reason: str | None = Field(
        None, description="Same as `X-No-Fill-Reason` for a single slot, visible to the same keys."
    )
    decision_id: str | None = Field(
        None, description="Same as `X-Decision-Id` for a single slot, visible to the same keys."
    )


SlotAnswer = TypeAliasType(
    "SlotAnswer", Annotated[FilledSlot | UnfilledSlot, Field(discriminator="status")]
)


class ServedSlots(WireOut):
    """The response for several slots."""

    data: list[SlotAnswer] = Field(description="One item per slot, in the order requested.")


def _exclusive(schema: dict[str, Any]) -> None:
    """Uses `oneOf` for the alternatives: from `anyOf` some generators make one model with the fields of all."""
    schema["oneOf"] = schema.pop("anyOf")


class Served(RootModel[ServedAd | ServedSlots]):
    """An ad; a list if `slot` is repeated."""

    model_config = ConfigDict(json_schema_extra=_exclusive)
