# Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
"""The models of the API, as JSON has them. Responses can have fields and values that are not listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

AccountState: TypeAlias = Literal["active", "past_due", "suspended"]
AdFormat: TypeAlias = Literal["banner", "html", "native", "audio", "video", "email"]
AdMarkers: TypeAlias = Literal["discontinuity", "interstitial"]
AdSource: TypeAlias = Literal["sponsorship", "direct", "auction", "house", "preview"]
AdStatus: TypeAlias = Literal["draft", "pending_review", "active", "rejected", "paused", "archived"]
AssetKind: TypeAlias = Literal["image", "video", "audio", "html"]
AssetStatus: TypeAlias = Literal["uploading", "processing", "ready", "rejected", "archived"]
BreakType: TypeAlias = Literal["pre", "mid", "post"]
Browser: TypeAlias = Literal["chrome", "safari", "firefox", "edge", "opera", "samsung", "other"]
CampaignDeliveryStatus: TypeAlias = Literal[
    "scheduled",
    "delivering",
    "not_delivering",
    "budget_exhausted_today",
    "budget_exhausted",
    "ended",
    "no_ads",
    "blocked",
]
CampaignSort: TypeAlias = Literal[
    "-created_at", "created_at", "name", "-name", "-updated_at", "updated_at"
]
CampaignStatus: TypeAlias = Literal[
    "draft", "pending_review", "active", "paused", "completed", "rejected", "archived"
]
CandidateState: TypeAlias = Literal["won", "fits", "dropped"]
ConsentSignal: TypeAlias = Literal[
    "coppa",
    "coppa_unreadable",
    "npa",
    "npa_unreadable",
    "gpc",
    "dnt",
    "gpp_garbled",
    "gpp_section_missing",
    "gpp_section_not_read",
    "gdpr_not_applicable",
    "gdpr_unreadable",
    "tc_string_missing",
    "tc_string_garbled",
    "vendor_not_disclosed",
    "vendor_not_consented",
    "purpose_1_not_allowed",
    "purpose_2_not_allowed",
    "purpose_3_not_allowed",
    "purpose_4_not_allowed",
    "purpose_7_not_allowed",
    "publisher_not_consented",
    "tc_string_consents",
    "us_privacy_garbled",
    "us_section_garbled",
    "us_opted_out",
    "us_not_notified",
    "us_known_child",
    "us_personal_data_refused",
    "us_service_provider",
    "us_not_opted_out",
    "lgpd_refused",
    "lgpd_unreadable",
    "lgpd_consented",
    "presumed",
    "no_signal",
]
ContentKind: TypeAlias = Literal["progressive", "hls", "none"]
CredentialKind: TypeAlias = Literal[
    "publishable_key", "secret_key", "integration_key", "access_token"
]
DeliveryPace: TypeAlias = Literal["ahead", "on_track", "behind"]
DeviceType: TypeAlias = Literal["desktop", "mobile", "tablet", "tv", "other"]
EmailItemStatus: TypeAlias = Literal["filled", "no_fill"]
EmailMode: TypeAlias = Literal["per_send", "per_recipient"]
EmailRender: TypeAlias = Literal["fixed", "on_open"]
EmbedComponent: TypeAlias = Literal[
    "campaign_create", "campaign_edit", "campaign_list", "ad_create", "report_overview"
]
EmbedTheme: TypeAlias = Literal["light", "dark"]
Environment: TypeAlias = Literal["test", "live"]
ErrorCode: TypeAlias = Literal[
    "missing_key",
    "invalid_key",
    "key_revoked",
    "tenant_suspended",
    "wrong_environment",
    "property_unverified",
    "rate_limited",
    "insufficient_scope",
    "not_available_to_integration_keys",
    "permission_lost",
    "permission_denied",
    "invalid_json",
    "validation_failed",
    "bad_request",
    "invalid_grant",
    "email_unverified",
    "token_invalid",
    "token_expired",
    "token_mismatch",
    "slot_not_found",
    "not_found",
    "method_not_allowed",
    "already_exists",
    "invalid_state",
    "insufficient_balance",
    "limit_reached",
    "version_conflict",
    "version_required",
    "idempotency_key_reused",
    "idempotency_in_progress",
    "cursor_invalid",
    "cursor_expired",
    "decision_expired",
    "payload_too_large",
    "uri_too_long",
    "headers_too_large",
    "range_not_satisfiable",
    "unsupported_media_type",
    "request_timeout",
    "internal",
    "unavailable",
]
EventKind: TypeAlias = Literal["impression", "click", "conversion"]
EventReason: TypeAlias = Literal[
    "ok",
    "ok_test",
    "ok_over_budget",
    "ok_consent_limited",
    "ok_late",
    "bot_user_agent",
    "unknown_user_agent",
    "missing_user_agent",
    "datacenter_ip",
    "prefetch",
    "internal_traffic",
    "rate_exceeded",
    "duplicate_click",
    "duplicate_impression",
    "click_too_fast",
    "origin_mismatch",
    "consent_denied",
    "campaign_ended",
    "clock_skew",
    "mail_privacy_proxy",
    "mail_link_scanner",
    "retracted",
]
ExportFormat: TypeAlias = Literal["csv", "ndjson", "parquet"]
ExportKind: TypeAlias = Literal["report", "events"]
ExportStatus: TypeAlias = Literal["queued", "running", "ready", "failed", "expired"]
InvalidTrafficClass: TypeAlias = Literal["none", "givt", "sivt"]
KeyBlock: TypeAlias = Literal["address_unverified", "property_unverified", "property_suspended"]
KeyKind: TypeAlias = Literal["publishable", "secret", "integration"]
KeyStatus: TypeAlias = Literal["active", "expired", "revoked"]
Language: TypeAlias = Literal["en", "es", "pt-BR"]
LiveBlockCode: TypeAlias = Literal[
    "address_unverified",
    "property_unverified",
    "property_suspended",
    "account_stopped",
    "payment_overdue",
]
MemberRole: TypeAlias = Literal["owner", "admin", "manager", "analyst", "finance"]
NoFillReason: TypeAlias = Literal[
    "no_candidate",
    "account_stopped",
    "no_funds",
    "demo_never_fills",
    "slot_archived",
    "stale_snapshot",
    "spool_full",
    "campaign_not_active",
    "ad_not_active",
    "out_of_flight",
    "not_supported_yet",
    "budget_spent",
    "format_mismatch",
    "size_mismatch",
    "slot_not_targeted",
    "blocked_advertiser",
    "blocked_category",
    "blocked_ad",
    "below_floor",
    "geo_not_targeted",
    "device_not_targeted",
    "language_not_targeted",
    "daypart_not_targeted",
    "keywords_not_targeted",
    "key_values_not_targeted",
    "segments_not_targeted",
    "unfit_for_children",
    "advertiser_already_shown",
    "category_already_shown",
    "duration_mismatch",
    "share_of_voice",
    "goal_reached",
    "paced",
    "frequency_capped",
    "cap_not_known",
]
Objective: TypeAlias = Literal[
    "awareness", "traffic", "engagement", "leads", "conversions", "app_promotion"
]
OperatingSystem: TypeAlias = Literal[
    "windows", "macos", "linux", "ios", "android", "chromeos", "other"
]
Pacing: TypeAlias = Literal["even", "asap", "front_loaded"]
Permission: TypeAlias = Literal[
    "campaign:read",
    "campaign:write",
    "ad:read",
    "ad:write",
    "asset:read",
    "asset:write",
    "property:read",
    "reports:read",
    "property:write",
    "key:read",
    "key:write",
    "member:read",
    "member:write",
    "billing:read",
    "billing:write",
    "event:read",
    "account:write",
    "audit:read",
    "platform:read",
    "platform:write",
]
PricingModel: TypeAlias = Literal["cpm", "cpc", "cpa", "flat_rate"]
Priority: TypeAlias = Literal["sponsorship", "standard", "auction", "house"]
PropertyKind: TypeAlias = Literal["web", "app", "email", "audio", "ctv"]
PropertyStatus: TypeAlias = Literal["unverified", "verified", "suspended"]
QualitySignal: TypeAlias = Literal[
    "viewable", "start", "first_quartile", "midpoint", "third_quartile", "complete", "skip", "error"
]
ReportDimension: TypeAlias = Literal[
    "campaign",
    "ad",
    "property",
    "slot",
    "country",
    "device",
    "format",
    "source",
    "surface",
    "reason",
]
ReportGranularity: TypeAlias = Literal["hour", "day", "week", "month", "total"]
ReportMetric: TypeAlias = Literal[
    "requests",
    "fills",
    "no_fills",
    "fill_rate",
    "impressions",
    "viewable_impressions",
    "clicks",
    "conversions",
    "click_through_conversions",
    "view_through_conversions",
    "invalid_impressions",
    "invalid_clicks",
    "spend_cents",
    "earnings_cents",
    "conversion_value_cents",
    "ctr",
    "cvr",
    "ecpm_cents",
    "starts",
    "first_quartiles",
    "midpoints",
    "third_quartiles",
    "completes",
    "skips",
    "errors",
    "viewable_rate",
    "start_rate",
    "first_quartile_rate",
    "midpoint_rate",
    "third_quartile_rate",
    "completion_rate",
    "skip_rate",
    "error_rate",
]
SdkKeyKind: TypeAlias = Literal["publishable", "secret"]
ServeScenario: TypeAlias = Literal[
    "no_candidate",
    "account_stopped",
    "no_funds",
    "demo_never_fills",
    "slot_archived",
    "stale_snapshot",
    "spool_full",
    "campaign_not_active",
    "ad_not_active",
    "out_of_flight",
    "not_supported_yet",
    "budget_spent",
    "format_mismatch",
    "size_mismatch",
    "slot_not_targeted",
    "blocked_advertiser",
    "blocked_category",
    "blocked_ad",
    "below_floor",
    "geo_not_targeted",
    "device_not_targeted",
    "language_not_targeted",
    "daypart_not_targeted",
    "keywords_not_targeted",
    "key_values_not_targeted",
    "segments_not_targeted",
    "unfit_for_children",
    "advertiser_already_shown",
    "category_already_shown",
    "duration_mismatch",
    "share_of_voice",
    "goal_reached",
    "paced",
    "frequency_capped",
    "cap_not_known",
    "slow",
    "rate_limited",
    "tenant_suspended",
    "error",
]
SlotStatus: TypeAlias = Literal["active", "archived"]
StitchOutput: TypeAlias = Literal["plan", "vast", "hls", "file"]
Surface: TypeAlias = Literal[
    "web", "ios", "android", "flutter", "server", "email", "audio", "amp", "ctv"
]
VerificationMethod: TypeAlias = Literal["dns", "html_tag"]
VerificationProblem: TypeAlias = Literal[
    "record_missing",
    "record_differs",
    "name_servers_fail",
    "resolvers_disagree",
    "resolver_silent",
    "tag_missing",
    "tag_differs",
    "page_not_ok",
    "page_unreachable",
    "page_refused",
    "page_elsewhere",
    "held_by_another",
]
Weekday: TypeAlias = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


class Account(TypedDict):
    id: str
    name: str
    currency: str
    """
    ISO 4217 code; all amounts of the account are in this currency.
    """
    state: AccountState | str
    """
    `suspended`: every key is refused, on edges too.
    """
    state_reason: str | None
    """
    `payment_failed`, `subscription_ended`, `operator` or `closed`; null while active.
    """
    stopped: bool
    """
    Whether the account has stopped its live serving.
    """
    billing_mode: str
    """
    `invoiced` or `prepaid`.
    """
    address_verified: bool
    """
    Whether an owner has verified their email address. Until then the account can neither invite
    members nor serve live ads.
    """
    review_required: bool
    """
    Whether live campaigns and ads need approval by an owner or admin before they run.
    """
    require_second_factor: bool
    """
    Whether owners, admins and finance members need a second factor.
    """
    version: int
    created_at: str
    updated_at: str


class Ad(TypedDict):
    id: str
    campaign_id: str
    name: str
    format: AdFormat | str
    content: dict[str, Any]
    """
    The content for the ad's format, as on creation.
    """
    asset_ids: dict[str, str]
    """
    Asset ids by the role that they fill.
    """
    categories: Sequence[str]
    """
    Categories of the ad, as codes of the IAB content taxonomy.
    """
    tracking: AdvertiserTrackingUrls
    click_url: str | None
    """
    Destination URL; `{click_id}`, `{campaign_id}` and other macros are replaced.
    """
    advertiser_domain: str | None
    """
    Registrable domain of `click_url`.
    """
    weight: int
    """
    Relative weight among the campaign's ads.
    """
    slot_ids: Sequence[str]
    """
    Slots that the ad may serve in. Empty: every slot of the campaign's properties.
    """
    targeting: dict[str, Any]
    """
    The targeting, with codes in their standard case and without empty rules.
    """
    status: AdStatus | str
    review: ReviewDecision | None
    """
    The last review decision; null before the first, and while a new one is pending.
    """
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """
    version: int
    created_at: str
    updated_at: str


class AdPage(TypedDict):
    data: Sequence[Ad]
    has_more: bool
    next_cursor: str | None


class AdPatch(TypedDict):
    name: NotRequired[str]
    asset_ids: NotRequired[dict[str, str]]
    """
    Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio),
    `poster` (video), `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and
    duration in `content`; `html` inserts the file's text, at most 64 KiB.
    """
    content: NotRequired[dict[str, Any]]
    """
    The whole content of the ad's format, as on creation.
    """
    categories: NotRequired[Sequence[str]]
    """
    Codes of the IAB content taxonomy.
    """
    tracking: NotRequired[AdvertiserTrackingInput]
    click_url: NotRequired[str | None]
    """
    Destination URL (https; for trying out an ad, also http of the local machine), with the macros
    {click_id} {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
    """
    weight: NotRequired[int]
    """
    Relative weight among the campaign's ads.
    """
    slot_ids: NotRequired[Sequence[str]]
    """
    Slots that the ad may serve in. Empty: every slot of the campaign's properties.
    """
    targeting: NotRequired[Targeting]
    """
    Restricts the campaign's targeting further; cannot extend it.
    """


class AdVerification(TypedDict):
    """
    A script of a measurement vendor, for players with the Open Measurement SDK.
    """

    vendor: str
    """
    The vendor's key, like `vendor.example-omid`.
    """
    javascript_url: str
    """
    URL of the script.
    """
    browser_optional: NotRequired[bool]
    """
    Whether the script runs without a browser, too.
    """
    parameters: NotRequired[str | None]
    """
    Passed to the script unchanged.
    """
    not_executed_url: NotRequired[str | None]
    """
    URL that players load when they cannot run the script.
    """


class AdvertiserTracking(TypedDict):
    """
    The advertiser's own tracking URLs. Clients load them and ignore the response.
    """

    impression_urls: Sequence[str]
    """
    Load these when the ad is shown.
    """
    click_urls: Sequence[str]
    """
    Load these when the ad is clicked.
    """


