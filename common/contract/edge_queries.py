"""Query models of the edge's operations. Unknown parameters are ignored, because tags in the wild carry them."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, create_model
from typing_extensions import TypeAliasType

from common.contract.models import WireIn
from common.contract.scenarios import FEATURES_SCENARIOS, SERVE_SCENARIOS, TRACK_SCENARIOS
from common.decision.rules.kinds import PARAMETERS
from common.decision.rules.kinds.kind import Parameter
from common.values.enums import Format, Surface

_KeyValueName = Annotated[str, StringConstraints(pattern=r"^kv\.[a-z0-9][a-z0-9_.-]{0,63}$")]
_Word = Annotated[str, StringConstraints(max_length=128, pattern="^[^,]*$")]
_KeyValue = Annotated[str, StringConstraints(max_length=128)]
_MAX_WORDS = 50

ServeScenario = TypeAliasType(
    "ServeScenario", Annotated[str, Field(json_schema_extra={"enum": list(SERVE_SCENARIOS)})]
)
TrackScenario = TypeAliasType(
    "TrackScenario", Annotated[str, Field(json_schema_extra={"enum": list(TRACK_SCENARIOS)})]
)
FeaturesScenario = TypeAliasType(
    "FeaturesScenario", Annotated[str, Field(json_schema_extra={"enum": list(FEATURES_SCENARIOS)})]
)
"""Named types, so that the description contains each list once."""
_SCENARIO = (
    "Simulates this outcome. Test keys only; others get 422. Clients that can send headers may use "
    "`X-Test-Scenario`."
)


class ServeOutput(StrEnum):
    JSON = "json"
    HTML = "html"
    VAST = "vast"
    VMAP = "vmap"
    AMP = "amp"
    AMP_RTC = "amp-rtc"


class VastVersion(StrEnum):
    V4_2 = "4.2"
    V3_0 = "3.0"


def _with_targeting(own: type[WireIn]) -> type[WireIn]:
    """Adds the parameters that targeting kinds declare to *own*."""
    fields: dict[str, Any] = {one.name: _targeting_field(one) for one in PARAMETERS}
    return create_model(
        own.__name__, __base__=own, __module__=own.__module__, __doc__=own.__doc__, **fields
    )


def _targeting_field(parameter: Parameter) -> tuple[Any, Any]:
    """Type and field."""
    examples = None if parameter.example is None else [parameter.example]
    if parameter.choices:
        one_of = Annotated[str, Field(json_schema_extra={"enum": [*parameter.choices]})]
        return one_of | None, Field(None, description=parameter.description, examples=examples)
    words = dict[_KeyValueName, _KeyValue] if parameter.is_key_values else list[_Word]
    return words | None, Field(
        None, max_length=_MAX_WORDS, description=parameter.description, examples=examples
    )


@_with_targeting
class ServeQuery(WireIn):
    """Unknown parameters are ignored here: tags in the wild carry them."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    slot: list[str] = Field(
        min_length=1,
        max_length=10,
        description="The slot's key or id. Repeat it to request several slots together.",
        examples=[["sidebar"]],
    )
    format: Format | None = Field(None, description="Only an ad of this format.")
    w: int | None = Field(None, ge=1, le=10_000, description="Available width in pixels.")
    h: int | None = Field(None, ge=1, le=10_000, description="Available height in pixels.")
    output: ServeOutput | None = Field(
        None,
        description=(
            "`json` (default); `html`: a document for an iframe, impression pixel included; `vast`: a VAST document "
            "for players, of video and audio ads; `vmap`: the ad breaks of one content; `amp`: an AMPHTML ad; "
            "`amp-rtc`: key-values for AMP's real-time config."
        ),
    )
    vast_version: VastVersion | None = Field(
        None, description="With `output=vast` or `vmap`: the version of VAST. Default: 4.2."
    )
    pod: int | None = Field(
        None,
        ge=1,
        le=20,
        description=(
            "With `output=vast`: fills an ad break with up to so many ads of different advertisers, each with its "
            "`sequence`. Default: one ad."
        ),
    )
    max_duration_ms: int | None = Field(
        None,
        ge=1,
        le=3_600_000,
        description=(
            "With `output=vast`: the length of the ad break. Its ads fit into it together; ads that end with it come "
            "first."
        ),
    )
    empty: Literal["vast"] | None = Field(
        None,
        description="`vast`, with `output=vast`: no fill is 200 with an empty document in place of 204.",
    )
    macros: Literal["plain"] | None = Field(
        None,
        description=(
            "`plain`, with `output=vast`: `[ERRORCODE]` stands unencoded in the query of `Error`, where players "
            "replace it. Strict validators refuse such a URL, so by default it is percent-encoded. Ad tags of "
            "`output=vmap` have `plain`."
        ),
    )
    breaks: str | None = Field(
        None,
        description=(
            "With `output=vmap`, required: up to 20 positions, each `start`, `end` or milliseconds from the start of "
            "the content."
        ),
        examples=["start,600000,end"],
    )
    uid: str | None = Field(
        None,
        max_length=128,
        description="Your own opaque id of the visitor; used only for frequency caps, and only with consent.",
    )
    ifa_type: str | None = Field(
        None,
        pattern="^[A-Za-z0-9_]{1,16}$",
        description=(
            "The kind of device id that `uid` is, from connected TVs and apps. Ids of different kinds belong to "
            "different visitors; an id of zeros to none."
        ),
        examples=["rida"],
    )
    lmt: str | None = Field(
        None, description="`1`: the device limits ad tracking. It means what `DNT: 1` does."
    )
    url: str | None = Field(
        None,
        description=(
            "URL of the page. It does not affect which ad is chosen. With `debug=1` the response contains its origin, "
            "so that you can check a tag."
        ),
    )
    lang: str | None = Field(
        None,
        description=(
            "The visitor's languages in the format of `Accept-Language`, over which they take precedence. Invalid "
            "language tags are ignored."
        ),
        examples=["pt-br"],
    )
    seen: str | None = Field(
        None,
        description=(
            "The client's own counts of capped ads, for visitors without a `uid`: a comma-separated list of "
            "`NAME.COUNT`, with the `name` of each item of the response's `caps` and how often its event happened "
            "within its window; `none` if nothing was counted yet. Without `uid` and `seen`, no ad with a frequency "
            "cap is served."
        ),
        examples=["Ab3_x9Qz.2"],
    )
    ip: str | None = Field(
        None,
        description=(
            "The visitor's IP address (v4 or v6), for geo targeting. Accepted only from servers (a secret key, or a "
            "property with `server_rendering`); otherwise ignored in favour of the connection's address. Without it "
            "the visitor of a secret key's request has no location, and any other visitor has the connection's."
        ),
        examples=["203.0.113.7"],
    )
    ua: str | None = Field(
        None,
        description=(
            "The visitor's user agent, for device targeting; the first 1,024 characters are used. Accepted only from "
            "servers (a secret key, or a property with `server_rendering`); otherwise ignored in favour of the "
            "`User-Agent` header."
        ),
    )
    surface: Surface | None = Field(
        None,
        description=(
            "Where the ad is shown, if the server knows. Accepted only from servers (a secret key, or a property with "
            "`server_rendering`); otherwise ignored. Default: the surface of the client library; else `email` and "
            "`audio` for ads of these formats; else `server` for a secret key; else by property and user agent."
        ),
    )
    client: str | None = Field(
        None,
        description=(
            "The client library as `NAME/VERSION`, from browsers; apps and servers send `X-Placard-Client` instead. "
            "`web`, `android`, `ios`, `flutter`, and `amp` for templates of AMP pages, set the surface; other names "
            "have no effect."
        ),
        examples=["web/0.2.0"],
    )
    test_scenario: ServeScenario | None = Field(
        None,
        description=f"{_SCENARIO} A no-fill reason returns that no-fill; `slow` delays the response by two seconds.",
    )
    test_now: str | None = Field(
        None,
        description=(
            "Decides as if it were this time (RFC 3339), within 400 days of now. Affects flights and dayparts, never "
            "the expiry of tokens. Test keys only; others get 422. Clients that can send headers may use "
            "`X-Test-Now`."
        ),
        json_schema_extra={"format": "date-time"},
        examples=["2026-03-01T09:00:00Z"],
    )
    gdpr: str | None = Field(
        None, description="`1` if GDPR applies, `0` if it does not.", examples=["1"]
    )
    gdpr_consent: str | None = Field(None, description="TCF consent string (TC string), version 2.")
    gpp: str | None = Field(
        None,
        description=(
            "GPP string. Supported sections: `tcfeuv2`, `uspv1`, `usnat`, `usca` and the states from `usva` to "
            "`usmn`; any other applicable section limits the response to contextual ads."
        ),
    )
    gpp_sid: str | None = Field(
        None,
        description="Comma-separated ids of the applicable GPP sections. Default: all sections of `gpp` apply.",
        examples=["7"],
    )
    us_privacy: str | None = Field(
        None,
        description="US Privacy String. An opt-out of sale limits the response to contextual ads.",
    )
    coppa: str | None = Field(
        None,
        description=(
            "`1` if the page is directed at children: nothing is personalised, and ads of unsuitable categories are "
            "excluded."
        ),
    )
    lgpd: str | None = Field(
        None,
        description="LGPD consent: `1` if the visitor consented, `0` if not, or a TC string.",
    )
    npa: str | None = Field(None, description="`1`: do not personalise.")
    preview_ad: str | None = Field(
        None,
        description=(
            "Shows this ad whatever its status; in live, only an ad that was active before. Never billed. Test or "
            "secret key."
        ),
    )
    debug: str | None = Field(
        None, description="`1` adds `explain` to a filled response. Test or secret key."
    )


class TrackQuery(WireIn):
    """Unknown parameters are ignored here, too."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    test_scenario: TrackScenario | None = Field(None, description=_SCENARIO)


class FeaturesQuery(WireIn):
    """Unknown parameters are ignored here, too."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    test_scenario: FeaturesScenario | None = Field(None, description=_SCENARIO)
