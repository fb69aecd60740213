"""API schemas of ads: requests and responses."""

from typing import Annotated, Any, Literal

from pydantic import Field, RootModel, StringConstraints, ValidationInfo, field_validator

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import AdStatus, Format
from common.values.environment import Environment
from common.values.messages import Message
from control.demand.ads.content import (
    AudioContent,
    BannerContent,
    Content,
    EmailContent,
    HtmlContent,
    NativeContent,
    VideoContent,
    parse_content,
)
from control.demand.ads.urls import ClickUrl, HttpsUrl
from control.demand.campaigns.schemas import ReviewPublic
from control.demand.campaigns.targeting import Targeting
from control.foundation.resource_models import patch_model_of
from control.foundation.wire_types import Categories, Distinct, Id, Limit, Name, Sought, unchanged

AssetIds = Annotated[
    dict[Annotated[str, StringConstraints(pattern=r"^[a-z]{1,20}(\.[0-9]{1,2})?$")], Id],
    Field(max_length=21),
]
Weight = Annotated[int, Field(strict=True, ge=1, le=100)]
SlotIds = Annotated[list[Id], Field(max_length=500), Distinct]
TrackingUrls = Annotated[list[HttpsUrl], Field(max_length=20), Distinct]


class Tracking(WireIn):
    """Tracking URLs, loaded by the client libraries."""

    impression_urls: TrackingUrls = Field(default_factory=list)
    click_urls: TrackingUrls = Field(default_factory=list)


class AdCreate(WireIn):
    campaign_id: Id
    name: Name
    format: Format
    asset_ids: AssetIds = Field(
        default_factory=dict,
        description=(
            "Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio), `poster` "
            "(video), `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and duration in "
            "`content`; `html` inserts the file's text, at most 64 KiB."
        ),
    )
    content: Content = Field(
        description="By format. What assets fill in may be left out, the rest may not."
    )
    categories: Categories = Field(
        default_factory=list, description="Codes of the IAB content taxonomy."
    )
    tracking: Tracking = Field(default_factory=Tracking)
    click_url: ClickUrl | None = Field(
        None,
        description=(
            "Destination URL (https; for trying out an ad, also http of the local machine), with the macros {click_id} "
            "{campaign_id} {ad_id} {slot_id} {property_id} {timestamp}."
        ),
    )
    weight: Weight = 1
    slot_ids: SlotIds = Field(
        default_factory=list,
        description="Slots that the ad may serve in. Empty: every slot of the campaign's properties.",
    )
    targeting: Targeting = Field(
        default_factory=Targeting,
        description="Restricts the campaign's targeting further; cannot extend it.",
    )

    @field_validator("content", mode="wrap")
    @classmethod
    def _by_format(cls, value: Any, _: Any, info: ValidationInfo) -> Any:
        """
        The format selects the model of the content; without a valid format, only that field is reported as wrong.

        With assets the content stays as sent, because the fields that they fill are still missing.
        """
        if "format" not in info.data:
            raise field_error(
                "format_needed",
                Message(
                    "The format is missing or invalid, so the content cannot be checked. Send a valid "
                    "`format`."
                ),
            )
        if info.data.get("asset_ids") and isinstance(value, dict):
            return value
        return parse_content(info.data["format"], value)


class BannerAdCreate(AdCreate):
    format: Literal[Format.BANNER]
    content: BannerContent


class HtmlAdCreate(AdCreate):
    format: Literal[Format.HTML]
    content: HtmlContent


class NativeAdCreate(AdCreate):
    format: Literal[Format.NATIVE]
    content: NativeContent


class AudioAdCreate(AdCreate):
    format: Literal[Format.AUDIO]
    content: AudioContent


class VideoAdCreate(AdCreate):
    format: Literal[Format.VIDEO]
    content: VideoContent


class EmailAdCreate(AdCreate):
    format: Literal[Format.EMAIL]
    content: EmailContent


AnyAdCreate = (
    BannerAdCreate | HtmlAdCreate | NativeAdCreate | AudioAdCreate | VideoAdCreate | EmailAdCreate
)


class AdForms(RootModel[Annotated[AnyAdCreate, Field(discriminator="format")]]):
    """An ad; the content depends on the format."""


@patch_model_of(AdCreate, without=("campaign_id", "format"))
class AdPatch(WireIn):
    content: dict[str, Any] = unchanged(
        description="The whole content of the ad's format, as on creation."
    )


class AdList(WireIn):
    environment: Environment | None = Field(
        None, description="Required for signed-in users. A key always uses its own environment."
    )
    campaign_id: Id | None = None
    status: AdStatus | None = None
    format: Format | None = None
    q: Sought | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class TrackingPublic(WireOut):
    impression_urls: list[str]
    click_urls: list[str]


class AdPublic(WireOut):
    id: str
    campaign_id: str
    name: str
    format: Format
    content: dict[str, Any] = Field(description="The content for the ad's format, as on creation.")
    asset_ids: dict[str, str]
    categories: list[str]
    tracking: TrackingPublic
    click_url: str | None
    advertiser_domain: str | None = Field(description="Registrable domain of `click_url`.")
    weight: int
    slot_ids: list[str]
    targeting: dict[str, Any] = Field(
        description="The targeting, with codes in their standard case and without empty rules."
    )
    status: AdStatus
    review: ReviewPublic | None = Field(
        description="The last review decision; null before the first, and while a new one is pending."
    )
    is_test: bool
    version: int
    created_at: Timestamp
    updated_at: Timestamp
