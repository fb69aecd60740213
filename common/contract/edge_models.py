"""
The wire forms of the edge, for the public description. The edge writes its answers straight from what it holds; a test
proves that real ones validate against these.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, RootModel, StringConstraints

from common.contract.models import WireIn, WireOut
from common.privacy.consent_rules import Why
from common.vocabulary import EventKind, Format, Source


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
    why: list[Why] = Field(description="The signals that decided, in the order they are looked at.")


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


_KeyValueName = Annotated[str, StringConstraints(pattern=r"^kv\.[a-z0-9][a-z0-9_.-]{0,63}$")]
_Word = Annotated[str, StringConstraints(max_length=128, pattern="^[^,]*$")]
_KeyValue = Annotated[str, StringConstraints(max_length=128)]


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


class ServedSlots(WireOut):
    """The answer where several slots are asked for."""

    data: list[FilledSlot | UnfilledSlot] = Field(
        description="One for each slot, in the order asked."
    )


class Served(RootModel[ServedAd | ServedSlots]):
    """An ad; where `slot` is named several times, a list."""


class ServeOutput(StrEnum):
    JSON = "json"
    HTML = "html"


class ServeQuery(WireIn):
    """Unknown parameters are ignored here: tags in the wild carry them."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    slot: list[str] = Field(
        min_length=1,
        max_length=10,
        description="The slot's key or id. Named several times: several slots, answered together.",
        examples=[["sidebar"]],
    )
    format: Format | None = Field(None, description="Only an ad of this format.")
    w: int | None = Field(None, ge=1, le=10_000, description="Width there is room for, in pixels.")
    h: int | None = Field(None, ge=1, le=10_000, description="Height there is room for, in pixels.")
    output: ServeOutput | None = Field(
        None,
        description="`json` (the default), or `html`: a document for a frame, pixel included.",
    )
    uid: str | None = Field(
        None,
        max_length=128,
        description="An opaque id of the reader, yours; used for frequency caps alone, and only with consent.",
    )
    keywords: list[_Word] | None = Field(
        None,
        max_length=50,
        description="What the page is about: words in any case.",
        examples=[["running", "trail shoes"]],
    )
    kv: dict[_KeyValueName, _KeyValue] | None = Field(
        None,
        max_length=50,
        description=(
            "Pairs of your own that `key_values` of a campaign's targeting is held against, each a parameter "
            "`kv.NAME=VALUE`; a name may come several times. At most 50, in any case."
        ),
        examples=[{"kv.section": "sports"}],
    )
    url: str | None = Field(
        None, description="Of the page. Taken, and not looked at: targeting has no kind for it."
    )
    lang: str | None = Field(
        None,
        description=(
            "Languages of the reader, written as in `Accept-Language`; wins over that header. What is no language "
            "tag is ignored."
        ),
        examples=["pt-br"],
    )
    seen: str | None = Field(
        None,
        description="The client's own counter of capped ads, where no `uid` may be used: `NAME.COUNT` by comma, with "
        "the `name` of each of an answer's `caps` and how often its event happened within its window; `none` where "
        "nothing was counted yet. Without `uid` and `seen` no capped ad serves.",
        examples=["Ab3_x9Qz.2"],
    )
    segments: list[_Word] | None = Field(
        None,
        max_length=50,
        description=(
            "Groups the reader belongs to. With a secret key, and only where consent lets anything be personal; else "
            "ignored."
        ),
        examples=[["buyers", "newsletter"]],
    )
    ip: str | None = Field(
        None,
        description=(
            "The reader's address, IPv4 or IPv6, for geo targeting. With a secret key; else ignored, and the "
            "connection's own counts."
        ),
        examples=["203.0.113.7"],
    )
    ua: str | None = Field(
        None,
        description=(
            "The reader's user agent, for device targeting; its first 1 024 characters are read. With a secret key; "
            "else ignored, and the `User-Agent` header counts."
        ),
    )
    gdpr: str | None = Field(
        None, description="`1` where GDPR applies, `0` where it does not.", examples=["1"]
    )
    gdpr_consent: str | None = Field(None, description="TC string of the TCF, version 2.")
    gpp: str | None = Field(
        None,
        description="GPP string. Read of it: `tcfeuv2`, `uspv1`, `usnat`, `usca` and the states from `usva` to "
        "`usmn`; any other section that applies keeps the ad contextual.",
    )
    gpp_sid: str | None = Field(
        None,
        description="Ids of the GPP sections that apply, by comma; without it all of `gpp` apply.",
        examples=["7"],
    )
    us_privacy: str | None = Field(
        None, description="US Privacy String; an opt-out of sale keeps the ad contextual."
    )
    coppa: str | None = Field(
        None,
        description="`1` where the page is for children: nothing personal, no ad of an unfit category.",
    )
    lgpd: str | None = Field(
        None,
        description="`1`: the reader consented under LGPD. `0`: the reader did not. Or a TC string.",
    )
    npa: str | None = Field(None, description="`1`: nothing may be personal.")
    preview_ad: str | None = Field(
        None,
        description=(
            "Show this ad, whatever its state, in live once it was active; never billed. Test or secret key."
        ),
    )
    debug: str | None = Field(
        None, description="`1` adds `explain` to a filled answer. Test or secret key."
    )