class AdvertiserTrackingInput(TypedDict):
    """
    Tracking URLs, loaded by the client libraries.
    """

    impression_urls: NotRequired[Sequence[str]]
    """
    Loaded by the client libraries for each impression.
    """
    click_urls: NotRequired[Sequence[str]]
    """
    Loaded by the client libraries for each click.
    """


class AdvertiserTrackingUrls(TypedDict):
    impression_urls: Sequence[str]
    """
    Loaded by the client libraries for each impression.
    """
    click_urls: Sequence[str]
    """
    Loaded by the client libraries for each click.
    """


class Asset(TypedDict):
    id: str
    property_id: str | None
    kind: AssetKind | str
    filename: str
    """
    Original name of the file.
    """
    mime: str
    """
    Media type.
    """
    bytes: int
    """
    Length of the served file; until the asset is ready, of the upload.
    """
    sha256: str | None
    """
    SHA-256 of the same bytes, hexadecimal.
    """
    width: int | None
    height: int | None
    duration_ms: int | None
    """
    Duration in milliseconds.
    """
    media: MediaProperties | None
    status: AssetStatus | str
    url: str | None
    """
    URL of the file, once ready. Its content never changes.
    """
    rejection_reason: str | None
    """
    Why the file was rejected.
    """
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """
    created_at: str
    updated_at: str


class AssetCreate(TypedDict):
    """
    Request for an upload URL; the file follows by PUT.
    """

    kind: AssetKind
    filename: str
    """
    Original name of the file.
    """
    mime: str
    """
    Declared media type. The actual type is detected from the file.
    """
    bytes: int
    """
    Exact length of the file in bytes.
    """
    sha256: NotRequired[str | None]
    """
    SHA-256 of the file, hexadecimal. An upload with another digest is rejected.
    """
    property_id: NotRequired[str | None]
    """
    Property that owns the asset; integration keys see the assets of their own property. Default: a
    key's own property; for signed-in users, the account.
    """


class AssetCreated(TypedDict):
    id: str
    property_id: str | None
    kind: AssetKind | str
    filename: str
    """
    Original name of the file.
    """
    mime: str
    """
    Media type.
    """
    bytes: int
    """
    Length of the served file; until the asset is ready, of the upload.
    """
    sha256: str | None
    """
    SHA-256 of the same bytes, hexadecimal.
    """
    width: int | None
    height: int | None
    duration_ms: int | None
    """
    Duration in milliseconds.
    """
    media: MediaProperties | None
    status: AssetStatus | str
    url: str | None
    """
    URL of the file, once ready. Its content never changes.
    """
    rejection_reason: str | None
    """
    Why the file was rejected.
    """
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """
    created_at: str
    updated_at: str
    upload: AssetUpload | None
    """
    Where to send the file; null if it was part of the request.
    """


class AssetPage(TypedDict):
    data: Sequence[Asset]
    has_more: bool
    next_cursor: str | None


class AssetPatch(TypedDict):
    """
    The file itself never changes: upload a new one instead.
    """

    filename: NotRequired[str]
    """
    Display name of the file.
    """


class AssetUpload(TypedDict):
    method: str
    """
    HTTP method of the upload: `PUT`.
    """
    url: str
    """
    URL to send the file to, until `expires_at`.
    """
    headers: dict[str, str]
    """
    Headers to send with the file, unchanged.
    """
    expires_at: str


class Attribution(TypedDict):
    click_window_hours: int
    """
    Hours after a click in which a conversion counts for it.
    """
    view_window_hours: int
    """
    Hours after an impression in which a conversion counts for it.
    """
    conversion_events: Sequence[str]
    """
    Names of the conversions that count. Empty: all.
    """
    bill_in_session: bool
    """
    Whether conversions reported by the page itself are billed.
    """
    pixel_conversions_per_click: int
    """
    Maximum number of pixel conversions per click and event name.
    """


class AttributionInput(TypedDict):
    click_window_hours: NotRequired[int]
    """
    Hours after a click in which a conversion counts for it.
    """
    view_window_hours: NotRequired[int]
    """
    Hours after an impression in which a conversion counts for it.
    """
    conversion_events: NotRequired[Sequence[str]]
    """
    Names of the conversions that count, in either case; returned in lower case. Empty: all.
    """
    bill_in_session: NotRequired[bool]
    """
    Whether conversions reported through `/v1/track` are billed too.
    """
    pixel_conversions_per_click: NotRequired[int]
    """
    Maximum number of pixel conversions per click and event name; more are invalid with
    `rate_exceeded`.
    """


class AttributionPatch(TypedDict):
    click_window_hours: NotRequired[int]
    """
    Hours after a click in which a conversion counts for it.
    """
    view_window_hours: NotRequired[int]
    """
    Hours after an impression in which a conversion counts for it.
    """
    conversion_events: NotRequired[Sequence[str]]
    """
    Names of the conversions that count, in either case; returned in lower case. Empty: all.
    """
    bill_in_session: NotRequired[bool]
    """
    Whether conversions reported through `/v1/track` are billed too.
    """
    pixel_conversions_per_click: NotRequired[int]
    """
    Maximum number of pixel conversions per click and event name; more are invalid with
    `rate_exceeded`.
    """


class AudioAdCreate(TypedDict):
    campaign_id: str
    name: str
    format: Literal["audio"]
    asset_ids: NotRequired[dict[str, str]]
    """
    Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio),
    `poster` (video), `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and
    duration in `content`; `html` inserts the file's text, at most 64 KiB.
    """
    content: AudioContent
    categories: NotRequired[Sequence[str]]
    """
    Codes of the IAB content taxonomy.
    """
    tracking: NotRequired[AdvertiserTrackingInput]
    click_url: NotRequired[str | None]
    """
    Destination URL (https; for trying out an ad, also http of the local machine), with the macros
    {click_id} {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
    """
    weight: NotRequired[int]
    """
    Relative weight among the campaign's ads.
    """
    slot_ids: NotRequired[Sequence[str]]
    """
    Slots that the ad may serve in. Empty: every slot of the campaign's properties.
    """
    targeting: NotRequired[Targeting]
    """
    Restricts the campaign's targeting further; cannot extend it.
    """


class AudioBreakLimits(TypedDict):
    max_duration_ms: int
    """
    Maximum total duration of the ads in one break, in milliseconds.
    """
    max_ads: int
    """
    Maximum number of ads in one break.
    """


class AudioBreakLimitsInput(TypedDict):
    """
    Limits of one ad break of an audio slot.
    """

    max_duration_ms: int
    """
    Maximum total duration of the ads in one break, in milliseconds.
    """
    max_ads: NotRequired[int]
    """
    Maximum number of ads in one break.
    """


class AudioContent(TypedDict):
    """
    `media` lists the renditions of one recording. An asset with the role `media.0` provides the
    first.
    """

    media: NotRequired[Sequence[AudioRendition]]
    companion: NotRequired[Companion | None]
    universal_ad_id: NotRequired[UniversalAdId | None]
    """
    Only in VAST documents (`output=vast`). Default: an id of the ad and its media.
    """
    verifications: NotRequired[Sequence[AdVerification]]
    """
    Only in VAST documents (`output=vast`).
    """


class AudioRendition(TypedDict):
    """
    All fields except `bitrate_kbps` are required, unless an asset has the rendition's role
    (`media.0` onwards).
    """

    url: NotRequired[str]
    """
    URL of the media file.
    """
    mime: NotRequired[str]
    """
    Media type.
    """
    bitrate_kbps: NotRequired[int | None]
    """
    Bitrate in kilobits per second.
    """
    duration_ms: NotRequired[int]
    """
    Duration in milliseconds.
    """


class BannerAdCreate(TypedDict):
    campaign_id: str
    name: str
    format: Literal["banner"]
    asset_ids: NotRequired[dict[str, str]]
    """
    Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio),
    `poster` (video), `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and
    duration in `content`; `html` inserts the file's text, at most 64 KiB.
    """
    content: BannerContent
    categories: NotRequired[Sequence[str]]
    """
    Codes of the IAB content taxonomy.
    """
    tracking: NotRequired[AdvertiserTrackingInput]
    click_url: NotRequired[str | None]
    """
    Destination URL (https; for trying out an ad, also http of the local machine), with the macros
    {click_id} {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
    """
    weight: NotRequired[int]
    """
    Relative weight among the campaign's ads.
    """
    slot_ids: NotRequired[Sequence[str]]
    """
    Slots that the ad may serve in. Empty: every slot of the campaign's properties.
    """
    targeting: NotRequired[Targeting]
    """
    Restricts the campaign's targeting further; cannot extend it.
    """


class BannerContent(TypedDict):
    """
    All fields except `alt` are required, unless an asset has the role `image`.
    """

    image_url: NotRequired[str]
    """
    URL of the image.
    """
    width: NotRequired[int]
    height: NotRequired[int]
    alt: NotRequired[str]
    """
    Text alternative of the image, for people who cannot see it.
    """


class Budget(TypedDict):
    total_cents: int | None
    """
    Maximum spend over the whole flight.
    """
    daily_cents: int | None
    """
    Maximum spend per day, in the campaign's time zone.
    """


class BudgetInput(TypedDict):
    total_cents: NotRequired[int | None]
    """
    Maximum spend over the whole flight.
    """
    daily_cents: NotRequired[int | None]
    """
    Maximum spend per day, in the campaign's time zone.
    """


class BudgetPatch(TypedDict):
    total_cents: NotRequired[int | None]
    """
    Maximum spend over the whole flight.
    """
    daily_cents: NotRequired[int | None]
    """
    Maximum spend per day, in the campaign's time zone.
    """


class BulkCampaignAction(TypedDict):
    action: str
    """
    The action.
    """
    ids: Sequence[str]
    """
    Ids of the campaigns.
    """


class BulkCampaignError(TypedDict):
    code: str
    message: str


class BulkCampaignResult(TypedDict):
    id: str
    ok: bool
    """
    Whether the action succeeded for this campaign.
    """
    status: CampaignStatus | str | None
    """
    The campaign's status now; null if the action failed.
    """
    version: int | None
    error: BulkCampaignError | None


class BulkCampaignResults(TypedDict):
    data: Sequence[BulkCampaignResult]


class Caller(TypedDict):
    credential: CredentialKind | str
    """
    The credential used for this request.
    """
    account: Account
    is_operator: bool
    """
    Whether the account operates this service.
    """
    user: CallerUser | None
    """
    The signed-in user, or the key's creator if still a member.
    """
    role: MemberRole | str | None
    """
    The user's role now.
    """
    permissions: Sequence[Permission | str]
    """
    Permissions that this credential has now.
    """
    scopes: Sequence[Permission | str] | None
    """
    Scopes of the integration key, as chosen.
    """
    lost_scopes: Sequence[LostScope]
    """
    Scopes that the key cannot use any more: `permission_lost`.
    """
    environment: Environment | str | None
    """
    Environment of the key; null for a signed-in user.
    """
    property_id: str | None
    """
    Property of the key; null for a signed-in user.
    """
    property: CallerProperty | None
    """
    Property of the key; null for a signed-in user.
    """
    key: CallerKey | None
    keys_to_rotate: int
    """
    Active secret and integration keys older than 90 days: of the account, or of the key's own
    property.
    """
    blocks: Sequence[LiveBlock]
    """
    What blocks this caller; empty if nothing does.
    """
    rate_limit: CallerRateLimit
    server_time: str
    """
    Server time of the response, to compare with your clock.
    """
    snapshot_version: int
    """
    Version of the newest snapshot. Every change relevant to edges increases it.
    """


class CallerKey(TypedDict):
    id: str
    kind: KeyKind | str
    name: str
    last4: str
    """
    Last four characters of the key's text.
    """
    environment: Environment | str
    created_by: str
    """
    Id of the user the key acts for.
    """
    creator_is_member: bool
    """
    False: the user has left the account, and the key has no permissions.
    """
    created_at: str
    last_used_at: str | None
    """
    Last use before this request, accurate to about a minute; null on first use.
    """
    expires_at: str | None
    """
    Expiry; null: does not expire.
    """
    rotation_due: bool
    """
    Whether the key is older than 90 days and should be replaced.
    """


class CallerProperty(TypedDict):
    id: str
    name: str
    domain: str | None
    """
    Registered domain.
    """
    status: PropertyStatus | str


class CallerRateLimit(TypedDict):
    calls_per_second: int
    """
    Sustained rate in requests per second.
    """
    burst: int
    """
    Maximum burst.
    """
    left: int
    """
    Requests left in the current burst.
    """


class CallerUser(TypedDict):
    id: str
    email: str
    name: str
    email_verified: bool
    """
    Whether the email address is verified.
    """
    language: Language | str | None
    """
    Language of the mails to the user; null: English.
    """


