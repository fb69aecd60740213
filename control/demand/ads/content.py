"""The content of an ad, by format."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol, Self, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from common.contract.field_errors import field_error
from common.contract.models import WireIn
from common.values.enums import Format
from common.values.messages import Message
from common.values.text import NOT_IN_XML
from control.demand.ads.urls import HttpsUrl, ImageUrl, MediaUrl
from control.foundation.wire_types import Lines, Pixels, Plain, Prose

HTML_BYTES = 65_536
_HLS = ("application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl")
_SAME_LENGTH_MS = 1_000
"""Largest difference between renditions of one recording, because encoders round to their frames."""

BitrateKbps = Annotated[int, Field(strict=True, ge=1, le=200_000)]
DurationMs = Annotated[int, Field(strict=True, ge=1, le=3_600_000)]
Alt = Annotated[str, StringConstraints(max_length=300), Plain]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300), Plain]


def _filled_by_assets(*names: str) -> ConfigDict:
    """Config for models whose fields an asset may fill: the API description does not list them as required."""

    def leave_out(schema: dict[str, Any]) -> None:
        schema["required"] = [name for name in schema["required"] if name not in names]
        if not schema["required"]:
            del schema["required"]

    return ConfigDict(json_schema_extra=leave_out)


def _no_nul(value: str) -> str:
    if "\x00" in value:
        raise field_error("control_character", Message("Remove the NUL characters."))
    if len(value.encode()) > HTML_BYTES:
        raise field_error("length", Message("The HTML of an ad has at most 64 KiB. Send less."))
    return value


def _for_xml(value: str) -> str:
    if NOT_IN_XML.search(value):
        raise field_error(
            "control_character",
            Message("An XML document cannot contain this. Remove the control characters."),
        )
    return value


class _Rendition(Protocol):
    @property
    def duration_ms(self) -> int: ...


_Renditions = TypeVar("_Renditions", bound=Sequence[_Rendition])


def _of_one_length(media: _Renditions) -> _Renditions:
    lengths = [one.duration_ms for one in media]
    if lengths and max(lengths) - min(lengths) > _SAME_LENGTH_MS:
        raise field_error(
            "durations_differ",
            Message(
                "All media of an ad must be the same recording: their `duration_ms` may differ by at "
                "most one second."
            ),
        )
    return media


_IMAGE = _filled_by_assets("image_url", "width", "height")


def _no_playlist(mime: Any) -> Any:
    if mime in _HLS:
        raise field_error(
            "hls_not_taken",
            Message(
                "Most browsers cannot play HLS. Send the video as MP4 or WebM, in several qualities "
                "if you need them."
            ),
        )
    return mime


class BannerContent(WireIn):
    """All fields except `alt` are required, unless an asset has the role `image`."""

    model_config = _IMAGE

    image_url: ImageUrl
    width: Pixels
    height: Pixels
    alt: Alt = ""


class HtmlContent(WireIn):
    """HTML ads are rendered only inside a sandboxed iframe."""

    html: Annotated[
        str, StringConstraints(min_length=1, max_length=HTML_BYTES), AfterValidator(_no_nul)
    ]
    width: Pixels
    height: Pixels


class NativeContent(WireIn):
    title: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=90), Plain
    ]
    body: Annotated[str, StringConstraints(max_length=200), Prose, Lines] | None = None
    cta: Annotated[str, StringConstraints(max_length=30), Plain] | None = None
    sponsored_by: Annotated[str, StringConstraints(max_length=100), Plain] | None = None
    icon: ImageUrl | None = None
    image: ImageUrl | None = None


class Companion(WireIn):
    """
    Image shown while an audio ad plays. All fields except `alt` are required, unless an asset has the role
    `companion`.
    """

    model_config = _IMAGE

    image_url: ImageUrl
    width: Pixels
    height: Pixels
    alt: Alt = ""


class _WithoutUnset(WireIn):
    """Content whose optional fields, most of them of VAST documents, are left out where they are not set."""

    @model_serializer(mode="wrap")
    def _without_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        return {name: value for name, value in fields.items() if value or name not in _LEFT_OUT}


_LEFT_OUT = frozenset(
    {
        *("media", "poster", "mezzanine", "universal_ad_id", "companions", "icons"),
        *("verifications", "wrapper"),
    }
)


class UniversalAdId(WireIn):
    """An id of the recording in a registry, such as Ad-ID."""

    registry: Annotated[Text, Field(description="Domain of the registry, like `ad-id.org`.")]
    value: Text = Field(description="The id in that registry.")


class Mezzanine(WireIn):
    """The recording in its best quality, from which servers that stitch ads into streams transcode."""

    url: MediaUrl
    mime: Literal["video/mp4", "video/quicktime", "video/webm", "video/x-matroska"]
    width: Pixels
    height: Pixels


class VideoIcon(WireIn):
    """A picture over the video, such as AdChoices."""

    program: Text = Field(description="The program that the icon stands for, like `AdChoices`.")
    image_url: ImageUrl
    width: Pixels
    height: Pixels
    x_position: Annotated[str, StringConstraints(pattern="^(left|right|[0-9]{1,5})$")] = Field(
        "right", description="`left`, `right`, or pixels from the left edge of the video."
    )
    y_position: Annotated[str, StringConstraints(pattern="^(top|bottom|[0-9]{1,5})$")] = Field(
        "top", description="`top`, `bottom`, or pixels from the upper edge of the video."
    )
    offset_ms: Annotated[int, Field(strict=True, ge=0, le=3_600_000)] | None = Field(
        None, description="When it appears, in milliseconds from the start of the video."
    )
    duration_ms: DurationMs | None = Field(
        None, description="How long it is shown. Null: until the end."
    )
    click_url: HttpsUrl | None = None
    view_urls: Annotated[list[HttpsUrl], Field(max_length=5)] = Field(
        default_factory=list, description="URLs that players load when they show the icon."
    )


class AdVerification(WireIn):
    """A script of a measurement vendor, for players with the Open Measurement SDK."""

    vendor: Text = Field(description="The vendor's key, like `vendor.example-omid`.")
    javascript_url: HttpsUrl = Field(description="URL of the script.")
    browser_optional: bool = Field(
        default=True, strict=True, description="Whether the script runs without a browser, too."
    )
    parameters: (
        Annotated[str, StringConstraints(min_length=1, max_length=4096), AfterValidator(_for_xml)]
        | None
    ) = Field(None, description="Passed to the script unchanged.")
    not_executed_url: HttpsUrl | None = Field(
        None, description="URL that players load when they cannot run the script."
    )


class Wrapper(WireIn):
    """The ad tag of another ad server, to which players of a VAST document go on."""

    url: HttpsUrl = Field(
        description="URL of a VAST document. Players replace macros like `[CACHEBUSTING]`."
    )
    duration_ms: DurationMs = Field(
        description="Length of the longest ad that the tag returns, by which ad breaks are filled."
    )
    fallback_on_no_ad: bool = Field(
        default=True,
        strict=True,
        description="Whether players may use another ad of the response where the tag returns none.",
    )
    follow_additional_wrappers: bool = Field(
        default=True, strict=True, description="Whether the tag may lead to yet another tag."
    )


_Companions = Annotated[list[Companion], Field(max_length=10)]
_Icons = Annotated[list[VideoIcon], Field(max_length=10)]
_Verifications = Annotated[list[AdVerification], Field(max_length=10)]
_OF_VAST = "Only in VAST documents (`output=vast`)."


class AudioRendition(WireIn):
    """All fields except `bitrate_kbps` are required, unless an asset has the rendition's role (`media.0` onwards)."""

    model_config = _filled_by_assets("url", "mime", "duration_ms")

    url: MediaUrl
    mime: Literal["audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/wav", "audio/webm"]
    bitrate_kbps: BitrateKbps | None = None
    duration_ms: DurationMs


