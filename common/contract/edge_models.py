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
    """When an ad counts as seen."""

    ratio: float = Field(description="Share of its area within the viewport.")
    duration_ms: int = Field(description="For how long without a break.")


class ExplainLine(WireOut):
    """One candidate of the slot."""

    campaign_id: str
    ad_id: str
    dropped_by: str | None = Field(
        description="The first gate that dropped it; null where it stayed."
    )
    priority: str
    ecpm_micros: int = Field(description="Expected micros of a thousand impressions.")
    turn: int | None = Field(description="As which it was asked, from 1; null: it did not fit.")
    matched: list[str] = Field(description="Kinds of targeting it uses that hold.")
    missed: list[str] = Field(description="Kinds of targeting it uses that do not hold.")


class ExplainConsent(WireOut):
    """What may be personal about the call."""

    personal: bool = Field(description="Ids, segments and caps by id may be used.")
    storage: bool = Field(description="An id may be kept on the device.")
    measurement: bool = Field(description="This reader's events may be measured one by one.")
    why: list[ConsentReason] = Field(
        description="The signals that decided, in the order they are looked at."
    )


class CapToCount(WireOut):
    name: str = Field(description="Eight characters; what `seen` calls it.")
    event: EventKind
    window_seconds: int = Field(description="It slides: what is older no longer counts.")


class AdvertiserTracking(WireOut):
    """The advertiser's own addresses: to load, and to do nothing else with."""

    impression_urls: list[str] = Field(description="When the ad is shown.")
    click_urls: list[str] = Field(description="When it is clicked.")


class ServedAd(WireOut):
    decision_id: str = Field(description="UUID of this decision; also the id inside its tokens.")
    ad_id: str
    campaign_id: str
    slot_id: str
    property_id: str
    format: Format
    width: int | None = Field(description="Pixels; null where the format has no size.")
    height: int | None
    content: dict[str, Any] = Field(description="What the ad is made of, by format.")
    html: str = Field(description="Ready markup; an html ad stands in a sandboxed frame.")
    track_token: str = Field(description="For `POST /v1/track`, verbatim.")
    impression_url: str = Field(description="Signed pixel; safe in foreign pages.")
    click_url: str = Field(description="Signed redirect to the ad's destination.")
    source: Source
    is_test: bool
    ttl_seconds: int = Field(description="How long the token counts for impression and track.")
    viewability: Viewability
    has_destination: bool | None = Field(
        None,
        description="Of an ad that leads nowhere, and then `false`: show it without a link, for `click_url` is 404.",
    )
    tracking: AdvertiserTracking | None = Field(
        None,
        description="Of an ad whose advertiser counts too: for you to load. `output=html` loads "
        "`impression_urls` by itself; `click_urls` are yours to load, there too.",
    )
    caps: list[CapToCount] | None = Field(
        None,
        description="Of an ad with frequency caps: what a client without a `uid` counts by itself, for `seen`.",
    )
    explain: list[ExplainLine] | None = Field(
        None,
        description="With `debug=1`: the candidates (1 000 at most), from the code that decided; most relevant first.",
    )
    consent: ExplainConsent | None = Field(
        None, description="With `debug=1`: what may be personal, and why."
    )
    page_origin: str | None = Field(
        None,
        description="With `debug=1`: the origin of `url`, as it was read; null where that is no web address.",
    )


class FilledSlot(ServedAd):
    """One of several slots, with the ad as it would be answered alone."""

    slot: str = Field(description="As you named it.")
    status: Literal["filled"]


class UnfilledSlot(WireOut):
    slot: str = Field(description="As you named it.")
    status: Literal["no_fill"]
    reason: str | None = Field(
        None, description="What `X-No-Fill-Reason` says of one slot, seen by the same keys."
    )
    decision_id: str | None = Field(
        None, description="What `X-Decision-Id` says of one slot, seen by the same keys."
    )


SlotAnswer = TypeAliasType(
    "SlotAnswer", Annotated[FilledSlot | UnfilledSlot, Field(discriminator="status")]
)


class ServedSlots(WireOut):
    """The answer where several slots are asked for."""

    data: list[SlotAnswer] = Field(description="One for each slot, in the order asked.")


def _exclusive(schema: dict[str, Any]) -> None:
    """Uses `oneOf` for the alternatives: from `anyOf` some generators make one model with the fields of all."""
    schema["oneOf"] = schema.pop("anyOf")


class Served(RootModel[ServedAd | ServedSlots]):
    """An ad; where `slot` is named several times, a list."""

    model_config = ConfigDict(json_schema_extra=_exclusive)