class Campaign(TypedDict):
    id: str
    property_ids: Sequence[str]
    """
    Properties that the campaign may serve on.
    """
    name: str
    objective: str
    """
    The campaign's objective; determines which event is optimised.
    """
    pricing_model: str
    """
    The event or period that is paid for.
    """
    bid_cents: int
    """
    Price in cents for a thousand impressions, a click, a conversion or the whole flight, by
    `pricing_model`.
    """
    pacing: str
    """
    How spend is spread over the flight.
    """
    priority: str
    """
    Priority over other campaigns.
    """
    start_at: str | None
    end_at: str | None
    timezone: str
    """
    IANA time zone name.
    """
    budget: Budget
    goal: Goal | None
    share_of_voice_percent: int | None
    """
    Share of all decisions in percent; sponsorships only.
    """
    frequency_caps: Sequence[FrequencyCap]
    targeting: dict[str, Any]
    """
    The targeting, with codes in their standard case and without empty rules.
    """
    attribution: Attribution
    status: CampaignStatus | str
    delivery_status: CampaignDeliveryStatus | str
    delivery_reason: str | None
    """
    Why the campaign does not deliver: a code, or a code with text. Null while it delivers, except
    `caps_unknown`: more than 0.1 % of its frequency cap look-ups failed in the current and the
    previous hour, so it delivers less than it could.
    """
    spend_cents: int
    """
    Spend so far in cents, rounded down.
    """
    review: ReviewDecision | None
    """
    The last review decision; null before the first, and while a new one is pending.
    """
    external_ref: str | None
    """
    Your own reference, unique in the account and environment.
    """
    metadata: dict[str, str]
    """
    Your own names and values; stored and returned unchanged.
    """
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """
    version: int
    created_at: str
    updated_at: str


class CampaignClone(TypedDict):
    name: NotRequired[str | None]
    """
    Name of the copy. Default: `Copy of …`.
    """
    start_at: NotRequired[str | None]
    """
    Default: the original's date. Null: none.
    """
    end_at: NotRequired[str | None]
    """
    Default: the original's date. Null: none.
    """
    include_ads: NotRequired[bool]
    """
    Whether to clone the ads as drafts. Archived ads are not cloned.
    """
    environment: NotRequired[Environment | None]
    """
    Default: the original's environment. A key can only use its own.
    """


class CampaignCreate(TypedDict):
    property_ids: NotRequired[Sequence[str] | None]
    """
    Properties that the campaign may serve on. Required for signed-in users; default for an
    integration key: its own property.
    """
    name: str
    objective: Objective
    pricing_model: PricingModel
    bid_cents: int
    """
    Price in cents for a thousand impressions (cpm), a click (cpc), a conversion (cpa), or the whole
    flight (flat_rate).
    """
    pacing: NotRequired[Pacing]
    priority: NotRequired[Priority]
    start_at: NotRequired[str | None]
    end_at: NotRequired[str | None]
    timezone: NotRequired[str | None]
    """
    IANA time zone for daily budgets and dayparts. Default: the first property's.
    """
    budget: NotRequired[BudgetInput | None]
    goal: NotRequired[GoalInput | None]
    share_of_voice_percent: NotRequired[int | None]
    """
    Share of all decisions in percent; sponsorships only.
    """
    frequency_caps: NotRequired[Sequence[FrequencyCapInput]]
    targeting: NotRequired[Targeting]
    attribution: NotRequired[AttributionInput]
    external_ref: NotRequired[str | None]
    """
    Your own id, compared byte for byte; unique in the account and environment.
    """
    metadata: NotRequired[dict[str, str]]
    """
    Your own names and values; stored and returned unchanged.
    """


class CampaignDelivery(TypedDict):
    status: CampaignStatus | str
    delivery_status: CampaignDeliveryStatus | str
    delivery_reason: str | None
    """
    Why the campaign delivers, or does not.
    """
    expected_percent: float | None
    """
    Percentage of the goal (or else of the total budget) that should be delivered by now, from the
    pacing plan over the flight and the traffic of the targeted slots. Null if there is no plan: no
    goal and no total budget, no end, pacing `asap`, a flat rate, priority `house`, or test.
    """
    actual_percent: float | None
    """
    Percentage of the goal (or else of the total budget) delivered; null if there is neither, and
    for test budgets.
    """
    pace: DeliveryPace | str | None
    """
    `ahead` or `behind` if more than 10 % off the plan; null without a plan.
    """
    spend_cents: int
    """
    Spend so far in cents, rounded down.
    """
    remaining_cents: int | None
    """
    Remaining total budget; null if there is none. In test it stays full: nothing is charged.
    """
    today: DeliveryToday
    impressions: int
    """
    Valid impressions since the campaign was created.
    """
    clicks: int
    """
    Valid clicks.
    """
    conversions: int
    """
    Valid conversions.
    """
    max_over_delivery_cents: int | None
    """
    Maximum that edges could still deliver with the budget already granted to them, events in
    transit included. Delivery beyond the budget is not charged. Null: no budget, or unknown.
    """
    top_no_serve_reasons: Sequence[NoServeShare]
    """
    Reasons why requests of the last 24 hours that the campaign could have filled (by slot, country
    and device) showed no ad, most frequent first.
    """
    as_of: str | None
    """
    Every event up to this time is counted; null before any edge reported.
    """


class CampaignPage(TypedDict):
    data: Sequence[Campaign]
    has_more: bool
    next_cursor: str | None


class CampaignPatch(TypedDict):
    property_ids: NotRequired[Sequence[str]]
    """
    Properties that the campaign may serve on.
    """
    name: NotRequired[str]
    objective: NotRequired[Objective]
    pricing_model: NotRequired[PricingModel]
    bid_cents: NotRequired[int]
    """
    Price in cents for a thousand impressions (cpm), a click (cpc), a conversion (cpa), or the whole
    flight (flat_rate).
    """
    pacing: NotRequired[Pacing]
    priority: NotRequired[Priority]
    start_at: NotRequired[str | None]
    end_at: NotRequired[str | None]
    timezone: NotRequired[str]
    """
    IANA time zone name.
    """
    budget: NotRequired[BudgetPatch | None]
    goal: NotRequired[GoalInput | None]
    share_of_voice_percent: NotRequired[int | None]
    """
    Share of all decisions in percent; sponsorships only.
    """
    frequency_caps: NotRequired[Sequence[FrequencyCapInput]]
    targeting: NotRequired[Targeting]
    attribution: NotRequired[AttributionPatch]
    external_ref: NotRequired[str | None]
    """
    Your own id, compared byte for byte; unique in the account and environment.
    """
    metadata: NotRequired[dict[str, str]]
    """
    Your own names and values; stored and returned unchanged.
    """


class ClickVerification(TypedDict):
    click_id: str
    """
    The `sa_click_id` from the landing page's URL, unchanged: a UUID, a dot and a tag.
    """


class ClickVerified(TypedDict):
    valid: bool
    """
    Whether this service signed the click id, in the environment of the key.
    """
    id: NotRequired[str | None]
    """
    The UUID of the click; null if the id is not valid.
    """


class ClientFrequencyCap(TypedDict):
    name: str
    """
    Eight characters that identify the cap in `seen`.
    """
    event: EventKind | str
    window_seconds: int
    """
    Length of the sliding window in seconds.
    """


class Companion(TypedDict):
    """
    Image shown while an audio ad plays. All fields except `alt` are required, unless an asset has
    the role `companion`.
    """

    image_url: NotRequired[str]
    """
    URL of the image.
    """
    width: NotRequired[int]
    height: NotRequired[int]
    alt: NotRequired[str]
    """
    Text alternative of the image, for people who cannot see it.
    """


class ConversionAccepted(TypedDict):
    conversion_id: str
    """
    Same id for a repeated request; if attributed, also the event's id in the feed.
    """


class ConversionBody(TypedDict):
    """
    Exactly one of `click_id` and `uid`.
    """

    click_id: NotRequired[str | None]
    """
    The `sa_click_id` from the landing page's URL: a UUID, a dot and a tag, or the UUID alone.
    """
    uid: NotRequired[str | None]
    """
    The visitor's `uid`, as sent to `/v1/serve`.
    """
    event_name: str
    """
    Your own name for the event. A campaign's `conversion_events` lists the names that count for it,
    case-insensitive.
    """
    value_cents: NotRequired[int | None]
    """
    Value of the conversion in cents of `currency`; without `currency`, of the property's currency.
    """
    currency: NotRequired[str | None]
    """
    ISO 4217 code of `value_cents`; only with it.
    """
    order_id: NotRequired[str | None]
    """
    Your order id. An order counts once per property and environment, whichever way it is reported
    first. A report with a secret key or a signed click id replaces an earlier one without, such as
    one in session.
    """
    occurred_at: NotRequired[str | None]
    """
    Time of the conversion, at most 90 days ago and 30 seconds ahead. Default: now.
    """


class ConversionCounts(TypedDict):
    """
    Valid conversions by attribution, and the conversions that do not count.
    """

    click_through: int
    """
    Conversions after a click.
    """
    view_through: int
    """
    Conversions after a view, without a click.
    """
    in_session: int
    """
    Conversions reported by the page with the ad's own token.
    """
    waiting: int
    """
    Conversions waiting for earlier events, for an hour at most.
    """
    unattributed: int
    """
    Conversions without a known click or view. Pixel conversions with an unknown click belong to no
    property and are not counted anywhere.
    """
    repeated: int
    """
    Conversions whose order was already counted.
    """


class Daypart(TypedDict):
    """
    A window within one day, in the campaign's time zone. A window over midnight needs two of them.
    """

    days: Sequence[Weekday]
    start: str
    """
    Start of the window, `HH:MM`.
    """
    end: str
    """
    End of the window, `HH:MM`, up to `24:00`.
    """


class DecisionCandidate(TypedDict):
    """
    A candidate ad and what happened to it.
    """

    campaign_id: str
    ad_id: str
    state: CandidateState | str
    dropped_by: NoFillReason | str | None
    """
    The first rule that excluded it.
    """
    words: str
    """
    What happened to the candidate, and how to change that.
    """
    turn: int | None
    """
    Rank in which the candidate was tried, from 1; null if it was not eligible.
    """
    priority: Priority | str
    ecpm_micros: int
    """
    Expected revenue per thousand impressions (eCPM), in micros: 10,000 are one cent.
    """
    clicks_ppm: int
    """
    Expected clicks per million impressions.
    """
    conversions_ppm: int
    """
    Expected conversions per million clicks.
    """
    weight: int
    """
    Relative weight among the campaign's ads.
    """
    matched: Sequence[str]
    """
    Targeting rules that matched.
    """
    missed: Sequence[str]
    """
    Targeting rules that did not match.
    """


class DecisionConsent(TypedDict):
    """
    The consent of the request. For a hypothetical opportunity: as given.
    """

    limited: bool
    """
    Whether a signal refused consent; recorded in the token.
    """
    child_directed: bool
    """
    Whether the page is directed at children.
    """
    personal: bool
    """
    Whether ids, segments and per-visitor caps may be used.
    """
    storage: bool | None
    """
    Whether an id may be stored on the device.
    """
    measurement: bool | None
    """
    Whether this visitor's events may be measured individually.
    """
    why: Sequence[str]
    """
    The deciding signals, in the order in which they are checked.
    """


class DecisionExplanation(TypedDict):
    decision_id: str | None
    """
    Null for a hypothetical opportunity.
    """
    reproduced: bool | None
    """
    Whether repeating the decision gave exactly the recorded outcome. False: a newer release changed
    the rules; the outcome shown is the recorded one. Null: nothing was recorded.
    """
    at: str
    """
    When it happened.
    """
    environment: Environment | str
    property_id: str
    slot_id: str
    snapshot: SnapshotPosition
    seed: str
    """
    Random seed of the decision, 64 bits in hex.
    """
    outcome: DecisionOutcome
    consent: DecisionConsent
    considered: Sequence[DecisionCandidate]
    """
    Eligible candidates in the order tried, then the others by how many rules they passed.
    """
    considered_total: int
    """
    Total number of candidates, listed or not.
    """


class DecisionOpportunity(TypedDict):
    """
    A hypothetical ad request, with the values that targeting is matched against. An omitted field
    is unknown.
    """

    slot: str
    """
    The slot's id, or its key together with `property_id`.
    """
    property_id: NotRequired[str | None]
    """
    Default for an integration key: its own property. Signed-in users need it if `slot` is a key.
    """
    environment: NotRequired[Environment | None]
    """
    Required for signed-in users. An integration key always uses its own environment.
    """
    format: NotRequired[AdFormat | None]
    w: NotRequired[int | None]
    """
    Available width and height in pixels.
    """
    h: NotRequired[int | None]
    """
    Available width and height in pixels.
    """
    surface: NotRequired[Surface]
    country: NotRequired[str | None]
    """
    ISO 3166-1 country code.
    """
    region: NotRequired[str | None]
    """
    The part of the ISO 3166-2 code after the dash: `SP` for BR-SP.
    """
    device: NotRequired[DeviceType | None]
    os: NotRequired[OperatingSystem | None]
    browser: NotRequired[Browser | None]
    languages: NotRequired[Sequence[str]]
    """
    Languages of the visitor, BCP 47.
    """
    keywords: NotRequired[Sequence[str]]
    """
    Keywords of the page.
    """
    key_values: NotRequired[dict[str, Sequence[str]]]
    """
    Your own key-value pairs, like `kv.NAME` on serve.
    """
    segments: NotRequired[Sequence[str]]
    """
    Segments of the visitor.
    """
    child_directed: NotRequired[bool]
    """
    Whether the page is directed at children, like `coppa=1` on serve.
    """
    consent_limited: NotRequired[bool]
    """
    Whether consent is missing: segments are then ignored.
    """
    shown_advertisers: NotRequired[Sequence[str]]
    """
    Advertisers already shown by other slots of the same request: their domains, or URLs that
    contain them.
    """


class DecisionOutcome(TypedDict):
    """
    An ad, or the reason why there is none.
    """

    filled: bool
    """
    Whether an ad was chosen.
    """
    ad_id: str | None
    campaign_id: str | None
    source: AdSource | str | None
    price_micros: int | None
    """
    Price of one billable event in micros: 10,000 are one cent.
    """
    reason: NoFillReason | str | None
    words: str
    """
    What happened, and how to change that.
    """


class DecisionQuestion(TypedDict):
    """
    Exactly one of `decision_id` and `opportunity`. `at`, `snapshot_version` and `seed` go with
    `opportunity`.
    """

    decision_id: NotRequired[str | None]
    """
    The `decision_id` of a serve response, or the `X-Decision-Id` of one without an ad.
    """
    opportunity: NotRequired[DecisionOpportunity | None]
    at: NotRequired[str | None]
    """
    Time of the hypothetical request; may be in the future. Default: now.
    """
    snapshot_version: NotRequired[int | None]
    """
    Snapshot version. Default: the snapshot at the time `at`.
    """
    seed: NotRequired[str | None]
    """
    64 bits in hex, from which all random draws are derived. Default: a new random seed.
    """
    limit: NotRequired[int]
    """
    Maximum number of candidates listed.
    """


class DeliveryToday(TypedDict):
    """
    Delivery of the current day, in the campaign's time zone.
    """

    date: str
    """
    The date, in the campaign's time zone.
    """
    spend_cents: int
    """
    Spend in cents: charges for events by their hour, as in reports, and the day's part of a flat
    rate.
    """
    remaining_cents: int | None
    """
    Remaining daily budget, which counts an event on the day when its ad was served; null without
    `budget.daily_cents`.
    """
    impressions: int
    """
    Valid impressions.
    """
    clicks: int
    """
    Valid clicks.
    """
    conversions: int
    """
    Valid conversions.
    """


class DeviceTargeting(TypedDict):
    types: NotRequired[Sequence[DeviceType]]
    os: NotRequired[Sequence[OperatingSystem]]
    browsers: NotRequired[Sequence[Browser]]


class EmailAdCreate(TypedDict):
    campaign_id: str
    name: str
    format: Literal["email"]
    asset_ids: NotRequired[dict[str, str]]
    """
    Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio),
    `poster` (video), `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and
    duration in `content`; `html` inserts the file's text, at most 64 KiB.
    """
    content: EmailContent
    categories: NotRequired[Sequence[str]]
    """
    Codes of the IAB content taxonomy.
    """
    tracking: NotRequired[AdvertiserTrackingInput]
    click_url: NotRequired[str | None]
    """
    Destination URL (https; for trying out an ad, also http of the local machine), with the macros
    {click_id} {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
    """
    weight: NotRequired[int]
    """
    Relative weight among the campaign's ads.
    """
    slot_ids: NotRequired[Sequence[str]]
    """
    Slots that the ad may serve in. Empty: every slot of the campaign's properties.
    """
    targeting: NotRequired[Targeting]
    """
    Restricts the campaign's targeting further; cannot extend it.
    """


class EmailConsent(TypedDict):
    """
    Consent signals of all recipients of the call, as the parameters of `GET /v1/serve` with these
    names.
    """

    gdpr: NotRequired[str | None]
    """
    `1` if the GDPR applies, `0` if not.
    """
    gdpr_consent: NotRequired[str | None]
    """
    IAB TCF consent string.
    """
    gpp: NotRequired[str | None]
    """
    IAB GPP string.
    """
    gpp_sid: NotRequired[str | None]
    """
    Ids of the GPP sections that apply.
    """
    us_privacy: NotRequired[str | None]
    """
    IAB US Privacy string.
    """
    coppa: NotRequired[str | None]
    """
    `1` for children.
    """
    lgpd: NotRequired[str | None]
    """
    `1` if the recipients consented under the LGPD, `0` if not.
    """
    npa: NotRequired[str | None]
    """
    `1` for ads that are not personalised.
    """


class EmailContent(TypedDict):
    """
    Mail clients hide images by default: the message must be understandable without them. All fields
    are required, unless an asset has the role `image`.
    """

    image_url: NotRequired[str]
    """
    URL of the image.
    """
    width: NotRequired[int]
    height: NotRequired[int]
    alt: str
    """
    Text alternative of the image, for people who cannot see it.
    """
    text_fallback: str
    """
    Text for the plain-text part of the mail.
    """


class EmailItem(TypedDict):
    """
    One slot of one recipient's mail. A `no_fill` item has nothing to show: all other fields are
    null.
    """

    ref: str | None
    """
    The recipient's `ref`; null if no recipients were sent.
    """
    slot: str
    """
    The slot as in the request.
    """
    status: EmailItemStatus | str
    ad_id: str | None
    """
    Null with `on_open`, too: it is not chosen yet.
    """
    campaign_id: str | None
    html: str | None
    """
    Markup for the HTML part of the mail, impression pixel included. Insert it unchanged.
    """
    text: str | None
    """
    For the plain-text part of the mail, link included.
    """
    image_url: str | None
    """
    The ad's image.
    """
    click_url: str | None
    """
    Redirect to the ad's destination.
    """
    impression_url: str | None
    """
    Impression pixel, part of `html`. Null with `on_open`, where `image_url` counts.
    """
    alt: str | None
    """
    The image's alternative text.
    """
    width: int | None
    """
    Of the image, in pixels.
    """
    height: int | None
    track_token: str | None
    """
    Token for `POST /v1/track`; null with `on_open`, and without `recipients`.
    """


class EmailPrepareBody(TypedDict):
    """
    Either `slot` or `slots`.
    """

    slot: NotRequired[str | None]
    """
    Key or id of a slot with the format `email`.
    """
    slots: NotRequired[Sequence[str] | None]
    """
    Several slots of one mail. No advertiser appears in two of them, except a sponsor that takes
    them together. With `render` `on_open` each image is chosen apart.
    """
    send_id: str
    """
    Your own id of this mailing. All calls of a mailing have the same.
    """
    mode: NotRequired[EmailMode]
    """
    `per_recipient`: an ad is chosen for each recipient. `per_send`: one ad a slot for all of them;
    what the recipients are like does not choose it.
    """
    render: NotRequired[EmailRender]
    """
    `fixed`: the ad is chosen now. `on_open`: `image_url` and `click_url` choose it when the mail is
    opened; it needs `recipients`.
    """
    recipients: NotRequired[Sequence[EmailRecipient] | None]
    """
    Up to 1,000; split a larger mailing into several calls. With `per_send` they may be left out:
    one item a slot, for all copies of the mail.
    """
    expires_in_days: NotRequired[int]
    """
    For how long impressions and clicks count.
    """
    consent: NotRequired[EmailConsent | None]
    """
    Consent signals of the recipients. Without it, a `uid` states that the person's data may be used
    for frequency caps.
    """


class EmailPrepared(TypedDict):
    send_id: str
    expires_at: str
    """
    When the first of the items expires: events after that do not count.
    """
    items: Sequence[EmailItem]
    """
    Recipients in the order sent, and within each the slots in the order sent.
    """
    filled: int
    """
    Number of items with an ad.
    """
    no_fill: int
    """
    Number of items without one.
    """


class EmailRecipient(TypedDict):
    """
    No field may contain an e-mail address.
    """

    ref: str
    """
    Your own id of this recipient in this send, to match the items. Unique within the call.
    """
    uid: NotRequired[str | None]
    """
    Your own opaque id of the person, the same in every send: frequency caps count by it. Leave it
    out if the person's data may not be used.
    """
    country: NotRequired[str | None]
    """
    ISO 3166-1 country code, for targeting.
    """
    lang: NotRequired[str | None]
    """
    Languages as in `Accept-Language`.
    """
    kv: NotRequired[dict[str, str | Sequence[str]]]
    """
    Key-values for targeting, as `kv.NAME` of `GET /v1/serve`: at most 50 values in all. With
    `render` `on_open` the whole recipient has at most 1024 bytes as JSON.
    """


class EmbedContext(TypedDict):
    """
    Initial state of the window.
    """

    campaign_id: NotRequired[str | None]
    """
    For `campaign_edit` and `ad_create`: limits the window to this campaign. Omitted: the user
    chooses one.
    """
    external_ref: NotRequired[str | None]
    """
    `external_ref` of a campaign that the window creates.
    """
    locale: NotRequired[str | None]
    """
    Language such as `pt-BR`. Default: the browser's. Unsupported languages fall back to English.
    """
    theme: NotRequired[EmbedTheme | None]
    """
    Default: the system setting of the user.
    """


class EmbedSessionCreate(TypedDict):
    component: EmbedComponent
    """
    The page to show.
    """
    origin: str
    """
    The only origin that may frame the window: `https://host` or `https://host:port`, in lower case
    and punycode, without the default port. Test keys may also use `http://localhost` and
    `http://localhost:port`.
    """
    context: NotRequired[EmbedContext]


class EmbedSessionCreated(TypedDict):
    client_secret: str
    """
    Opens the window once.
    """
    url: str
    """
    URL to open in an iframe on `origin`.
    """
    expires_at: str
    """
    Expiry of the secret, unless it was used.
    """


class ErrorBody(TypedDict):
    code: str
    message: str
    """
    What is wrong, and what to do next.
    """
    param: NotRequired[str | None]
    """
    The invalid field, dotted, if the error is about a field.
    """
    details: NotRequired[Sequence[ErrorDetail] | None]
    """
    Every error of every invalid field.
    """
    request_id: NotRequired[str | None]


class ErrorDetail(TypedDict):
    param: str
    """
    The field, dotted: `budget.total_cents`.
    """
    code: str
    message: str


class Event(TypedDict):
    id: str
    kind: EventKind | str
    ts: str
    """
    Time of the event, UTC.
    """
    ad_id: str
    campaign_id: str
    slot_id: str
    property_id: str
    source: AdSource | str
    surface: Surface | str
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """
    valid: bool
    """
    Whether the event passed the invalid-traffic filter.
    """
    reason: EventReason | str
    live_reason: EventReason | str | None
    """
    For a test event: the reason that the traffic filter would have given in live, or the test
    scenario. Null for live events, and for events older than this field.
    """
    ivt_class: InvalidTrafficClass | str
    value_cents: int | None
    """
    Value of a conversion in cents of `currency`, as reported.
    """
    currency: str | None
    """
    ISO 4217 code of `value_cents`, as reported; null if none was: the property's currency applies.
    """
    order_id: str | None
    """
    Order id of a conversion, as reported.
    """
    attribution: str | None
    """
    How a conversion was attributed to its ad: `click_through` and `view_through` by an earlier
    event of the visitor, `in_session` by the ad's own token. New values may be added.
    """
    event_name: str | None
    """
    Name of a conversion, as reported.
    """
    corrects: str | None
    """
    Id of the event that this one retracts.
    """


