"""Wire models of ``POST /v1/audio/stitch``: ad breaks for audio content, and what was put into them."""

from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from common.user_agent.user_agent import MAX_USER_AGENT_CHARS

MAX_BREAKS: Final = 50
MAX_ADS: Final = 20
MAX_DURATION_MS: Final = 600_000
"""Of one break; the same limit as of a slot's `audio.max_duration_ms`."""
MAX_CONTENT_MS: Final = 86_400_000
NAME_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""Of a slot's key or id, and of a session's id."""


class StitchOutput(StrEnum):
    PLAN = "plan"
    VAST = "vast"
    HLS = "hls"
    FILE = "file"


class ContentKind(StrEnum):
    PROGRESSIVE = "progressive"
    HLS = "hls"
    NONE = "none"


class BreakType(StrEnum):
    PRE = "pre"
    MID = "mid"
    POST = "post"


class AdMarkers(StrEnum):
    DISCONTINUITY = "discontinuity"
    INTERSTITIAL = "interstitial"


def _flag(given: Any) -> Any:
    """Consent flags are numbers in some programs, and text in URLs."""
    return str(int(given)) if isinstance(given, bool | int) else given


_Signal = str
"""Without a maximum: a text longer than `common.privacy.bits.MAX_CHARS` is unreadable and no error, as on serve."""
_Flag = Annotated[str, BeforeValidator(_flag)]
_Milliseconds = Annotated[int, Field(strict=True, ge=0, le=MAX_CONTENT_MS)]


class StitchContent(WireIn):
    """The content that the ads go into."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = Field(
        None, description="Your own id of the content, such as that of an episode."
    )
    url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = Field(
        None,
        description="Address of the content. Required, unless `kind` is `none`.",
        examples=["https://cdn.example.com/episode-123.mp3"],
    )
    kind: ContentKind = Field(
        ContentKind.NONE,
        description="`progressive`: one file; `hls`: a playlist; `none`: the caller has the content itself.",
    )
    duration_ms: Annotated[int, Field(strict=True, ge=1, le=MAX_CONTENT_MS)] | None = Field(
        None, description="Length of the content in milliseconds, if it is known."
    )


class StitchBreak(WireIn):
    """A place in the content where ads may play."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=64)] = Field(
        description="Your own id of the break; different for each break of the request."
    )
    type: BreakType = Field(description="Before, within or after the content.")
    offset_ms: _Milliseconds | None = Field(
        None,
        description=(
            "Position in the content. Required for `mid`; 0 for `pre`; for `post` the end, which may be left out."
        ),
    )
    max_duration_ms: Annotated[int, Field(strict=True, ge=1000, le=MAX_DURATION_MS)] | None = Field(
        None, description="Maximum length of all ads together. The slot's own limit holds as well."
    )
    max_ads: Annotated[int, Field(strict=True, ge=1, le=MAX_ADS)] | None = Field(
        None,
        description="Maximum number of ads. The slot's own limit holds as well; 1 if neither is set.",
    )


class ListenerConsent(WireIn):
    """
    Consent signals of the listener, as the parameters of `GET /v1/serve`. Where a flag or a section id is a number or a
    boolean in your program, it may be sent as such: `1` and `true` mean `"1"`.
    """

    gdpr: _Flag | None = Field(None, description="`1` if the GDPR applies, `0` if not.")
    gdpr_consent: _Signal | None = Field(None, description="TC string.")
    gpp: _Signal | None = Field(None, description="GPP string.")
    gpp_sid: _Flag | None = Field(None, description="Ids of the GPP sections that apply.")
    us_privacy: _Signal | None = Field(None, description="US Privacy string.")
    coppa: _Flag | None = Field(None, description="`1`: directed at children.")
    lgpd: _Flag | None = Field(None, description="`1`: consent under the LGPD; `0`: none.")
    npa: _Flag | None = Field(None, description="`1`: no personalised ads.")


class StitchListener(WireIn):
    """The person who listens. Used for targeting, frequency caps and the traffic filter."""

    ip: Annotated[str, StringConstraints(max_length=64)] | None = Field(
        None, description="IP address of the listener."
    )
    user_agent: (
        Annotated[str, StringConstraints(min_length=1, max_length=MAX_USER_AGENT_CHARS)] | None
    ) = Field(None, description="User-Agent of the listener's player.")
    uid: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = Field(
        None,
        description=(
            "Your own opaque id of the listener, never an e-mail address; used only for frequency caps, and only with "
            "consent."
        ),
    )
    consent: ListenerConsent = Field(
        default_factory=ListenerConsent, description="Without a signal, ads are not personalised."
    )


class StitchBody(WireIn):
    slot: Annotated[str, StringConstraints(pattern=NAME_PATTERN)] = Field(
        description="The slot's key or id; it limits every break with its `audio`.",
        examples=["podcast"],
    )
    content: StitchContent = Field(
        default_factory=StitchContent,
        description="Required with `hls` and `file`, which contain it.",
    )
    breaks: Annotated[list[StitchBreak], Field(min_length=1, max_length=MAX_BREAKS)] = Field(
        description="The places for ads, each filled on its own."
    )
    listener: StitchListener = Field(
        default_factory=StitchListener,
        description="Without it, ads are chosen by slot and time alone.",
    )
    output: StitchOutput = Field(
        StitchOutput.PLAN,
        description=(
            "`plan`: the ads, for your own player or stitcher. `vast`: a VMAP document with an ad pod per break. "
            "`hls`: a playlist with the ads in it. `file`: one file with the ads in it."
        ),
    )
    ad_markers: AdMarkers = Field(
        AdMarkers.DISCONTINUITY,
        description=(
            "With `hls`: `discontinuity` puts the ads between the content's segments, `interstitial` describes them "
            "by `EXT-X-DATERANGE` for players that support interstitials."
        ),
    )
    session_id: Annotated[str, StringConstraints(pattern=NAME_PATTERN)] | None = Field(
        None,
        description=(
            "Your own id of the listening session. A repeated request with the same id gets the same response for 24 "
            "hours. Default: a new id."
        ),
    )


class StitchedMedia(WireOut):
    """One rendition of an ad's recording."""

    url: str = Field(description="Address of the recording.")
    mime: str
    bitrate_kbps: int | None
    duration_ms: int


