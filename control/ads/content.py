"""What an ad shows, by format. Formats that cannot be served yet have no content here and are refused."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from common.contract.models import WireIn
from common.vocabulary import BUILT_FORMATS, Format
from control.ads.urls import ImageUrl
from control.fields import Plain

_HTML_BYTES = 65_536

Pixels = Annotated[int, Field(strict=True, ge=1, le=10_000)]


def _no_nul(value: str) -> str:
    if "\x00" in value:
        raise PydanticCustomError("control_character", "Remove the NUL characters.")
    if len(value.encode()) > _HTML_BYTES:
        raise PydanticCustomError("too_long", "An html ad holds at most 64 KiB.")
    return value


class BannerContent(WireIn):
    image_url: ImageUrl
    width: Pixels
    height: Pixels
    alt: Annotated[str, StringConstraints(max_length=300), Plain] = ""


class HtmlContent(WireIn):
    """Rendered only inside a sandboxed iframe."""

    html: Annotated[
        str, StringConstraints(min_length=1, max_length=_HTML_BYTES), AfterValidator(_no_nul)
    ]
    width: Pixels
    height: Pixels


class NativeContent(WireIn):
    title: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=90), Plain
    ]
    body: Annotated[str, StringConstraints(max_length=200), Plain] | None = None
    cta: Annotated[str, StringConstraints(max_length=30), Plain] | None = None
    sponsored_by: Annotated[str, StringConstraints(max_length=100), Plain] | None = None
    icon: ImageUrl | None = None
    image: ImageUrl | None = None


Content = BannerContent | HtmlContent | NativeContent

_MODEL: dict[Format, type[Content]] = {
    Format.BANNER: BannerContent,
    Format.HTML: HtmlContent,
    Format.NATIVE: NativeContent,
}


def built(ad_format: Format) -> Format:
    """Raises PydanticCustomError for a format that cannot be served yet."""
    if ad_format not in BUILT_FORMATS:
        known = ", ".join(sorted(BUILT_FORMATS))
        raise PydanticCustomError(
            "format_not_available",
            "The format {format} is not available yet. Use one of: {known}.",
            {"format": ad_format.value, "known": known},
        )
    return ad_format


BuiltFormat = Annotated[
    Format,
    AfterValidator(built),
    Field(json_schema_extra={"enum": sorted(BUILT_FORMATS)}),
]
"""Formats of ads and slots."""


def parse_content(ad_format: Format, value: Any) -> Content:
    """Raises pydantic's ValidationError, its places relative to the content."""
    return _MODEL[ad_format].model_validate(value)


def stored(content: Content) -> dict[str, Any]:
    """The JSON an edge renders from: every field of the format, null where it was left out."""
    return content.model_dump(mode="json")
