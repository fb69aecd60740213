"""Query models of the edge's operations. Unknown parameters are ignored, because tags in the wild carry them."""

from enum import StrEnum
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints
from typing_extensions import TypeAliasType

from common.contract.models import WireIn
from common.contract.scenarios import FEATURES_SCENARIOS, SERVE_SCENARIOS, TRACK_SCENARIOS
from common.values.enums import Format, Surface

_KeyValueName = Annotated[str, StringConstraints(pattern=r"^kv\.[a-z0-9][a-z0-9_.-]{0,63}$")]
_Word = Annotated[str, StringConstraints(max_length=128, pattern="^[^,]*$")]
_KeyValue = Annotated[str, StringConstraints(max_length=128)]

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
    "Test keys only, else 422: have this happen. `X-Test-Scenario` for who may send headers."
)


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
        None,
        description="Of the page. `debug=1` answers its origin, so that a tag can be checked; no ad is chosen by it.",
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
            "Groups the reader belongs to. From servers (a "
            "secret key, or a property with `server_rendering`), and only where consent lets anything be personal; "
            "else ignored."
        ),
        examples=[["buyers", "newsletter"]],
    )
    ip: str | None = Field(
        None,
        description=(
            "The reader's address, IPv4 or IPv6, for geo targeting. From servers (a secret key, or a property with "
            "`server_rendering`); else ignored, and the connection's own counts: all readers are where the server is."
        ),
        examples=["203.0.113.7"],
    )
    ua: str | None = Field(
        None,
        description=(
            "The reader's user agent, for device targeting; its first 1 024 characters are read. From servers (a "
            "secret key, or a property with `server_rendering`); else ignored, and the `User-Agent` header counts."
        ),
    )
    surface: Surface | None = Field(
        None,
        description=(
            "What the ad is shown on, where a server knows better. From servers (a secret key, or a property with "
            "`server_rendering`); else ignored. Without it: the surface of the client library, else `email` and "
            "`audio` for ads of these formats, else `server` for a secret key, else by property and user agent."
        ),
    )
    client: str | None = Field(
        None,
        description=(
            "The client library, `NAME/VERSION`, from browsers; apps and servers send `X-Placard-Client` instead. "
            "`web`, `android`, `ios` and `flutter` name the surface; other names change nothing."
        ),
        examples=["web/0.2.0"],
    )
    test_scenario: ServeScenario | None = Field(
        None,
        description=f"{_SCENARIO} A no-fill reason is answered as such; `slow` is an answer two seconds late.",
    )
    test_now: str | None = Field(
        None,
        description="Test keys only, else 422: decide as at this instant (RFC 3339), 400 days from now at most. It "
        "moves flights and dayparts, never a token's time. `X-Test-Now` for who may send headers.",
        json_schema_extra={"format": "date-time"},
        examples=["2026-03-01T09:00:00Z"],
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


class TrackQuery(WireIn):
    """Unknown parameters are ignored here, too."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    test_scenario: TrackScenario | None = Field(None, description=_SCENARIO)


class FeaturesQuery(WireIn):
    """Unknown parameters are ignored here, too."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    test_scenario: FeaturesScenario | None = Field(None, description=_SCENARIO)
