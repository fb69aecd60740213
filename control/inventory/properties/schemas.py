"""API schemas of properties: requests and responses."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from common.contract.field_errors import field_error
from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import EDGE_FLAGS, PropertyKind, PropertyStatus
from common.values.messages import Message
from control.foundation.resource_models import patch_model_of
from control.foundation.wire_types import (
    Categories,
    Distinct,
    Host,
    Id,
    Limit,
    Name,
    Plain,
    Sought,
    Timezone,
    unchanged,
)
from control.inventory.properties.addresses import parse_ip_range, parse_origin

BundleId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$", max_length=155),
]
Origins = Annotated[
    list[Annotated[str, StringConstraints(max_length=300), AfterValidator(parse_origin)]],
    Field(max_length=100),
    Distinct,
]
IpRanges = Annotated[
    list[Annotated[str, StringConstraints(max_length=64), AfterValidator(parse_ip_range)]],
    Field(max_length=500),
    Distinct,
]
ConsentPolicy = Literal["required", "presumed"]
TokenTtl = Annotated[int, Field(strict=True, ge=5, le=86_400)]
AdIds = Annotated[list[Id], Field(max_length=500), Distinct]
ServerRendering = Annotated[
    bool,
    Field(
        strict=True,
        description=(
            "True: your servers send requests with publishable keys. `ip`, `ua`, `segments` and `surface` of serve, "
            "and `ip` and `ua` of track, are trusted, and the rate limit per address does not apply to these "
            "requests; the limit per key does. False: these fields are ignored, so all visitors behind such a server "
            "share its place, its rate limit per address and its user agent, and their events are judged as a bot's."
        ),
    ),
]
Rate = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Share = Annotated[int, Field(strict=True, ge=0, le=100)]
Payee = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Plain
]


class RateLimitsIn(WireIn):
    """Requests per second; bursts may be three times as high."""

    serve_per_key_s: Rate = 1000
    serve_per_ip_s: Rate = 100
    track_per_key_s: Rate = 2000
    track_per_ip_s: Rate = 200


class Payout(WireIn):
    payee: Payee | None = None
    share_percent: Share = 0


def _no_own_flag(name: str) -> str:
    if name in EDGE_FLAGS:
        raise field_error("reserved", Message("This flag name is reserved. Choose another name."))
    return name


Library = Literal["web", "android", "ios", "flutter"]
LibraryVersion = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,5}(\.[0-9]{1,5}){0,2}$")]
FlagName = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$"), AfterValidator(_no_own_flag)
]
_MAX_FLAG_CHARS = 200


def _flag(value: Any, as_text: ValidatorFunctionWrapHandler) -> Any:
    """In place of a union, whose faults pydantic reports once for each type."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise field_error("type", Message("Must be true, false or text."))
    return as_text(value)


FlagValue = Annotated[
    str,
    StringConstraints(max_length=_MAX_FLAG_CHARS),
    Plain,
    WrapValidator(_flag),
    PlainSerializer(lambda value: value),  # as text, a bool is dumped with a warning
    WithJsonSchema(
        {"anyOf": [{"type": "boolean"}, {"type": "string", "maxLength": _MAX_FLAG_CHARS}]}
    ),
]
OldestVersions = Annotated[
    dict[Library, LibraryVersion],
    Field(description="Minimum version of each client library; older ones show no ads."),
]
Flags = Annotated[
    dict[FlagName, FlagValue],
    Field(max_length=50, description="Your own feature flags, returned by `GET /v1/features`."),
]


class PropertySdk(WireIn):
    """Settings for client libraries, returned by `GET /v1/features`."""

    min: OldestVersions = Field(default_factory=dict)
    flags: Flags = Field(default_factory=dict)


@patch_model_of(PropertySdk)
class PropertySdkPatch(WireIn):
    pass


class PropertyCreate(WireIn):
    name: Name
    kind: PropertyKind
    domain: Host | None = Field(
        None,
        description=(
            "Domain of the site; required for `web`. Verification checks this domain. If you send a URL, its host is "
            "stored."
        ),
    )
    bundle_id: BundleId | None = Field(None, description="Bundle id; required for `app` and `ctv`.")
    allowed_origins: Origins = Field(
        default_factory=list,
        description=(
            "Additional origins whose events count, besides the domain and its subdomains. Events from other origins "
            "are stored as invalid (`origin_mismatch`) and not billed; their requests for ads are still answered. "
            "`http` only for localhost."
        ),
    )
    timezone: Timezone = "UTC"
    excluded_ip_ranges: IpRanges = Field(
        default_factory=list,
        description="CIDR ranges of your internal traffic, which is never billed.",
    )
    consent_policy: ConsentPolicy = Field(
        "required",
        description="What applies without a consent signal: only `presumed` allows personalisation.",
    )
    token_ttl_seconds: TokenTtl = 600
    server_rendering: ServerRendering = False
    rate_limits: RateLimitsIn = Field(default_factory=RateLimitsIn)
    blocked_categories: Categories = Field(default_factory=list)
    blocked_ad_ids: AdIds = Field(default_factory=list)
    payout: Payout = Field(default_factory=Payout)
    sdk: PropertySdk = Field(default_factory=PropertySdk)


@patch_model_of(RateLimitsIn)
class RateLimitsPatch(WireIn):
    pass


@patch_model_of(Payout)
class PayoutPatch(WireIn):
    pass


@patch_model_of(PropertyCreate, without=("kind",))
class PropertyPatch(WireIn):
    rate_limits: RateLimitsPatch = unchanged()
    payout: PayoutPatch = unchanged()
    sdk: PropertySdkPatch = unchanged()


class PropertyList(WireIn):
    status: PropertyStatus | None = None
    kind: PropertyKind | None = None
    domain: Host | None = Field(None, description="Only the property with exactly this domain.")
    q: Sought | None = Field(None, description="Part of the name or the domain, case-insensitive.")
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class VerificationPublic(WireOut):
    """State of the verification; all fields are null until one is requested."""

    method: str | None
    token: str | None
    checked_at: Timestamp | None
    last_error: str | None


class RateLimitsPublic(WireOut):
    serve_per_key_s: int
    serve_per_ip_s: int
    track_per_key_s: int
    track_per_ip_s: int


class PayoutTermsPublic(WireOut):
    payee: str | None
    share_percent: int


class PropertySdkPublic(WireOut):
    min: dict[str, str] = Field(description="Minimum version of each client library.")
    flags: dict[str, bool | str] = Field(description="Your own feature flags.")


class PropertyPublic(WireOut):
    id: str
    name: str
    kind: PropertyKind
    domain: str | None
    bundle_id: str | None
    status: PropertyStatus = Field(
        description="Verification status; live traffic needs `verified`."
    )
    verification: VerificationPublic
    allowed_origins: list[str]
    timezone: str
    currency: str = Field(description="Currency of the account.")
    excluded_ip_ranges: list[str]
    consent_policy: str
    token_ttl_seconds: int
    server_rendering: bool = Field(
        description=(
            "Whether your servers send requests with publishable keys, and what they send about the visitor is "
            "trusted."
        )
    )
    rate_limits: RateLimitsPublic
    blocked_categories: list[str]
    blocked_ad_ids: list[str]
    payout: PayoutTermsPublic
    sdk: PropertySdkPublic = Field(
        description="Settings for client libraries, returned by `GET /v1/features`."
    )
    version: int
    created_at: Timestamp
    updated_at: Timestamp