class VideoRendition(WireIn):
    """All fields except `bitrate_kbps` are required, unless an asset has the rendition's role (`media.0` onwards)."""

    model_config = _filled_by_assets("url", "mime", "width", "height", "duration_ms")

    url: MediaUrl
    mime: Annotated[Literal["video/mp4", "video/webm"], BeforeValidator(_no_playlist)]
    width: Pixels
    height: Pixels
    bitrate_kbps: BitrateKbps | None = None
    duration_ms: DurationMs


class AudioContent(_WithoutUnset):
    """`media` lists the renditions of one recording. An asset with the role `media.0` provides the first."""

    model_config = _filled_by_assets("media")

    media: Annotated[
        list[AudioRendition], Field(min_length=1, max_length=20), AfterValidator(_of_one_length)
    ]
    companion: Companion | None = None
    universal_ad_id: UniversalAdId | None = Field(
        None, description=f"{_OF_VAST} Default: an id of the ad and its media."
    )
    verifications: _Verifications = Field(default_factory=list, description=_OF_VAST)


class VideoContent(_WithoutUnset):
    """
    `media` lists the renditions of one recording. An asset with the role `media.0` provides the first. An ad with
    `wrapper` has no media of its own, and serves only in VAST documents.
    """

    wrapper: Wrapper | None = None
    media: Annotated[list[VideoRendition], Field(max_length=20), AfterValidator(_of_one_length)] = (
        Field(
            default_factory=list,
            validate_default=True,
            description="At least one, unless the ad is a `wrapper`.",
        )
    )
    skip_offset_ms: Annotated[int, Field(strict=True, ge=0, le=3_600_000)] | None = Field(
        None, description="Milliseconds after which the video can be skipped; null: never."
    )

    poster: ImageUrl | None = Field(
        None,
        description=(
            "Picture shown before playback; an asset with the role `poster` provides it. Null: players show the first "
            "picture of the video."
        ),
    )

    @field_validator("media")
    @classmethod
    def _media_or_wrapper(
        cls, media: list[VideoRendition], info: ValidationInfo
    ) -> list[VideoRendition]:
        if "wrapper" in info.data and bool(media) is (info.data["wrapper"] is not None):
            raise field_error(
                "media_or_wrapper",
                Message(
                    "A video ad needs either `media` or `wrapper`, not both. Send one of them."
                ),
            )
        return media

    @field_validator("skip_offset_ms")
    @classmethod
    def _before_the_end(cls, offset_ms: int | None, info: ValidationInfo) -> int | None:
        lengths = [one.duration_ms for one in info.data.get("media", ())]
        if offset_ms is not None and lengths and offset_ms >= min(lengths):
            raise field_error(
                "skip_after_end",
                Message("`skip_offset_ms` must be less than the duration of the video."),
            )
        return offset_ms

    mezzanine: Mezzanine | None = Field(None, description=_OF_VAST)
    universal_ad_id: UniversalAdId | None = Field(
        None, description=f"{_OF_VAST} Default: an id of the ad and its media."
    )
    companions: _Companions = Field(
        default_factory=list, description=f"Images shown beside the video. {_OF_VAST}"
    )
    icons: _Icons = Field(default_factory=list, description=_OF_VAST)
    verifications: _Verifications = Field(default_factory=list, description=_OF_VAST)

    @model_validator(mode="after")
    def _without_media_of_its_own(self) -> Self:
        alien = [name for name in _OF_OWN_MEDIA if self.wrapper is not None and getattr(self, name)]
        if alien:
            raise field_error(
                "not_of_wrapper",
                Message(
                    "An ad with `wrapper` cannot have {field}: the other server's ad has its own. Remove it.",
                    field=alien[0],
                ),
            )
        return self


_OF_OWN_MEDIA = ("skip_offset_ms", "poster", "mezzanine", "universal_ad_id", "companions", "icons")
"""Fields that describe the ad's own media."""


class EmailContent(WireIn):
    """
    Mail clients hide images by default: the message must be understandable without them. All fields are required,
    unless an asset has the role `image`.
    """

    model_config = _IMAGE

    image_url: ImageUrl
    width: Pixels
    height: Pixels
    alt: Text
    text_fallback: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), Prose, Lines
    ] = Field(description="Text for the plain-text part of the mail.")


Content = BannerContent | HtmlContent | NativeContent | AudioContent | VideoContent | EmailContent

_MODEL: dict[Format, type[Content]] = {
    Format.BANNER: BannerContent,
    Format.HTML: HtmlContent,
    Format.NATIVE: NativeContent,
    Format.AUDIO: AudioContent,
    Format.VIDEO: VideoContent,
    Format.EMAIL: EmailContent,
}


def parse_content(ad_format: Format, value: Any) -> Content:
    """Raises pydantic's ValidationError; its locations are relative to the content."""
    return _MODEL[ad_format].model_validate(value)
