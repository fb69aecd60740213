"""Properties on the wire: what a caller sends, and what we answer."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from common.vocabulary import PropertyKind, PropertyStatus
from control.fields import Categories, Distinct, Id, Limit, Name, Plain, Timezone, unchanged
from control.hosts import parse_public_host
from control.properties.addresses import parse_ip_range, parse_origin

Domain = Annotated[
    str, StringConstraints(min_length=1, max_length=253), AfterValidator(parse_public_host)
]
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
Rate = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Share = Annotated[int, Field(strict=True, ge=0, le=100)]
Payee = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Plain
]


class RateLimitsIn(WireIn):
    """Requests a second; bursts are three times as high."""

    serve_per_key_s: Rate = 1000
    serve_per_ip_s: Rate = 100
    track_per_key_s: Rate = 2000
    track_per_ip_s: Rate = 200


class Payout(WireIn):
    payee: Payee | None = None
    share_percent: Share = 0


class PropertyCreate(WireIn):
    name: Name
    kind: PropertyKind
    domain: Domain | None = Field(None, description="Needed for web; what verification looks at.")
    bundle_id: BundleId | None = Field(None, description="Needed for app and ctv.")
    allowed_origins: Origins = Field(
        default_factory=list,
        description="Origins, beside the domain and what is below it, whose pages' events count; others' are stored as "
        "invalid (`origin_mismatch`) and not billed. No page is kept from asking for ads. `http` only for localhost.",
    )
    timezone: Timezone = "UTC"
    excluded_ip_ranges: IpRanges = Field(
        default_factory=list, description="CIDR ranges whose traffic is internal."
    )
    consent_policy: ConsentPolicy = Field(
        "required",
        description="Without any consent signal, personalisation needs `presumed`.",
    )
    token_ttl_seconds: TokenTtl = 600
    rate_limits: RateLimitsIn = Field(default_factory=RateLimitsIn)
    blocked_categories: Categories = Field(default_factory=list)
    blocked_ad_ids: AdIds = Field(default_factory=list)
    payout: Payout = Field(default_factory=Payout)


class RateLimitsPatch(WireIn):
    serve_per_key_s: Rate = unchanged()
    serve_per_ip_s: Rate = unchanged()
    track_per_key_s: Rate = unchanged()
    track_per_ip_s: Rate = unchanged()


class PayoutPatch(WireIn):
    payee: Payee | None = unchanged()
    share_percent: Share = unchanged()


class PropertyPatch(WireIn):
    name: Name = unchanged()
    domain: Domain | None = unchanged()
    bundle_id: BundleId | None = unchanged()
    allowed_origins: Origins = unchanged()
    timezone: Timezone = unchanged()
    excluded_ip_ranges: IpRanges = unchanged()
    consent_policy: ConsentPolicy = unchanged()
    token_ttl_seconds: TokenTtl = unchanged()
    rate_limits: RateLimitsPatch = unchanged()
    blocked_categories: Categories = unchanged()
    blocked_ad_ids: AdIds = unchanged()
    payout: PayoutPatch = unchanged()


class PropertyList(WireIn):
    status: PropertyStatus | None = None
    kind: PropertyKind | None = None
    domain: Domain | None = Field(None, description="Exactly this domain.")
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class VerificationPublic(WireOut):
    """All null until a verification was asked for."""

    method: str | None
    token: str | None
    checked_at: str | None
    last_error: str | None


class RateLimitsPublic(WireOut):
    serve_per_key_s: int
    serve_per_ip_s: int
    track_per_key_s: int
    track_per_ip_s: int


class PayoutTermsPublic(WireOut):
    payee: str | None
    share_percent: int


class PropertyPublic(WireOut):
    id: str
    name: str
    kind: PropertyKind
    domain: str | None
    bundle_id: str | None
    status: PropertyStatus = Field(description="Live traffic needs `verified`.")
    verification: VerificationPublic
    allowed_origins: list[str]
    timezone: str
    currency: str = Field(description="The account's.")
    excluded_ip_ranges: list[str]
    consent_policy: str
    token_ttl_seconds: int
    rate_limits: RateLimitsPublic
    blocked_categories: list[str]
    blocked_ad_ids: list[str]
    payout: PayoutTermsPublic
    version: int
    created_at: Timestamp
    updated_at: Timestamp