class EventCounts(TypedDict):
    """
    Valid events of each kind, and all invalid events.
    """

    impressions: int
    """
    Valid impressions.
    """
    clicks: int
    """
    Valid clicks.
    """
    conversions: int
    """
    Valid conversions.
    """
    invalid: int
    """
    Events rejected by the invalid-traffic filter.
    """


class EventPage(TypedDict):
    data: Sequence[Event]
    has_more: bool
    next_cursor: str | None


class Export(TypedDict):
    id: str
    kind: ExportKind | str
    format: ExportFormat | str
    status: ExportStatus | str
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """
    progress_percent: int
    """
    Progress in percent; an estimate until it is 100.
    """
    question: dict[str, Any]
    """
    The request as it was understood, with defaults.
    """
    rows: int | None
    """
    Number of rows in the file.
    """
    bytes: int | None
    """
    Length of the file in bytes.
    """
    sha256: str | None
    """
    SHA-256 of the file, hexadecimal.
    """
    url: str | None
    """
    Download link, which anyone can use until `url_expires_at`. Read the export again for a new one;
    lists have no links.
    """
    url_expires_at: str | None
    error: str | None
    """
    Why the export failed, and what to do.
    """
    created_at: str
    started_at: str | None
    finished_at: str | None
    expires_at: str | None
    """
    Time at which the file is deleted.
    """


ExportCreate = TypedDict(
    "ExportCreate",
    {
        "from": "str",
        "to": "NotRequired[str]",
        "granularity": "NotRequired[ReportGranularity]",
        "group_by": "NotRequired[Sequence[ReportDimension]]",
        "metrics": "NotRequired[Sequence[ReportMetric]]",
        "tz": "NotRequired[str | None]",
        "campaign_id": "NotRequired[Sequence[str] | None]",
        "ad_id": "NotRequired[Sequence[str] | None]",
        "property_id": "NotRequired[Sequence[str] | None]",
        "slot_id": "NotRequired[Sequence[str] | None]",
        "country": "NotRequired[Sequence[str] | None]",
        "device": "NotRequired[Sequence[DeviceType] | None]",
        "format": "ExportFormat",
        "source": "NotRequired[Sequence[AdSource] | None]",
        "surface": "NotRequired[Sequence[Surface] | None]",
        "reason": "NotRequired[Sequence[EventReason] | None]",
        "kind": "NotRequired[ExportKind]",
        "ad_format": "NotRequired[Sequence[AdFormat] | None]",
        "event": "NotRequired[Sequence[EventKind] | None]",
        "valid": "NotRequired[bool | None]",
    },
)
"""The parameters of a report; events use the range and the filters only. ``format`` is the format of the file."""


class ExportPage(TypedDict):
    data: Sequence[Export]
    has_more: bool
    next_cursor: str | None


class FilledSlot(TypedDict):
    """
    One of several slots, with its ad as in a response for a single slot.
    """

    decision_id: str
    """
    UUID of this decision; also the id inside its tokens.
    """
    ad_id: str
    campaign_id: str
    slot_id: str
    property_id: str
    format: AdFormat | str
    width: int | None
    """
    In pixels; null if the format has no size.
    """
    height: int | None
    content: dict[str, Any]
    """
    Content of the ad, by format.
    """
    html: str
    """
    Ready-made markup. An html ad is inside a sandboxed iframe.
    """
    track_token: str
    """
    Token for `POST /v1/track`, to send unchanged.
    """
    impression_url: str
    """
    Signed impression pixel; safe to use on third-party pages.
    """
    click_url: str
    """
    Signed redirect to the ad's destination.
    """
    source: AdSource | str
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """
    ttl_seconds: int
    """
    Seconds during which the token counts for impression and track.
    """
    viewability: Viewability
    has_destination: NotRequired[bool | None]
    """
    `false` if the ad has no destination: show it without a link, because `click_url` returns 404.
    Otherwise absent.
    """
    tracking: NotRequired[AdvertiserTracking | None]
    """
    Tracking URLs of the advertiser for you to load, if any. `output=html` loads `impression_urls`
    itself; `click_urls` are always yours to load.
    """
    caps: NotRequired[Sequence[ClientFrequencyCap] | None]
    """
    For an ad with frequency caps: what a client without a `uid` counts itself, to send as `seen`.
    """
    explain: NotRequired[Sequence[ServedCandidate] | None]
    """
    With `debug=1`: the candidates (at most 1,000), most relevant first.
    """
    consent: NotRequired[ServedConsent | None]
    """
    With `debug=1`: the consent of the request and its reasons.
    """
    page_origin: NotRequired[str | None]
    """
    With `debug=1`: the origin of `url`; null if `url` is not a web address.
    """
    slot: str
    """
    The slot as in the request.
    """
    status: Literal["filled"]