class StitchedTracking(WireOut):
    """Signed URLs to request with GET when the ad has played so far."""

    start: str = Field(description="Request it when the ad begins.")
    first_quartile: str = Field(description="Request it after a quarter.")
    midpoint: str = Field(description="Request it after half.")
    third_quartile: str = Field(description="Request it after three quarters.")
    complete: str = Field(description="Request it at its end.")


class StitchedCompanion(WireOut):
    """The image to show while the ad plays; it links to the ad's `click_url`."""

    image_url: str
    width: int
    height: int
    alt: str


class StitchedAd(WireOut):
    sequence: int = Field(description="Position in the break, from 1.")
    ad_id: str
    campaign_id: str
    duration_ms: int
    media: list[StitchedMedia] = Field(description="Renditions of the recording.")
    track_token: str | None = Field(
        description="Token for `POST /v1/track`. Null with `hls` and `file`, where the server counts."
    )
    impression_url: str | None = Field(
        description="Signed impression pixel. Null with `hls` and `file`, where the server counts."
    )
    click_url: str | None = Field(
        description="Signed redirect to the ad's destination; null if it has none."
    )
    tracking: StitchedTracking | None = Field(
        description="Signed URLs of the playback. Null with `hls` and `file`, where the server counts."
    )
    companion: StitchedCompanion | None = Field(description="Null if the ad has none.")


class StitchedBreak(WireOut):
    id: str = Field(max_length=64, description="Yours.")
    offset_ms: int | None = Field(
        description="Position in the content; null for a `post` break of unknown position."
    )
    duration_ms: int = Field(description="Length of all ads of the break; 0 without ads.")
    ads: list[StitchedAd]


class Stitched(WireOut):
    session_id: str = Field(description="Yours, or a new one.")
    expires_at: Timestamp = Field(description="Until then `url` and the tokens work.")
    content_type: str | None = Field(description="Media type of `url`.")
    url: str | None = Field(
        description=(
            "What to play: with `hls` and `file` the content with its ads, with `vast` the VMAP document. The "
            "original content if no ad was put in, and with `plan`; null if there is none."
        )
    )
    filled_ms: int = Field(description="Length of all ads; 0 if there are none.")
    breaks: list[StitchedBreak] = Field(description="One per break, in the order requested.")
