"""API schemas of slots: requests and responses."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import Format, SlotStatus
from control.foundation.resource_models import patch_model_of
from control.foundation.wire_types import (
    Categories,
    Distinct,
    Host,
    Id,
    Limit,
    Name,
    Pixels,
    Sought,
    unchanged,
)
from control.inventory.slots.rules import parse_slot_key


class SizeIn(WireIn):
    width: Pixels
    height: Pixels


SlotKey = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$"),
    AfterValidator(parse_slot_key),
]
Formats = Annotated[list[Format], Field(min_length=1), Distinct]
Sizes = Annotated[list[SizeIn], Field(max_length=50), Distinct]
FloorCents = Annotated[int, Field(strict=True, ge=0, le=10_000_000)]
RefreshSeconds = Annotated[int, Field(strict=True, ge=30, le=3600)]
Domains = Annotated[list[Host], Field(max_length=500), Distinct]


class AudioIn(WireIn):
    """Limits of one ad break of an audio slot."""

    max_duration_ms: Annotated[int, Field(strict=True, ge=1000, le=600_000)]
    max_ads: Annotated[int, Field(strict=True, ge=1, le=20)] = 1


class SlotCreate(WireIn):
    property_id: Id
    key: SlotKey | None = Field(
        None,
        description=(
            "Key for `?slot=`, unique in the property. Default: derived from the name; a second slot with the same "
            "name needs a key of its own (409 `already_exists`)."
        ),
    )
    name: Name
    formats: Formats
    sizes: Sizes = Field(
        default_factory=list, description="Allowed sizes in pixels. Empty: any size."
    )
    floor_cents: FloorCents = Field(
        0, description="Floor price: minimum CPM in cents for auction ads."
    )
    refresh_seconds: RefreshSeconds | None = Field(
        None,
        description="Seconds in view after which another ad is requested. Null: never.",
    )
    house_ad_id: Id | None = Field(
        None,
        description=(
            "Id of the ad shown when no other is eligible: free, and whether its campaign runs or not. The campaign's "
            "frequency caps apply."
        ),
    )
    blocked_advertiser_domains: Domains = Field(default_factory=list)
    blocked_categories: Categories = Field(default_factory=list)
    audio: AudioIn | None = Field(None, description="Limits for slots with the format `audio`.")
    separate_categories: bool = Field(
        default=False,
        strict=True,
        description=(
            "Whether the ads of one ad break must be of different categories; subcategories count as their category."
        ),
    )


@patch_model_of(SlotCreate, without=("property_id", "key"))
class SlotPatch(WireIn):
    status: SlotStatus = unchanged()


class SlotList(WireIn):
    property_id: Id | None = None
    status: SlotStatus | None = None
    key: Annotated[str, StringConstraints(max_length=64)] | None = Field(
        None, description="Only the slot with exactly this key."
    )
    q: Sought | None = Field(None, description="Part of the name or the key, case-insensitive.")
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class SizePublic(WireOut):
    width: int
    height: int


class AudioPublic(WireOut):
    max_duration_ms: int = Field(
        description="Maximum total duration of the ads in one break, in milliseconds."
    )
    max_ads: int


class SlotPublic(WireOut):
    id: str
    key: str = Field(description="Key for `?slot=`; the id works too.")
    property_id: str
    name: str
    formats: list[Format]
    sizes: list[SizePublic]
    floor_cents: int
    refresh_seconds: int | None
    house_ad_id: str | None
    blocked_advertiser_domains: list[str]
    blocked_categories: list[str]
    audio: AudioPublic | None = Field(description="Limits of an audio slot; null for others.")
    separate_categories: bool = Field(
        description="Whether the ads of one ad break must be of different categories."
    )
    status: SlotStatus
    version: int
    created_at: Timestamp
    updated_at: Timestamp
