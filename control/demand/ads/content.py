"""The content of an ad, by format."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

from common.contract.field_errors import field_error
from common.contract.models import WireIn
from common.values.enums import Format
from common.values.messages import Message
from control.demand.ads.urls import ImageUrl, MediaUrl
from control.foundation.wire_types import Lines, Pixels, Plain, Prose

HTML_BYTES = 65_536
_HLS = ("application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl")
_SAME_LENGTH_MS = 1_000
"""Largest difference between renditions of one recording, because encoders round to their frames."""

BitrateKbps = Annotated[int, Field(strict=True, ge=1, le=200_000)]
DurationMs = Annotated[int, Field(strict=True, ge=1, le=3_600_000)]
Alt = Annotated[str, StringConstraints(max_length=300), Plain]
Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300), Plain]


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


class _Rendition(Protocol):
    @property
    def duration_ms(self) -> int: ...


_Renditions = TypeVar("_Renditions", bound=Sequence[_Rendition])


def _of_one_length(media: _Renditions) -> _Renditions:
    lengths = [one.duration_ms for one in media]
    if max(lengths) - min(lengths) > _SAME_LENGTH_MS:
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


class AudioContent(WireIn):
    """`media` lists the renditions of one recording. An asset with the role `media.0` provides the first."""

    model_config = _filled_by_assets("media")

    media: Annotated[
        list[AudioRendition], Field(min_length=1, max_length=20), AfterValidator(_of_one_length)
    ]
    companion: Companion | None = None


class VideoContent(WireIn):
    """`media` lists the renditions of one recording. An asset with the role `media.0` provides the first."""

    model_config = _filled_by_assets("media")

    media: Annotated[
        list[VideoRendition], Field(min_length=1, max_length=20), AfterValidator(_of_one_length)
    ]
    skip_offset_ms: Annotated[int, Field(strict=True, ge=0, le=3_600_000)] | None = Field(
        None, description="Milliseconds after which the video can be skipped; null: never."
    )

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


class EmailContent(WireIn):
    """
    Mail clients hide images by default: the message must be understandable without them. All fields are required,
    unless an asset has the role `image`.
    """

    model_config = _IMAGE

    image_url: ImageUrl
    width: Pixels
    height: Pixels
    alt: Said
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