class Forecast(TypedDict):
    from_at: str
    """
    Start of the forecast period.
    """
    to_at: str
    """
    End of the forecast period, exclusive.
    """
    insufficient_traffic: bool
    """
    Whether there was too little traffic to forecast from; all numbers below are then null.
    """
    matched: ForecastInterval | None
    """
    Impressions that match the campaign's targeting and ads.
    """
    booked: ForecastInterval | None
    """
    Matched impressions that higher-ranked campaigns take.
    """
    available: ForecastInterval | None
    """
    Matched minus booked: impressions that the campaign could have.
    """
    contested: ForecastInterval | None
    """
    Available impressions that other campaigns would have without this one.
    """
    delivered: ForecastInterval | None
    """
    Impressions that the campaign is expected to deliver, given its budget, goal and pacing.
    """
    spend_cents: ForecastInterval | None
    """
    Expected cost of the delivered impressions.
    """
    limited_by: str | None
    """
    What limits delivery: `traffic`, `budget` or `goal`.
    """
    basis: ForecastBasis
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """


class ForecastAd(TypedDict):
    """
    A planned ad: its format and size.
    """

    format: AdFormat
    width: NotRequired[int | None]
    """
    In pixels. Omitted: fits every size.
    """
    height: NotRequired[int | None]
    """
    In pixels. Omitted: fits every size.
    """


class ForecastBasis(TypedDict):
    requests: int
    """
    Requests counted on the campaign's properties in the last four weeks.
    """
    hours: int
    """
    Number of hours with data, from the first request on.
    """
    decisions: int
    """
    Number of recorded decisions of the last 7 days that the forecast uses.
    """
    impressions_a_fill_percent: float
    """
    Percentage of served ads that were seen.
    """


ForecastCreate = TypedDict(
    "ForecastCreate",
    {
        "property_ids": "NotRequired[Sequence[str] | None]",
        "name": "str",
        "objective": "Objective",
        "pricing_model": "PricingModel",
        "bid_cents": "int",
        "pacing": "NotRequired[Pacing]",
        "priority": "NotRequired[Priority]",
        "start_at": "NotRequired[str | None]",
        "end_at": "NotRequired[str | None]",
        "timezone": "NotRequired[str | None]",
        "budget": "NotRequired[BudgetInput | None]",
        "goal": "NotRequired[GoalInput | None]",
        "share_of_voice_percent": "NotRequired[int | None]",
        "frequency_caps": "NotRequired[Sequence[FrequencyCapInput]]",
        "targeting": "NotRequired[Targeting]",
        "attribution": "NotRequired[AttributionInput]",
        "external_ref": "NotRequired[str | None]",
        "metadata": "NotRequired[dict[str, str]]",
        "from": "NotRequired[str | None]",
        "to": "NotRequired[str | None]",
        "ads": "NotRequired[Sequence[ForecastAd] | None]",
    },
)


class ForecastInterval(TypedDict):
    low: int
    """
    95 % of outcomes should be higher.
    """
    likely: int
    """
    The median: half of the outcomes should be higher.
    """
    high: int
    """
    95 % of outcomes should be lower.
    """


class FrequencyCap(TypedDict):
    scope: str
    """
    Level at which events are counted together.
    """
    event: str
    """
    Kind of event that is counted.
    """
    limit: int
    """
    Maximum number of events in the window.
    """
    window: FrequencyWindow


class FrequencyCapInput(TypedDict):
    scope: str
    """
    Level at which events are counted together.
    """
    event: str
    """
    Kind of event that is counted.
    """
    limit: int
    """
    Maximum number of events in the window.
    """
    window: FrequencyWindowInput


class FrequencyWindow(TypedDict):
    interval: int
    """
    Length of the window, in `unit`s.
    """
    unit: str
    """
    Unit of `interval`.
    """


class FrequencyWindowInput(TypedDict):
    interval: int
    """
    Length of the window, in `unit`s.
    """
    unit: str
    """
    Unit of `interval`.
    """


class GeoArea(TypedDict):
    country: str
    """
    ISO 3166-1 code of two letters, in either case; returned in upper case.
    """
    region: NotRequired[str | None]
    """
    The part of the ISO 3166-2 code after the dash: `SP` for BR-SP.
    """


class GeoTargeting(TypedDict):
    include: NotRequired[Sequence[GeoArea]]
    """
    At least one of these must match.
    """
    exclude: NotRequired[Sequence[GeoArea]]
    """
    None of these may match.
    """


class Goal(TypedDict):
    kind: str
    """
    Kind of event.
    """
    total: int
    """
    Target number for the whole flight.
    """


class GoalInput(TypedDict):
    kind: str
    """
    Kind of event.
    """
    total: int
    """
    Target number for the whole flight.
    """


class Hours(TypedDict):
    data: Sequence[HoursRow]
    """
    Rows by weekday, then by hour. Hours without any activity have no row.
    """
    totals: ReportFigures
    """
    Totals of all rows, rounded from exact sums, not from rounded rows.
    """
    as_of: str | None
    """
    Time at which the newest record in the figures was stored; null before any was.
    """
    complete_through: str | None
    """
    Every event up to this time is in the figures; null before any edge reported.
    """
    from_at: str
    """
    Start of the range, to the hour.
    """
    to_at: str
    """
    End of the range, to the hour.
    """
    tz: str
    """
    Time zone of the weekdays and hours.
    """
    currency: str
    """
    ISO 4217 code of spend and earnings.
    """


class HoursRow(TypedDict):
    requests: NotRequired[int | None]
    """
    Ad requests. Null when grouped or filtered by `source` or `reason`, which unfilled decisions do
    not have; the same applies to `fills`, `no_fills` and `fill_rate`.
    """
    fills: NotRequired[int | None]
    """
    Requests that were filled.
    """
    no_fills: NotRequired[int | None]
    """
    Requests that were not filled; by campaign or ad they are in the row with the id null.
    """
    fill_rate: NotRequired[float | None]
    """
    `fills` divided by `requests`, 0 to 1; null without requests.
    """
    impressions: NotRequired[int | None]
    """
    Valid impressions; a retracted one counts -1 in the hour of its retraction.
    """
    viewable_impressions: NotRequired[int | None]
    """
    Impressions that the page reported as viewable, by the viewability rule of the property.
    """
    clicks: NotRequired[int | None]
    """
    Valid clicks; a retracted one counts -1.
    """
    conversions: NotRequired[int | None]
    """
    Valid conversions with any attribution; a retracted one counts -1.
    """
    click_through_conversions: NotRequired[int | None]
    """
    Conversions attributed to a click.
    """
    view_through_conversions: NotRequired[int | None]
    """
    Conversions attributed to a view.
    """
    invalid_impressions: NotRequired[int | None]
    """
    Impressions rejected by the invalid-traffic filter.
    """
    invalid_clicks: NotRequired[int | None]
    """
    Clicks rejected by the invalid-traffic filter.
    """
    spend_cents: NotRequired[int | None]
    """
    Charges for the events, added in micros and rounded down once. Flat rates buy days, not events:
    they are in the wallet and on invoices.
    """
    earnings_cents: NotRequired[int | None]
    """
    The properties' shares of spend, at the share in force at the end of each hour; rounded like
    spend.
    """
    conversion_value_cents: NotRequired[int | None]
    """
    Value of valid conversions, as reported; currencies are not converted.
    """
    ctr: NotRequired[float | None]
    """
    `clicks` divided by `impressions`; null without impressions.
    """
    cvr: NotRequired[float | None]
    """
    `conversions` divided by `clicks`; null without clicks.
    """
    ecpm_cents: NotRequired[int | None]
    """
    Spend per thousand impressions, rounded down; null without impressions.
    """
    starts: NotRequired[int | None]
    """
    Video and audio ads that began to play, as players reported.
    """
    first_quartiles: NotRequired[int | None]
    """
    Video and audio ads that played their first quarter.
    """
    midpoints: NotRequired[int | None]
    """
    Video and audio ads that played their first half.
    """
    third_quartiles: NotRequired[int | None]
    """
    Video and audio ads that played three quarters.
    """
    completes: NotRequired[int | None]
    """
    Video and audio ads that played to their end.
    """
    skips: NotRequired[int | None]
    """
    Video and audio ads that the viewer skipped.
    """
    errors: NotRequired[int | None]
    """
    Video and audio ads that the player could not play.
    """
    viewable_rate: NotRequired[float | None]
    """
    `viewable_impressions` divided by `impressions`; null without impressions.
    """
    start_rate: NotRequired[float | None]
    """
    `starts` divided by `impressions`; null without impressions.
    """
    first_quartile_rate: NotRequired[float | None]
    """
    `first_quartiles` divided by `starts`; null without starts.
    """
    midpoint_rate: NotRequired[float | None]
    """
    `midpoints` divided by `starts`; null without starts.
    """
    third_quartile_rate: NotRequired[float | None]
    """
    `third_quartiles` divided by `starts`; null without starts.
    """
    completion_rate: NotRequired[float | None]
    """
    `completes` divided by `starts`; null without starts.
    """
    skip_rate: NotRequired[float | None]
    """
    `skips` divided by `starts`; null without starts.
    """
    error_rate: NotRequired[float | None]
    """
    `errors` divided by `errors` and `starts` together; null without both.
    """
    weekday: int
    """
    1 is Monday, 7 is Sunday.
    """
    hour: int
    """
    0 to 23.
    """


class HtmlAdCreate(TypedDict):
    campaign_id: str
    name: str
    format: Literal["html"]
    asset_ids: NotRequired[dict[str, str]]
    """
    Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio),
    `poster` (video), `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and
    duration in `content`; `html` inserts the file's text, at most 64 KiB.
    """
    content: HtmlContent
    categories: NotRequired[Sequence[str]]
    """
    Codes of the IAB content taxonomy.
    """
    tracking: NotRequired[AdvertiserTrackingInput]
    click_url: NotRequired[str | None]
    """
    Destination URL (https; for trying out an ad, also http of the local machine), with the macros
    {click_id} {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
    """
    weight: NotRequired[int]
    """
    Relative weight among the campaign's ads.
    """
    slot_ids: NotRequired[Sequence[str]]
    """
    Slots that the ad may serve in. Empty: every slot of the campaign's properties.
    """
    targeting: NotRequired[Targeting]
    """
    Restricts the campaign's targeting further; cannot extend it.
    """


class HtmlContent(TypedDict):
    """
    HTML ads are rendered only inside a sandboxed iframe.
    """

    html: str
    """
    HTML markup, shown in a sandboxed iframe.
    """
    width: int
    height: int


class IntegrationKey(TypedDict):
    id: str
    property_id: str
    kind: KeyKind | str
    environment: Environment | str
    is_test: bool
    """
    Whether `environment` is `test`.
    """
    name: str
    last4: str
    """
    Last four characters of the key's text.
    """
    created_by: str
    """
    Id of the user who created it.
    """
    created_at: str
    last_used_at: str | None
    """
    Last use, on the control plane or an edge, accurate to about two minutes; null if never used.
    """
    expires_at: str | None
    revoked_at: str | None
    status: KeyStatus | str
    previous_key_id: str | None
    """
    Id of the key that it replaced by rotation.
    """
    rotation_due: bool
    """
    Whether the key is an active secret or integration key older than 90 days, and should be
    replaced.
    """
    version: int
    """
    Version of the object, to send in `If-Match`.
    """
    scopes: Sequence[str]
    """
    The scopes as chosen; the creator's permissions limit them further.
    """


class IntegrationKeyCreate(TypedDict):
    property_id: str
    """
    Property that the key belongs to.
    """
    environment: Environment
    name: str
    """
    Name of the key, such as the system that uses it.
    """
    scopes: Sequence[str]
    """
    Scopes of the key; each needs that permission of yours.
    """
    expires_at: NotRequired[str | None]
    """
    Expiry, from which on requests with the key return `key_revoked`: in the future, at most five
    years ahead. Null: does not expire.
    """


class IntegrationKeyCreated(TypedDict):
    id: str
    property_id: str
    kind: KeyKind | str
    environment: Environment | str
    is_test: bool
    """
    Whether `environment` is `test`.
    """
    name: str
    last4: str
    """
    Last four characters of the key's text.
    """
    created_by: str
    """
    Id of the user who created it.
    """
    created_at: str
    last_used_at: str | None
    """
    Last use, on the control plane or an edge, accurate to about two minutes; null if never used.
    """
    expires_at: str | None
    revoked_at: str | None
    status: KeyStatus | str
    previous_key_id: str | None
    """
    Id of the key that it replaced by rotation.
    """
    rotation_due: bool
    """
    Whether the key is an active secret or integration key older than 90 days, and should be
    replaced.
    """
    version: int
    """
    Version of the object, to send in `If-Match`.
    """
    scopes: Sequence[str]
    """
    The scopes as chosen; the creator's permissions limit them further.
    """
    key: str
    """
    Text of the key. It is never shown again.
    """


class IntegrationKeyPage(TypedDict):
    data: Sequence[IntegrationKey]
    has_more: bool
    next_cursor: str | None


class IntegrationStatus(TypedDict):
    property_id: str
    environment: Environment | str
    key: IntegrationStatusKey | None
    """
    The key of this request; null with an access token.
    """
    verified: bool
    """
    Whether the property is verified.
    """
    account_status: AccountState | str
    last_impression_at: str | None
    """
    The last valid impression. Events of previews are in no field of this status.
    """
    last_click_at: str | None
    last_conversion_at: str | None
    counts_24h: EventCounts
    """
    Counts of the current hour and the 23 before it.
    """
    conversions_24h: ConversionCounts
    """
    Conversions in the same hours: those that count by the hour they happened, the others by the
    hour they were reported.
    """
    fill_rate_24h: float | None
    """
    Share of requests that were filled, 0 to 1; null without requests.
    """
    snapshot: SnapshotStatus
    events_lag_seconds: float | None
    """
    Every event older than this is in the feed; null before the first event.
    """


class IntegrationStatusKey(TypedDict):
    id: str
    kind: KeyKind | str
    last4: str
    """
    Last four characters of the key's text.
    """


class KeyPatch(TypedDict):
    name: NotRequired[str]
    """
    Name of the key, such as where it is used.
    """
    expires_at: NotRequired[str | None]
    """
    Expiry, from which on requests with the key return `key_revoked`: in the future, at most five
    years ahead. Null: does not expire.
    """


class KeyValueTargeting(TypedDict):
    key: str
    """
    The key.
    """
    op: str
    """
    `in`: any of the values. `not_in`: none of them.
    """
    values: Sequence[str]
    """
    Values, in lower case.
    """


class KeywordTargeting(TypedDict):
    any: NotRequired[Sequence[str]]
    """
    At least one of these must match.
    """
    none: NotRequired[Sequence[str]]
    """
    None of these may match.
    """


class ListenerConsent(TypedDict):
    """
    Consent signals of the listener, as the parameters of `GET /v1/serve`. Where a flag or a section
    id is a number or a boolean in your program, it may be sent as such: `1` and `true` mean `"1"`.
    """

    gdpr: NotRequired[str | None]
    """
    `1` if the GDPR applies, `0` if not.
    """
    gdpr_consent: NotRequired[str | None]
    """
    TC string.
    """
    gpp: NotRequired[str | None]
    """
    GPP string.
    """
    gpp_sid: NotRequired[str | None]
    """
    Ids of the GPP sections that apply.
    """
    us_privacy: NotRequired[str | None]
    """
    US Privacy string.
    """
    coppa: NotRequired[str | None]
    """
    `1`: directed at children.
    """
    lgpd: NotRequired[str | None]
    """
    `1`: consent under the LGPD; `0`: none.
    """
    npa: NotRequired[str | None]
    """
    `1`: no personalised ads.
    """


class LiveBlock(TypedDict):
    """
    A condition that applies although the credential is valid.
    """

    code: LiveBlockCode | str
    message: str
    """
    What does not work, and what to do.
    """


class LostScope(TypedDict):
    scope: Permission | str
    reason: str
    """
    Why the key cannot use the scope, and what to do.
    """


class MediaProperties(TypedDict):
    """
    Measured properties of audio and video; null if not applicable.
    """

    container: str
    """
    Container format.
    """
    audio_codec: str | None
    """
    Audio codec.
    """
    video_codec: str | None
    """
    Video codec.
    """
    bitrate_kbps: int | None
    """
    Bitrate in kilobits per second.
    """
    sample_rate_hz: int | None
    """
    Sample rate of the audio in hertz.
    """
    channels: int | None
    """
    Number of audio channels: 1 is mono, 2 stereo.
    """
    fps: float | None
    """
    Frames per second.
    """
    loudness_lufs: float | None
    """
    Integrated loudness by EBU R128; null if silent or too short.
    """
    renditions: NotRequired[Sequence[str]]
    """
    For audio of at most two minutes: the encodings that `POST /v1/audio/stitch` can put into
    content. Empty for files uploaded before this existed: upload them again.
    """


class Mezzanine(TypedDict):
    """
    The recording in its best quality, from which servers that stitch ads into streams transcode.
    """

    url: str
    """
    URL of the media file.
    """
    mime: str
    """
    Media type.
    """
    width: int
    height: int


class NativeAdCreate(TypedDict):
    campaign_id: str
    name: str
    format: Literal["native"]
    asset_ids: NotRequired[dict[str, str]]
    """
    Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio),
    `poster` (video), `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and
    duration in `content`; `html` inserts the file's text, at most 64 KiB.
    """
    content: NativeContent
    categories: NotRequired[Sequence[str]]
    """
    Codes of the IAB content taxonomy.
    """
    tracking: NotRequired[AdvertiserTrackingInput]
    click_url: NotRequired[str | None]
    """
    Destination URL (https; for trying out an ad, also http of the local machine), with the macros
    {click_id} {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
    """
    weight: NotRequired[int]
    """
    Relative weight among the campaign's ads.
    """
    slot_ids: NotRequired[Sequence[str]]
    """
    Slots that the ad may serve in. Empty: every slot of the campaign's properties.
    """
    targeting: NotRequired[Targeting]
    """
    Restricts the campaign's targeting further; cannot extend it.
    """


class NativeContent(TypedDict):
    title: str
    """
    Headline.
    """
    body: NotRequired[str | None]
    """
    Body text.
    """
    cta: NotRequired[str | None]
    """
    Call to action: the label of the button.
    """
    sponsored_by: NotRequired[str | None]
    """
    Sponsor's name, as shown to visitors.
    """
    icon: NotRequired[str | None]
    """
    URL of a small square image.
    """
    image: NotRequired[str | None]
    """
    URL of the image.
    """


class NoServeShare(TypedDict):
    reason: str
    """
    The reason.
    """
    share: float
    """
    Share of all requests, 0 to 1.
    """


class PayoutTerms(TypedDict):
    payee: str | None
    """
    Recipient of the payout.
    """
    share_percent: int
    """
    Publisher's share of spend, in percent.
    """


class PayoutTermsInput(TypedDict):
    payee: NotRequired[str | None]
    """
    Recipient of the payout.
    """
    share_percent: NotRequired[int]
    """
    Publisher's share of spend, in percent.
    """


class PayoutTermsPatch(TypedDict):
    payee: NotRequired[str | None]
    """
    Recipient of the payout.
    """
    share_percent: NotRequired[int]
    """
    Publisher's share of spend, in percent.
    """


class PropertyCreate(TypedDict):
    name: str
    kind: PropertyKind
    domain: NotRequired[str | None]
    """
    Domain of the site; required for `web`. Verification checks this domain. If you send a URL, its
    host is stored.
    """
    bundle_id: NotRequired[str | None]
    """
    Bundle id; required for `app` and `ctv`.
    """
    allowed_origins: NotRequired[Sequence[str]]
    """
    Additional origins whose events count, besides the domain and its subdomains. Events from other
    origins are stored as invalid (`origin_mismatch`) and not billed; their requests for ads are
    still answered. `http` only for localhost.
    """
    timezone: NotRequired[str]
    """
    IANA time zone name.
    """
    excluded_ip_ranges: NotRequired[Sequence[str]]
    """
    CIDR ranges of your internal traffic, which is never billed.
    """
    consent_policy: NotRequired[str]
    """
    What applies without a consent signal: only `presumed` allows personalisation.
    """
    token_ttl_seconds: NotRequired[int]
    """
    Seconds during which a track token counts; at least 30 days in mails, and a day for audio.
    """
    server_rendering: NotRequired[bool]
    """
    True: your servers send requests with publishable keys. `ip`, `ua`, `segments` and `surface` of
    serve, and `ip` and `ua` of track, are trusted, and the rate limit per address does not apply to
    these requests; the limit per key does. False: these fields are ignored, so all visitors behind
    such a server share its place, its rate limit per address and its user agent, and their events
    are judged as a bot's.
    """
    rate_limits: NotRequired[RateLimitsInput]
    blocked_categories: NotRequired[Sequence[str]]
    """
    IAB content taxonomy categories that never serve here.
    """
    blocked_ad_ids: NotRequired[Sequence[str]]
    """
    Ids of ads that never serve here.
    """
    payout: NotRequired[PayoutTermsInput]
    sdk: NotRequired[PropertySdkInput]


class PropertyPatch(TypedDict):
    name: NotRequired[str]
    domain: NotRequired[str | None]
    """
    Domain of the site; required for `web`. Verification checks this domain. If you send a URL, its
    host is stored.
    """
    bundle_id: NotRequired[str | None]
    """
    Bundle id; required for `app` and `ctv`.
    """
    allowed_origins: NotRequired[Sequence[str]]
    """
    Additional origins whose events count, besides the domain and its subdomains. Events from other
    origins are stored as invalid (`origin_mismatch`) and not billed; their requests for ads are
    still answered. `http` only for localhost.
    """
    timezone: NotRequired[str]
    """
    IANA time zone name.
    """
    excluded_ip_ranges: NotRequired[Sequence[str]]
    """
    CIDR ranges of your internal traffic, which is never billed.
    """
    consent_policy: NotRequired[str]
    """
    What applies without a consent signal: only `presumed` allows personalisation.
    """
    token_ttl_seconds: NotRequired[int]
    """
    Seconds during which a track token counts; at least 30 days in mails, and a day for audio.
    """
    server_rendering: NotRequired[bool]
    """
    True: your servers send requests with publishable keys. `ip`, `ua`, `segments` and `surface` of
    serve, and `ip` and `ua` of track, are trusted, and the rate limit per address does not apply to
    these requests; the limit per key does. False: these fields are ignored, so all visitors behind
    such a server share its place, its rate limit per address and its user agent, and their events
    are judged as a bot's.
    """
    rate_limits: NotRequired[RateLimitsPatch]
    blocked_categories: NotRequired[Sequence[str]]
    """
    IAB content taxonomy categories that never serve here.
    """
    blocked_ad_ids: NotRequired[Sequence[str]]
    """
    Ids of ads that never serve here.
    """
    payout: NotRequired[PayoutTermsPatch]
    sdk: NotRequired[PropertySdkPatch]


class PropertySdk(TypedDict):
    min: dict[str, str]
    """
    Minimum version of each client library.
    """
    flags: dict[str, bool | str]
    """
    Your own feature flags.
    """


class PropertySdkInput(TypedDict):
    """
    Settings for client libraries, returned by `GET /v1/features`.
    """

    min: NotRequired[dict[str, str]]
    """
    Minimum version of each client library; older ones show no ads.
    """
    flags: NotRequired[dict[str, bool | str]]
    """
    Your own feature flags, returned by `GET /v1/features`.
    """


class PropertySdkPatch(TypedDict):
    min: NotRequired[dict[str, str]]
    """
    Minimum version of each client library; older ones show no ads.
    """
    flags: NotRequired[dict[str, bool | str]]
    """
    Your own feature flags, returned by `GET /v1/features`.
    """


class PublisherProperty(TypedDict):
    id: str
    name: str
    kind: PropertyKind | str
    domain: str | None
    """
    Registered domain.
    """
    bundle_id: str | None
    status: PropertyStatus | str
    """
    Verification status; live traffic needs `verified`.
    """
    verification: Verification
    allowed_origins: Sequence[str]
    """
    Additional origins whose events count, besides the domain and its subdomains. Events from other
    origins are stored as invalid (`origin_mismatch`) and not billed; their requests for ads are
    still answered. Empty: only the domain and its subdomains.
    """
    timezone: str
    """
    IANA time zone name.
    """
    currency: str
    """
    Currency of the account.
    """
    excluded_ip_ranges: Sequence[str]
    """
    CIDR ranges of your own traffic, which is never billed.
    """
    consent_policy: str
    """
    What applies to requests without a consent signal.
    """
    token_ttl_seconds: int
    """
    Seconds during which a track token counts; at least 30 days in mails, and a day for audio.
    """
    server_rendering: bool
    """
    Whether your servers send requests with publishable keys, and what they send about the visitor
    is trusted.
    """
    rate_limits: RateLimits
    blocked_categories: Sequence[str]
    """
    IAB content taxonomy categories that never serve here.
    """
    blocked_ad_ids: Sequence[str]
    """
    Ids of ads that never serve here.
    """
    payout: PayoutTerms
    sdk: PropertySdk
    """
    Settings for client libraries, returned by `GET /v1/features`.
    """
    version: int
    created_at: str
    updated_at: str


class PublisherPropertyPage(TypedDict):
    data: Sequence[PublisherProperty]
    has_more: bool
    next_cursor: str | None


class RateLimits(TypedDict):
    serve_per_key_s: int
    """
    Serve requests per second and key.
    """
    serve_per_ip_s: int
    """
    Serve requests per second and IP address.
    """
    track_per_key_s: int
    """
    Track requests per second and key.
    """
    track_per_ip_s: int
    """
    Track requests per second and IP address.
    """


class RateLimitsInput(TypedDict):
    """
    Requests per second; bursts may be three times as high.
    """

    serve_per_key_s: NotRequired[int]
    """
    Serve requests per second and key.
    """
    serve_per_ip_s: NotRequired[int]
    """
    Serve requests per second and IP address.
    """
    track_per_key_s: NotRequired[int]
    """
    Track requests per second and key.
    """
    track_per_ip_s: NotRequired[int]
    """
    Track requests per second and IP address.
    """


class RateLimitsPatch(TypedDict):
    serve_per_key_s: NotRequired[int]
    """
    Serve requests per second and key.
    """
    serve_per_ip_s: NotRequired[int]
    """
    Serve requests per second and IP address.
    """
    track_per_key_s: NotRequired[int]
    """
    Track requests per second and key.
    """
    track_per_ip_s: NotRequired[int]
    """
    Track requests per second and IP address.
    """


class Report(TypedDict):
    data: Sequence[ReportRow]
    """
    Rows by period, then by `group_by`. Periods without any activity have no row.
    """
    totals: ReportFigures
    """
    Totals of all rows, rounded from exact sums, not from rounded rows.
    """
    as_of: str | None
    """
    Time at which the newest record in the figures was stored; null before any was.
    """
    complete_through: str | None
    """
    Every event up to this time is in the figures; null before any edge reported.
    """
    from_at: str
    """
    Start of the range, to the hour.
    """
    to_at: str
    """
    End of the range, to the hour.
    """
    tz: str
    """
    Time zone of the periods.
    """
    currency: str
    """
    ISO 4217 code of spend and earnings.
    """


class ReportFigures(TypedDict):
    """
    The requested metrics; null if one is undefined, as described for each.
    """

    requests: NotRequired[int | None]
    """
    Ad requests. Null when grouped or filtered by `source` or `reason`, which unfilled decisions do
    not have; the same applies to `fills`, `no_fills` and `fill_rate`.
    """
    fills: NotRequired[int | None]
    """
    Requests that were filled.
    """
    no_fills: NotRequired[int | None]
    """
    Requests that were not filled; by campaign or ad they are in the row with the id null.
    """
    fill_rate: NotRequired[float | None]
    """
    `fills` divided by `requests`, 0 to 1; null without requests.
    """
    impressions: NotRequired[int | None]
    """
    Valid impressions; a retracted one counts -1 in the hour of its retraction.
    """
    viewable_impressions: NotRequired[int | None]
    """
    Impressions that the page reported as viewable, by the viewability rule of the property.
    """
    clicks: NotRequired[int | None]
    """
    Valid clicks; a retracted one counts -1.
    """
    conversions: NotRequired[int | None]
    """
    Valid conversions with any attribution; a retracted one counts -1.
    """
    click_through_conversions: NotRequired[int | None]
    """
    Conversions attributed to a click.
    """
    view_through_conversions: NotRequired[int | None]
    """
    Conversions attributed to a view.
    """
    invalid_impressions: NotRequired[int | None]
    """
    Impressions rejected by the invalid-traffic filter.
    """
    invalid_clicks: NotRequired[int | None]
    """
    Clicks rejected by the invalid-traffic filter.
    """
    spend_cents: NotRequired[int | None]
    """
    Charges for the events, added in micros and rounded down once. Flat rates buy days, not events:
    they are in the wallet and on invoices.
    """
    earnings_cents: NotRequired[int | None]
    """
    The properties' shares of spend, at the share in force at the end of each hour; rounded like
    spend.
    """
    conversion_value_cents: NotRequired[int | None]
    """
    Value of valid conversions, as reported; currencies are not converted.
    """
    ctr: NotRequired[float | None]
    """
    `clicks` divided by `impressions`; null without impressions.
    """
    cvr: NotRequired[float | None]
    """
    `conversions` divided by `clicks`; null without clicks.
    """
    ecpm_cents: NotRequired[int | None]
    """
    Spend per thousand impressions, rounded down; null without impressions.
    """
    starts: NotRequired[int | None]
    """
    Video and audio ads that began to play, as players reported.
    """
    first_quartiles: NotRequired[int | None]
    """
    Video and audio ads that played their first quarter.
    """
    midpoints: NotRequired[int | None]
    """
    Video and audio ads that played their first half.
    """
    third_quartiles: NotRequired[int | None]
    """
    Video and audio ads that played three quarters.
    """
    completes: NotRequired[int | None]
    """
    Video and audio ads that played to their end.
    """
    skips: NotRequired[int | None]
    """
    Video and audio ads that the viewer skipped.
    """
    errors: NotRequired[int | None]
    """
    Video and audio ads that the player could not play.
    """
    viewable_rate: NotRequired[float | None]
    """
    `viewable_impressions` divided by `impressions`; null without impressions.
    """
    start_rate: NotRequired[float | None]
    """
    `starts` divided by `impressions`; null without impressions.
    """
    first_quartile_rate: NotRequired[float | None]
    """
    `first_quartiles` divided by `starts`; null without starts.
    """
    midpoint_rate: NotRequired[float | None]
    """
    `midpoints` divided by `starts`; null without starts.
    """
    third_quartile_rate: NotRequired[float | None]
    """
    `third_quartiles` divided by `starts`; null without starts.
    """
    completion_rate: NotRequired[float | None]
    """
    `completes` divided by `starts`; null without starts.
    """
    skip_rate: NotRequired[float | None]
    """
    `skips` divided by `starts`; null without starts.
    """
    error_rate: NotRequired[float | None]
    """
    `errors` divided by `errors` and `starts` together; null without both.
    """


class ReportRow(TypedDict):
    """
    A null dimension is unknown or does not apply: no ad was chosen, or no country was found.
    """

    requests: NotRequired[int | None]
    """
    Ad requests. Null when grouped or filtered by `source` or `reason`, which unfilled decisions do
    not have; the same applies to `fills`, `no_fills` and `fill_rate`.
    """
    fills: NotRequired[int | None]
    """
    Requests that were filled.
    """
    no_fills: NotRequired[int | None]
    """
    Requests that were not filled; by campaign or ad they are in the row with the id null.
    """
    fill_rate: NotRequired[float | None]
    """
    `fills` divided by `requests`, 0 to 1; null without requests.
    """
    impressions: NotRequired[int | None]
    """
    Valid impressions; a retracted one counts -1 in the hour of its retraction.
    """
    viewable_impressions: NotRequired[int | None]
    """
    Impressions that the page reported as viewable, by the viewability rule of the property.
    """
    clicks: NotRequired[int | None]
    """
    Valid clicks; a retracted one counts -1.
    """
    conversions: NotRequired[int | None]
    """
    Valid conversions with any attribution; a retracted one counts -1.
    """
    click_through_conversions: NotRequired[int | None]
    """
    Conversions attributed to a click.
    """
    view_through_conversions: NotRequired[int | None]
    """
    Conversions attributed to a view.
    """
    invalid_impressions: NotRequired[int | None]
    """
    Impressions rejected by the invalid-traffic filter.
    """
    invalid_clicks: NotRequired[int | None]
    """
    Clicks rejected by the invalid-traffic filter.
    """
    spend_cents: NotRequired[int | None]
    """
    Charges for the events, added in micros and rounded down once. Flat rates buy days, not events:
    they are in the wallet and on invoices.
    """
    earnings_cents: NotRequired[int | None]
    """
    The properties' shares of spend, at the share in force at the end of each hour; rounded like
    spend.
    """
    conversion_value_cents: NotRequired[int | None]
    """
    Value of valid conversions, as reported; currencies are not converted.
    """
    ctr: NotRequired[float | None]
    """
    `clicks` divided by `impressions`; null without impressions.
    """
    cvr: NotRequired[float | None]
    """
    `conversions` divided by `clicks`; null without clicks.
    """
    ecpm_cents: NotRequired[int | None]
    """
    Spend per thousand impressions, rounded down; null without impressions.
    """
    starts: NotRequired[int | None]
    """
    Video and audio ads that began to play, as players reported.
    """
    first_quartiles: NotRequired[int | None]
    """
    Video and audio ads that played their first quarter.
    """
    midpoints: NotRequired[int | None]
    """
    Video and audio ads that played their first half.
    """
    third_quartiles: NotRequired[int | None]
    """
    Video and audio ads that played three quarters.
    """
    completes: NotRequired[int | None]
    """
    Video and audio ads that played to their end.
    """
    skips: NotRequired[int | None]
    """
    Video and audio ads that the viewer skipped.
    """
    errors: NotRequired[int | None]
    """
    Video and audio ads that the player could not play.
    """
    viewable_rate: NotRequired[float | None]
    """
    `viewable_impressions` divided by `impressions`; null without impressions.
    """
    start_rate: NotRequired[float | None]
    """
    `starts` divided by `impressions`; null without impressions.
    """
    first_quartile_rate: NotRequired[float | None]
    """
    `first_quartiles` divided by `starts`; null without starts.
    """
    midpoint_rate: NotRequired[float | None]
    """
    `midpoints` divided by `starts`; null without starts.
    """
    third_quartile_rate: NotRequired[float | None]
    """
    `third_quartiles` divided by `starts`; null without starts.
    """
    completion_rate: NotRequired[float | None]
    """
    `completes` divided by `starts`; null without starts.
    """
    skip_rate: NotRequired[float | None]
    """
    `skips` divided by `starts`; null without starts.
    """
    error_rate: NotRequired[float | None]
    """
    `errors` divided by `errors` and `starts` together; null without both.
    """
    period: NotRequired[str | None]
    """
    Start of the hour, day, week or month, or of the range if that is later. Absent in totals.
    """
    campaign_id: NotRequired[str | None]
    campaign_name: NotRequired[str | None]
    """
    Current name of the campaign; null if deleted.
    """
    ad_id: NotRequired[str | None]
    ad_name: NotRequired[str | None]
    """
    Current name of the ad; null if deleted.
    """
    property_id: NotRequired[str | None]
    property_name: NotRequired[str | None]
    """
    Current name of the property; null if deleted.
    """
    slot_id: NotRequired[str | None]
    slot_name: NotRequired[str | None]
    """
    Current name of the slot; null if deleted.
    """
    country: NotRequired[str | None]
    """
    ISO 3166-1 code, two upper-case letters.
    """
    device: NotRequired[DeviceType | str | None]
    format: NotRequired[AdFormat | str | None]
    source: NotRequired[AdSource | str | None]
    surface: NotRequired[Surface | str | None]
    reason: NotRequired[EventReason | str | None]


class ReviewDecision(TypedDict):
    decision: str
    """
    Decision: `approved` or `rejected`.
    """
    reason: str | None
    """
    Reason for the rejection, as written by the reviewer.
    """
    at: str
    """
    When it happened.
    """
    by: str
    """
    Id of the reviewer.
    """


class SdkKey(TypedDict):
    id: str
    property_id: str
    kind: KeyKind | str
    environment: Environment | str
    is_test: bool
    """
    Whether `environment` is `test`.
    """
    name: str
    last4: str
    """
    Last four characters of the key's text.
    """
    created_by: str
    """
    Id of the user who created it.
    """
    created_at: str
    last_used_at: str | None
    """
    Last use, on the control plane or an edge, accurate to about two minutes; null if never used.
    """
    expires_at: str | None
    revoked_at: str | None
    status: KeyStatus | str
    previous_key_id: str | None
    """
    Id of the key that it replaced by rotation.
    """
    rotation_due: bool
    """
    Whether the key is an active secret or integration key older than 90 days, and should be
    replaced.
    """
    version: int
    """
    Version of the object, to send in `If-Match`.
    """
    key: str | None
    """
    Text of a publishable key; null for secret keys.
    """
    blocked_by: KeyBlock | str | None
    """
    Why edges serve nothing to this key now: a live key needs a verified property.
    """


class SdkKeyCreate(TypedDict):
    property_id: str
    """
    Property that the key belongs to.
    """
    kind: SdkKeyKind
    environment: Environment
    name: str
    """
    Name of the key, such as where it is used.
    """
    expires_at: NotRequired[str | None]
    """
    Expiry, from which on requests with the key return `key_revoked`: in the future, at most five
    years ahead. Null: does not expire.
    """


class SdkKeyCreated(TypedDict):
    id: str
    property_id: str
    kind: KeyKind | str
    environment: Environment | str
    is_test: bool
    """
    Whether `environment` is `test`.
    """
    name: str
    last4: str
    """
    Last four characters of the key's text.
    """
    created_by: str
    """
    Id of the user who created it.
    """
    created_at: str
    last_used_at: str | None
    """
    Last use, on the control plane or an edge, accurate to about two minutes; null if never used.
    """
    expires_at: str | None
    revoked_at: str | None
    status: KeyStatus | str
    previous_key_id: str | None
    """
    Id of the key that it replaced by rotation.
    """
    rotation_due: bool
    """
    Whether the key is an active secret or integration key older than 90 days, and should be
    replaced.
    """
    version: int
    """
    Version of the object, to send in `If-Match`.
    """
    key: str
    """
    Text of the key. The text of a secret key is never shown again.
    """
    blocked_by: KeyBlock | str | None
    """
    Why edges serve nothing to this key now: a live key needs a verified property.
    """


class SdkKeyPage(TypedDict):
    data: Sequence[SdkKey]
    has_more: bool
    next_cursor: str | None


class SegmentTargeting(TypedDict):
    include: NotRequired[Sequence[str]]
    """
    At least one of these must match.
    """
    exclude: NotRequired[Sequence[str]]
    """
    None of these may match.
    """


class ServedAd(TypedDict):
    decision_id: str
    """
    UUID of this decision; also the id inside its tokens.
    """
    ad_id: str
    campaign_id: str
    slot_id: str
    property_id: str
    format: AdFormat | str
    width: int | None
    """
    In pixels; null if the format has no size.
    """
    height: int | None
    content: dict[str, Any]
    """
    Content of the ad, by format.
    """
    html: str
    """
    Ready-made markup. An html ad is inside a sandboxed iframe.
    """
    track_token: str
    """
    Token for `POST /v1/track`, to send unchanged.
    """
    impression_url: str
    """
    Signed impression pixel; safe to use on third-party pages.
    """
    click_url: str
    """
    Signed redirect to the ad's destination.
    """
    source: AdSource | str
    is_test: bool
    """
    Whether the object belongs to the test environment.
    """
    ttl_seconds: int
    """
    Seconds during which the token counts for impression and track.
    """
    viewability: Viewability
    has_destination: NotRequired[bool | None]
    """
    `false` if the ad has no destination: show it without a link, because `click_url` returns 404.
    Otherwise absent.
    """
    tracking: NotRequired[AdvertiserTracking | None]
    """
    Tracking URLs of the advertiser for you to load, if any. `output=html` loads `impression_urls`
    itself; `click_urls` are always yours to load.
    """
    caps: NotRequired[Sequence[ClientFrequencyCap] | None]
    """
    For an ad with frequency caps: what a client without a `uid` counts itself, to send as `seen`.
    """
    explain: NotRequired[Sequence[ServedCandidate] | None]
    """
    With `debug=1`: the candidates (at most 1,000), most relevant first.
    """
    consent: NotRequired[ServedConsent | None]
    """
    With `debug=1`: the consent of the request and its reasons.
    """
    page_origin: NotRequired[str | None]
    """
    With `debug=1`: the origin of `url`; null if `url` is not a web address.
    """


class ServedCandidate(TypedDict):
    """
    A candidate for the slot.
    """

    campaign_id: str
    ad_id: str
    dropped_by: str | None
    """
    The first rule that excluded it; null if eligible.
    """
    priority: str
    """
    Priority over other campaigns.
    """
    ecpm_micros: int
    """
    Expected revenue per thousand impressions (eCPM), in micros.
    """
    turn: int | None
    """
    Rank in which the candidate was tried, from 1; null if it was not eligible.
    """
    matched: Sequence[str]
    """
    Targeting rules that matched.
    """
    missed: Sequence[str]
    """
    Targeting rules that did not match.
    """


class ServedConsent(TypedDict):
    """
    The consent of the request.
    """

    personal: bool
    """
    Whether ids, segments and per-visitor caps may be used.
    """
    storage: bool
    """
    Whether an id may be stored on the device.
    """
    measurement: bool
    """
    Whether this visitor's events may be measured individually.
    """
    why: Sequence[ConsentSignal | str]
    """
    The deciding signals, in the order in which they are checked.
    """


class Size(TypedDict):
    width: int
    height: int


class SizeInput(TypedDict):
    width: int
    height: int


class Slot(TypedDict):
    id: str
    key: str
    """
    Key for `?slot=`; the id works too.
    """
    property_id: str
    name: str
    formats: Sequence[AdFormat | str]
    sizes: Sequence[Size]
    floor_cents: int
    """
    Minimum eCPM in cents.
    """
    refresh_seconds: int | None
    """
    Seconds in view after which client libraries request another ad; null: never.
    """
    house_ad_id: str | None
    blocked_advertiser_domains: Sequence[str]
    """
    Hosts whose ads never serve here, subdomains included. A registrable domain blocks the whole
    advertiser. If you send a URL, its host is stored.
    """
    blocked_categories: Sequence[str]
    """
    IAB content taxonomy categories that never serve here.
    """
    audio: AudioBreakLimits | None
    """
    Limits of an audio slot; null for others.
    """
    separate_categories: bool
    """
    Whether the ads of one ad break must be of different categories.
    """
    status: SlotStatus | str
    version: int
    created_at: str
    updated_at: str


class SlotCreate(TypedDict):
    property_id: str
    key: NotRequired[str | None]
    """
    Key for `?slot=`, unique in the property. Default: derived from the name; a second slot with the
    same name needs a key of its own (409 `already_exists`).
    """
    name: str
    formats: Sequence[AdFormat]
    sizes: NotRequired[Sequence[SizeInput]]
    """
    Allowed sizes in pixels. Empty: any size.
    """
    floor_cents: NotRequired[int]
    """
    Floor price: minimum CPM in cents for auction ads.
    """
    refresh_seconds: NotRequired[int | None]
    """
    Seconds in view after which another ad is requested. Null: never.
    """
    house_ad_id: NotRequired[str | None]
    """
    Id of the ad shown when no other is eligible: free, and whether its campaign runs or not. The
    campaign's frequency caps apply.
    """
    blocked_advertiser_domains: NotRequired[Sequence[str]]
    """
    Hosts whose ads never serve here, subdomains included. A registrable domain blocks the whole
    advertiser. If you send a URL, its host is stored.
    """
    blocked_categories: NotRequired[Sequence[str]]
    """
    IAB content taxonomy categories that never serve here.
    """
    audio: NotRequired[AudioBreakLimitsInput | None]
    """
    Limits for slots with the format `audio`.
    """
    separate_categories: NotRequired[bool]
    """
    Whether the ads of one ad break must be of different categories; subcategories count as their
    category.
    """


class SlotPage(TypedDict):
    data: Sequence[Slot]
    has_more: bool
    next_cursor: str | None


class SlotPatch(TypedDict):
    name: NotRequired[str]
    formats: NotRequired[Sequence[AdFormat]]
    sizes: NotRequired[Sequence[SizeInput]]
    """
    Allowed sizes in pixels. Empty: any size.
    """
    floor_cents: NotRequired[int]
    """
    Floor price: minimum CPM in cents for auction ads.
    """
    refresh_seconds: NotRequired[int | None]
    """
    Seconds in view after which another ad is requested. Null: never.
    """
    house_ad_id: NotRequired[str | None]
    """
    Id of the ad shown when no other is eligible: free, and whether its campaign runs or not. The
    campaign's frequency caps apply.
    """
    blocked_advertiser_domains: NotRequired[Sequence[str]]
    """
    Hosts whose ads never serve here, subdomains included. A registrable domain blocks the whole
    advertiser. If you send a URL, its host is stored.
    """
    blocked_categories: NotRequired[Sequence[str]]
    """
    IAB content taxonomy categories that never serve here.
    """
    audio: NotRequired[AudioBreakLimitsInput | None]
    """
    Limits for slots with the format `audio`.
    """
    separate_categories: NotRequired[bool]
    """
    Whether the ads of one ad break must be of different categories; subcategories count as their
    category.
    """
    status: NotRequired[SlotStatus]


class SlotTargeting(TypedDict):
    include: NotRequired[Sequence[str]]
    """
    At least one of these must match.
    """
    exclude: NotRequired[Sequence[str]]
    """
    None of these may match.
    """


class SnapshotPosition(TypedDict):
    epoch: str
    """
    Identifies the history that the version belongs to; a restored database gets a new epoch.
    """
    version: int
    """
    Version of the snapshot used for the decision.
    """


class SnapshotStatus(TypedDict):
    version: int
    age_seconds: float | None
    """
    Seconds since the last change sent to edges.
    """


class StitchBody(TypedDict):
    slot: str
    """
    The slot's key or id; it limits every break with its `audio`.
    """
    content: NotRequired[StitchContent]
    """
    Required with `hls` and `file`, which contain it.
    """
    breaks: Sequence[StitchBreak]
    """
    The places for ads, each filled on its own.
    """
    listener: NotRequired[StitchListener]
    """
    Without it, ads are chosen by slot and time alone.
    """
    output: NotRequired[StitchOutput]
    """
    `plan`: the ads, for your own player or stitcher. `vast`: a VMAP document with an ad pod per
    break. `hls`: a playlist with the ads in it. `file`: one file with the ads in it.
    """
    ad_markers: NotRequired[AdMarkers]
    """
    With `hls`: `discontinuity` puts the ads between the content's segments, `interstitial`
    describes them by `EXT-X-DATERANGE` for players that support interstitials.
    """
    session_id: NotRequired[str | None]
    """
    Your own id of the listening session. A repeated request with the same id gets the same response
    for 24 hours. Default: a new id.
    """


class StitchBreak(TypedDict):
    """
    A place in the content where ads may play.
    """

    id: str
    """
    Your own id of the break; different for each break of the request.
    """
    type: BreakType
    """
    Before, within or after the content.
    """
    offset_ms: NotRequired[int | None]
    """
    Position in the content. Required for `mid`; 0 for `pre`; for `post` the end, which may be left
    out.
    """
    max_duration_ms: NotRequired[int | None]
    """
    Maximum length of all ads together. The slot's own limit holds as well.
    """
    max_ads: NotRequired[int | None]
    """
    Maximum number of ads. The slot's own limit holds as well; 1 if neither is set.
    """


class StitchContent(TypedDict):
    """
    The content that the ads go into.
    """

    id: NotRequired[str | None]
    """
    Your own id of the content, such as that of an episode.
    """
    url: NotRequired[str | None]
    """
    Address of the content. Required, unless `kind` is `none`.
    """
    kind: NotRequired[ContentKind]
    """
    `progressive`: one file; `hls`: a playlist; `none`: the caller has the content itself.
    """
    duration_ms: NotRequired[int | None]
    """
    Length of the content in milliseconds, if it is known.
    """


class StitchListener(TypedDict):
    """
    The person who listens. Used for targeting, frequency caps and the traffic filter.
    """

    ip: NotRequired[str | None]
    """
    IP address of the listener.
    """
    user_agent: NotRequired[str | None]
    """
    User-Agent of the listener's player.
    """
    uid: NotRequired[str | None]
    """
    Your own opaque id of the listener, never an e-mail address; used only for frequency caps, and
    only with consent.
    """
    consent: NotRequired[ListenerConsent]
    """
    Without a signal, ads are not personalised.
    """


class Stitched(TypedDict):
    session_id: str
    """
    Yours, or a new one.
    """
    expires_at: str
    """
    Until then `url` and the tokens work.
    """
    content_type: str | None
    """
    Media type of `url`.
    """
    url: str | None
    """
    What to play: with `hls` and `file` the content with its ads, with `vast` the VMAP document. The
    original content if no ad was put in, and with `plan`; null if there is none.
    """
    filled_ms: int
    """
    Length of all ads; 0 if there are none.
    """
    breaks: Sequence[StitchedBreak]
    """
    One per break, in the order requested.
    """


class StitchedAd(TypedDict):
    sequence: int
    """
    Position in the break, from 1.
    """
    ad_id: str
    campaign_id: str
    duration_ms: int
    """
    Duration in milliseconds.
    """
    media: Sequence[StitchedMedia]
    """
    Renditions of the recording.
    """
    track_token: str | None
    """
    Token for `POST /v1/track`. Null with `hls` and `file`, where the server counts.
    """
    impression_url: str | None
    """
    Signed impression pixel. Null with `hls` and `file`, where the server counts.
    """
    click_url: str | None
    """
    Signed redirect to the ad's destination; null if it has none.
    """
    tracking: StitchedTracking | None
    """
    Signed URLs of the playback. Null with `hls` and `file`, where the server counts.
    """
    companion: StitchedCompanion | None
    """
    Null if the ad has none.
    """


class StitchedBreak(TypedDict):
    id: str
    """
    Yours.
    """
    offset_ms: int | None
    """
    Position in the content; null for a `post` break of unknown position.
    """
    duration_ms: int
    """
    Length of all ads of the break; 0 without ads.
    """
    ads: Sequence[StitchedAd]


class StitchedCompanion(TypedDict):
    """
    The image to show while the ad plays; it links to the ad's `click_url`.
    """

    image_url: str
    """
    URL of the image.
    """
    width: int
    height: int
    alt: str
    """
    Text alternative of the image, for people who cannot see it.
    """


class StitchedMedia(TypedDict):
    """
    One rendition of an ad's recording.
    """

    url: str
    """
    Address of the recording.
    """
    mime: str
    """
    Media type.
    """
    bitrate_kbps: int | None
    """
    Bitrate in kilobits per second.
    """
    duration_ms: int
    """
    Duration in milliseconds.
    """


class StitchedTracking(TypedDict):
    """
    Signed URLs to request with GET when the ad has played so far.
    """

    start: str
    """
    Request it when the ad begins.
    """
    first_quartile: str
    """
    Request it after a quarter.
    """
    midpoint: str
    """
    Request it after half.
    """
    third_quartile: str
    """
    Request it after three quarters.
    """
    complete: str
    """
    Request it at its end.
    """


class Targeting(TypedDict):
    geo: NotRequired[GeoTargeting | None]
    device: NotRequired[DeviceTargeting | None]
    languages: NotRequired[Sequence[str] | None]
    """
    BCP 47 tags, case-insensitive: `pt` also matches `pt-BR`. Extensions (`-u-…`) are ignored.
    """
    dayparts: NotRequired[Sequence[Daypart] | None]
    """
    Hours of the week, in the campaign's time zone.
    """
    slots: NotRequired[SlotTargeting | None]
    keywords: NotRequired[KeywordTargeting | None]
    key_values: NotRequired[Sequence[KeyValueTargeting] | None]
    """
    Key-value pairs that the page sends as `kv.NAME=VALUE`.
    """
    segments: NotRequired[SegmentTargeting | None]


class TrackError(TypedDict):
    code: ErrorCode | str
    message: str


class TrackRequest(TypedDict):
    token: str
    """
    The `track_token`, unchanged.
    """
    event: EventKind | QualitySignal
    value_cents: NotRequired[int | None]
    """
    Value of a conversion in cents.
    """
    currency: NotRequired[str | None]
    """
    ISO 4217 code of `value_cents`; only with it.
    """
    order_id: NotRequired[str | None]
    """
    Order id of a conversion. Each order counts once: a report with a secret key or a signed click
    id replaces this one.
    """
    ip: NotRequired[str | None]
    """
    The visitor's IP address. Accepted only from servers (a secret key, or a property with
    `server_rendering`); otherwise ignored.
    """
    ua: NotRequired[str | None]
    """
    The visitor's user agent; accepted like `ip`. Send both: an event with `ua` alone has no
    country, and no rule about addresses or repetition applies to it.
    """


class TrackResult(TypedDict):
    status: int
    """
    Status that `POST /v1/track` would have returned for this event.
    """
    result: NotRequired[str | None]
    """
    `counted` or `duplicate`; test keys only.
    """
    error: NotRequired[TrackError | None]
    """
    The error of a refused event.
    """


class UnfilledSlot(TypedDict):
    slot: str
    """
    The slot as in the request.
    """
    status: Literal["no_fill"]
    reason: NotRequired[str | None]
    """
    Same as `X-No-Fill-Reason` for a single slot, visible to the same keys.
    """
    decision_id: NotRequired[str | None]
    """
    Same as `X-Decision-Id` for a single slot, visible to the same keys.
    """


class UniversalAdId(TypedDict):
    """
    An id of the recording in a registry, such as Ad-ID.
    """

    registry: str
    """
    Domain of the registry, like `ad-id.org`.
    """
    value: str
    """
    The id in that registry.
    """


class Verification(TypedDict):
    """
    State of the verification; all fields are null until one is requested.
    """

    method: str | None
    """
    Verification method: `dns` or `html_tag`.
    """
    token: str | None
    """
    Token to publish.
    """
    checked_at: str | None
    last_error: str | None
    """
    What the last check found instead.
    """


class VerificationRecord(TypedDict):
    type: str
    """
    Type of the record.
    """
    name: str
    value: str
    """
    Value of the record.
    """


class VerificationResult(TypedDict):
    verified: bool
    """
    Whether this check found the proof; `property.status` is the resulting status.
    """
    status: PropertyStatus | str
    saw: Sequence[VerificationSighting]
    problem: VerificationProblem | str | None
    """
    Why the check failed; null if it succeeded.
    """
    message: str
    """
    What was found, as text.
    """
    next: str
    """
    What to do next.
    """
    property: PublisherProperty


class VerificationSighting(TypedDict):
    source: str
    """
    Address of the name server, or of the page after redirects.
    """
    outcome: str
    """
    For a name server: `found`, `no_record`, `no_such_name`, `failed`, `timed_out`. For a page:
    `fetched`, or why it was not.
    """
    values: Sequence[str]
    """
    TXT values, or the contents of verification tags.
    """
    status: int | None
    """
    HTTP status of the page.
    """
    redirects: Sequence[str]
    """
    Redirects on the way to the page.
    """


class VerificationStart(TypedDict):
    method: VerificationMethod
    """
    `dns`: a TXT record. `html_tag`: a tag in the front page.
    """


class VerificationStarted(TypedDict):
    """
    Exactly one of ``record`` and ``tag`` is present.
    """

    method: VerificationMethod | str
    token: str
    """
    Token to publish; it stays the same until you request another method or domain.
    """
    record: VerificationRecord | None
    """
    For `dns`: the record to publish.
    """
    tag: str | None
    """
    For `html_tag`: the complete tag to publish.
    """
    where: str
    """
    Where to publish it, as text.
    """


class VideoAdCreate(TypedDict):
    campaign_id: str
    name: str
    format: Literal["video"]
    asset_ids: NotRequired[dict[str, str]]
    """
    Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio),
    `poster` (video), `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and
    duration in `content`; `html` inserts the file's text, at most 64 KiB.
    """
    content: VideoContent
    categories: NotRequired[Sequence[str]]
    """
    Codes of the IAB content taxonomy.
    """
    tracking: NotRequired[AdvertiserTrackingInput]
    click_url: NotRequired[str | None]
    """
    Destination URL (https; for trying out an ad, also http of the local machine), with the macros
    {click_id} {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
    """
    weight: NotRequired[int]
    """
    Relative weight among the campaign's ads.
    """
    slot_ids: NotRequired[Sequence[str]]
    """
    Slots that the ad may serve in. Empty: every slot of the campaign's properties.
    """
    targeting: NotRequired[Targeting]
    """
    Restricts the campaign's targeting further; cannot extend it.
    """


class VideoContent(TypedDict):
    """
    `media` lists the renditions of one recording. An asset with the role `media.0` provides the
    first. An ad with `wrapper` has no media of its own, and serves only in VAST documents.
    """

    wrapper: NotRequired[Wrapper | None]
    media: NotRequired[Sequence[VideoRendition]]
    """
    At least one, unless the ad is a `wrapper`.
    """
    skip_offset_ms: NotRequired[int | None]
    """
    Milliseconds after which the video can be skipped; null: never.
    """
    poster: NotRequired[str | None]
    """
    Picture shown before playback; an asset with the role `poster` provides it. Null: players show
    the first picture of the video.
    """
    mezzanine: NotRequired[Mezzanine | None]
    """
    Only in VAST documents (`output=vast`).
    """
    universal_ad_id: NotRequired[UniversalAdId | None]
    """
    Only in VAST documents (`output=vast`). Default: an id of the ad and its media.
    """
    companions: NotRequired[Sequence[Companion]]
    """
    Images shown beside the video. Only in VAST documents (`output=vast`).
    """
    icons: NotRequired[Sequence[VideoIcon]]
    """
    Only in VAST documents (`output=vast`).
    """
    verifications: NotRequired[Sequence[AdVerification]]
    """
    Only in VAST documents (`output=vast`).
    """


class VideoIcon(TypedDict):
    """
    A picture over the video, such as AdChoices.
    """

    program: str
    """
    The program that the icon stands for, like `AdChoices`.
    """
    image_url: str
    """
    URL of the image.
    """
    width: int
    height: int
    x_position: NotRequired[str]
    """
    `left`, `right`, or pixels from the left edge of the video.
    """
    y_position: NotRequired[str]
    """
    `top`, `bottom`, or pixels from the upper edge of the video.
    """
    offset_ms: NotRequired[int | None]
    """
    When it appears, in milliseconds from the start of the video.
    """
    duration_ms: NotRequired[int | None]
    """
    How long it is shown. Null: until the end.
    """
    click_url: NotRequired[str | None]
    """
    Destination URL; `{click_id}`, `{campaign_id}` and other macros are replaced.
    """
    view_urls: NotRequired[Sequence[str]]
    """
    URLs that players load when they show the icon.
    """


class VideoRendition(TypedDict):
    """
    All fields except `bitrate_kbps` are required, unless an asset has the rendition's role
    (`media.0` onwards).
    """

    url: NotRequired[str]
    """
    URL of the media file.
    """
    mime: NotRequired[str]
    """
    Media type.
    """
    width: NotRequired[int]
    height: NotRequired[int]
    bitrate_kbps: NotRequired[int | None]
    """
    Bitrate in kilobits per second.
    """
    duration_ms: NotRequired[int]
    """
    Duration in milliseconds.
    """


class Viewability(TypedDict):
    """
    When an ad counts as viewable.
    """

    ratio: float
    """
    Minimum share of the ad's area in the viewport.
    """
    duration_ms: int
    """
    Minimum uninterrupted time in milliseconds.
    """


class Wrapper(TypedDict):
    """
    The ad tag of another ad server, to which players of a VAST document go on.
    """

    url: str
    """
    URL of a VAST document. Players replace macros like `[CACHEBUSTING]`.
    """
    duration_ms: int
    """
    Length of the longest ad that the tag returns, by which ad breaks are filled.
    """
    fallback_on_no_ad: NotRequired[bool]
    """
    Whether players may use another ad of the response where the tag returns none.
    """
    follow_additional_wrappers: NotRequired[bool]
    """
    Whether the tag may lead to yet another tag.
    """


AdCreate: TypeAlias = (
    BannerAdCreate | HtmlAdCreate | NativeAdCreate | AudioAdCreate | VideoAdCreate | EmailAdCreate
)
"""An ad; the content depends on the format."""
SlotAnswer: TypeAlias = FilledSlot | UnfilledSlot
"""One of them, by `status`."""
