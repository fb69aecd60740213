// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
/** The models of the API, as JSON has them. Responses can have fields and values that are not listed. */

/** One of the listed values, or one that was added since. */
export type Open<T extends string> = T | (string & {});

export type AccountState =
  | "active"
  | "past_due"
  | "suspended";

export type AdFormat =
  | "banner"
  | "html"
  | "native"
  | "audio"
  | "video"
  | "email";

export type AdMarkers =
  | "discontinuity"
  | "interstitial";

export type AdSource =
  | "sponsorship"
  | "direct"
  | "auction"
  | "house"
  | "preview";

export type AdStatus =
  | "draft"
  | "pending_review"
  | "active"
  | "rejected"
  | "paused"
  | "archived";

export type AssetKind =
  | "image"
  | "video"
  | "audio"
  | "html";

export type AssetStatus =
  | "uploading"
  | "processing"
  | "ready"
  | "rejected"
  | "archived";

export type BreakType =
  | "pre"
  | "mid"
  | "post";

export type Browser =
  | "chrome"
  | "safari"
  | "firefox"
  | "edge"
  | "opera"
  | "samsung"
  | "other";

export type CampaignDeliveryStatus =
  | "scheduled"
  | "delivering"
  | "not_delivering"
  | "budget_exhausted_today"
  | "budget_exhausted"
  | "ended"
  | "no_ads"
  | "blocked";

export type CampaignSort =
  | "-created_at"
  | "created_at"
  | "name"
  | "-name"
  | "-updated_at"
  | "updated_at";

export type CampaignStatus =
  | "draft"
  | "pending_review"
  | "active"
  | "paused"
  | "completed"
  | "rejected"
  | "archived";

export type CandidateState =
  | "won"
  | "fits"
  | "dropped";

export type ConsentSignal =
  | "coppa"
  | "coppa_unreadable"
  | "npa"
  | "npa_unreadable"
  | "gpc"
  | "dnt"
  | "gpp_garbled"
  | "gpp_section_missing"
  | "gpp_section_not_read"
  | "gdpr_not_applicable"
  | "gdpr_unreadable"
  | "tc_string_missing"
  | "tc_string_garbled"
  | "vendor_not_disclosed"
  | "vendor_not_consented"
  | "purpose_1_not_allowed"
  | "purpose_2_not_allowed"
  | "purpose_3_not_allowed"
  | "purpose_4_not_allowed"
  | "purpose_7_not_allowed"
  | "publisher_not_consented"
  | "tc_string_consents"
  | "us_privacy_garbled"
  | "us_section_garbled"
  | "us_opted_out"
  | "us_not_notified"
  | "us_known_child"
  | "us_personal_data_refused"
  | "us_service_provider"
  | "us_not_opted_out"
  | "lgpd_refused"
  | "lgpd_unreadable"
  | "lgpd_consented"
  | "presumed"
  | "no_signal";

export type ContentKind =
  | "progressive"
  | "hls"
  | "none";

export type CredentialKind =
  | "publishable_key"
  | "secret_key"
  | "integration_key"
  | "access_token";

export type DeliveryPace =
  | "ahead"
  | "on_track"
  | "behind";

export type DeviceType =
  | "desktop"
  | "mobile"
  | "tablet"
  | "tv"
  | "other";

export type EmailItemStatus =
  | "filled"
  | "no_fill";

export type EmailMode =
  | "per_send"
  | "per_recipient";

export type EmailRender =
  | "fixed"
  | "on_open";

export type EmbedComponent =
  | "campaign_create"
  | "campaign_edit"
  | "campaign_list"
  | "ad_create"
  | "report_overview";

export type EmbedTheme =
  | "light"
  | "dark";

export type Environment =
  | "test"
  | "live";

export type ErrorCode =
  | "missing_key"
  | "invalid_key"
  | "key_revoked"
  | "tenant_suspended"
  | "wrong_environment"
  | "property_unverified"
  | "rate_limited"
  | "insufficient_scope"
  | "not_available_to_integration_keys"
  | "permission_lost"
  | "permission_denied"
  | "invalid_json"
  | "validation_failed"
  | "bad_request"
  | "invalid_grant"
  | "email_unverified"
  | "token_invalid"
  | "token_expired"
  | "token_mismatch"
  | "slot_not_found"
  | "not_found"
  | "method_not_allowed"
  | "already_exists"
  | "invalid_state"
  | "insufficient_balance"
  | "limit_reached"
  | "version_conflict"
  | "version_required"
  | "idempotency_key_reused"
  | "idempotency_in_progress"
  | "cursor_invalid"
  | "cursor_expired"
  | "decision_expired"
  | "payload_too_large"
  | "uri_too_long"
  | "headers_too_large"
  | "range_not_satisfiable"
  | "unsupported_media_type"
  | "request_timeout"
  | "internal"
  | "unavailable";

export type EventKind =
  | "impression"
  | "click"
  | "conversion";

export type EventReason =
  | "ok"
  | "ok_test"
  | "ok_over_budget"
  | "ok_consent_limited"
  | "ok_late"
  | "bot_user_agent"
  | "unknown_user_agent"
  | "missing_user_agent"
  | "datacenter_ip"
  | "prefetch"
  | "internal_traffic"
  | "rate_exceeded"
  | "duplicate_click"
  | "duplicate_impression"
  | "click_too_fast"
  | "origin_mismatch"
  | "consent_denied"
  | "campaign_ended"
  | "clock_skew"
  | "mail_privacy_proxy"
  | "mail_link_scanner"
  | "retracted";

export type ExportFormat =
  | "csv"
  | "ndjson"
  | "parquet";

export type ExportKind =
  | "report"
  | "events";

export type ExportStatus =
  | "queued"
  | "running"
  | "ready"
  | "failed"
  | "expired";

export type InvalidTrafficClass =
  | "none"
  | "givt"
  | "sivt";

export type KeyBlock =
  | "address_unverified"
  | "property_unverified"
  | "property_suspended";

export type KeyKind =
  | "publishable"
  | "secret"
  | "integration";

export type KeyStatus =
  | "active"
  | "expired"
  | "revoked";

export type Language =
  | "en"
  | "es"
  | "pt-BR";

export type LiveBlockCode =
  | "address_unverified"
  | "property_unverified"
  | "property_suspended"
  | "account_stopped"
  | "payment_overdue";

export type MemberRole =
  | "owner"
  | "admin"
  | "manager"
  | "analyst"
  | "finance";

export type NoFillReason =
  | "no_candidate"
  | "account_stopped"
  | "no_funds"
  | "demo_never_fills"
  | "slot_archived"
  | "stale_snapshot"
  | "spool_full"
  | "campaign_not_active"
  | "ad_not_active"
  | "out_of_flight"
  | "not_supported_yet"
  | "budget_spent"
  | "format_mismatch"
  | "size_mismatch"
  | "slot_not_targeted"
  | "blocked_advertiser"
  | "blocked_category"
  | "blocked_ad"
  | "below_floor"
  | "geo_not_targeted"
  | "device_not_targeted"
  | "language_not_targeted"
  | "daypart_not_targeted"
  | "keywords_not_targeted"
  | "key_values_not_targeted"
  | "segments_not_targeted"
  | "unfit_for_children"
  | "advertiser_already_shown"
  | "category_already_shown"
  | "duration_mismatch"
  | "share_of_voice"
  | "goal_reached"
  | "paced"
  | "frequency_capped"
  | "cap_not_known";

export type Objective =
  | "awareness"
  | "traffic"
  | "engagement"
  | "leads"
  | "conversions"
  | "app_promotion";

export type OperatingSystem =
  | "windows"
  | "macos"
  | "linux"
  | "ios"
  | "android"
  | "chromeos"
  | "other";

export type Pacing =
  | "even"
  | "asap"
  | "front_loaded";

export type Permission =
  | "campaign:read"
  | "campaign:write"
  | "ad:read"
  | "ad:write"
  | "asset:read"
  | "asset:write"
  | "property:read"
  | "reports:read"
  | "property:write"
  | "key:read"
  | "key:write"
  | "member:read"
  | "member:write"
  | "billing:read"
  | "billing:write"
  | "event:read"
  | "account:write"
  | "audit:read"
  | "platform:read"
  | "platform:write";

export type PricingModel =
  | "cpm"
  | "cpc"
  | "cpa"
  | "flat_rate";

export type Priority =
  | "sponsorship"
  | "standard"
  | "auction"
  | "house";

export type PropertyKind =
  | "web"
  | "app"
  | "email"
  | "audio"
  | "ctv";

export type PropertyStatus =
  | "unverified"
  | "verified"
  | "suspended";

export type QualitySignal =
  | "viewable"
  | "start"
  | "first_quartile"
  | "midpoint"
  | "third_quartile"
  | "complete"
  | "skip"
  | "error";

export type ReportDimension =
  | "campaign"
  | "ad"
  | "property"
  | "slot"
  | "country"
  | "device"
  | "format"
  | "source"
  | "surface"
  | "reason";

export type ReportGranularity =
  | "hour"
  | "day"
  | "week"
  | "month"
  | "total";

export type ReportMetric =
  | "requests"
  | "fills"
  | "no_fills"
  | "fill_rate"
  | "impressions"
  | "viewable_impressions"
  | "clicks"
  | "conversions"
  | "click_through_conversions"
  | "view_through_conversions"
  | "invalid_impressions"
  | "invalid_clicks"
  | "spend_cents"
  | "earnings_cents"
  | "conversion_value_cents"
  | "ctr"
  | "cvr"
  | "ecpm_cents"
  | "starts"
  | "first_quartiles"
  | "midpoints"
  | "third_quartiles"
  | "completes"
  | "skips"
  | "errors"
  | "viewable_rate"
  | "start_rate"
  | "first_quartile_rate"
  | "midpoint_rate"
  | "third_quartile_rate"
  | "completion_rate"
  | "skip_rate"
  | "error_rate";

export type SdkKeyKind =
  | "publishable"
  | "secret";

export type ServeScenario =
  | "no_candidate"
  | "account_stopped"
  | "no_funds"
  | "demo_never_fills"
  | "slot_archived"
  | "stale_snapshot"
  | "spool_full"
  | "campaign_not_active"
  | "ad_not_active"
  | "out_of_flight"
  | "not_supported_yet"
  | "budget_spent"
  | "format_mismatch"
  | "size_mismatch"
  | "slot_not_targeted"
  | "blocked_advertiser"
  | "blocked_category"
  | "blocked_ad"
  | "below_floor"
  | "geo_not_targeted"
  | "device_not_targeted"
  | "language_not_targeted"
  | "daypart_not_targeted"
  | "keywords_not_targeted"
  | "key_values_not_targeted"
  | "segments_not_targeted"
  | "unfit_for_children"
  | "advertiser_already_shown"
  | "category_already_shown"
  | "duration_mismatch"
  | "share_of_voice"
  | "goal_reached"
  | "paced"
  | "frequency_capped"
  | "cap_not_known"
  | "slow"
  | "rate_limited"
  | "tenant_suspended"
  | "error";

export type SlotStatus =
  | "active"
  | "archived";

export type StitchOutput =
  | "plan"
  | "vast"
  | "hls"
  | "file";

export type Surface =
  | "web"
  | "ios"
  | "android"
  | "flutter"
  | "server"
  | "email"
  | "audio"
  | "amp"
  | "ctv";

export type VerificationMethod =
  | "dns"
  | "html_tag";

export type VerificationProblem =
  | "record_missing"
  | "record_differs"
  | "name_servers_fail"
  | "resolvers_disagree"
  | "resolver_silent"
  | "tag_missing"
  | "tag_differs"
  | "page_not_ok"
  | "page_unreachable"
  | "page_refused"
  | "page_elsewhere"
  | "held_by_another";

export type Weekday =
  | "mon"
  | "tue"
  | "wed"
  | "thu"
  | "fri"
  | "sat"
  | "sun";

export interface Account {
  id: string;
  name: string;
  /** ISO 4217 code; all amounts of the account are in this currency. */
  currency: string;
  /** `suspended`: every key is refused, on edges too. */
  state: Open<AccountState>;
  /** `payment_failed`, `subscription_ended`, `operator` or `closed`; null while active. */
  state_reason: string | null;
  /** Whether the account has stopped its live serving. */
  stopped: boolean;
  /** `invoiced` or `prepaid`. */
  billing_mode: string;
  /**
   * Whether an owner has verified their email address. Until then the account can neither invite members nor serve
   * live ads.
   */
  address_verified: boolean;
  /** Whether live campaigns and ads need approval by an owner or admin before they run. */
  review_required: boolean;
  /** Whether owners, admins and finance members need a second factor. */
  require_second_factor: boolean;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface Ad {
  id: string;
  campaign_id: string;
  name: string;
  format: Open<AdFormat>;
  /** The content for the ad's format, as on creation. */
  content: Readonly<Record<string, unknown>>;
  /** Asset ids by the role that they fill. */
  asset_ids: Readonly<Record<string, string>>;
  /** Categories of the ad, as codes of the IAB content taxonomy. */
  categories: readonly string[];
  tracking: AdvertiserTrackingUrls;
  /** Destination URL; `{click_id}`, `{campaign_id}` and other macros are replaced. */
  click_url: string | null;
  /** Registrable domain of `click_url`. */
  advertiser_domain: string | null;
  /** Relative weight among the campaign's ads. */
  weight: number;
  /** Slots that the ad may serve in. Empty: every slot of the campaign's properties. */
  slot_ids: readonly string[];
  /** The targeting, with codes in their standard case and without empty rules. */
  targeting: Readonly<Record<string, unknown>>;
  status: Open<AdStatus>;
  /** The last review decision; null before the first, and while a new one is pending. */
  review: ReviewDecision | null;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
  version: number;
  created_at: string;
  updated_at: string;
}

/** An ad; the content depends on the format. */
export type AdCreate = BannerAdCreate | HtmlAdCreate | NativeAdCreate | AudioAdCreate | VideoAdCreate | EmailAdCreate;

export interface AdPage {
  data: readonly Ad[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface AdPatch {
  name?: string;
  /**
   * Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio), `poster` (video),
   * `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and duration in `content`; `html`
   * inserts the file's text, at most 64 KiB.
   */
  asset_ids?: Readonly<Record<string, string>>;
  /** The whole content of the ad's format, as on creation. */
  content?: Readonly<Record<string, unknown>>;
  /** Codes of the IAB content taxonomy. */
  categories?: readonly string[];
  tracking?: AdvertiserTrackingInput;
  /**
   * Destination URL (https; for trying out an ad, also http of the local machine), with the macros {click_id}
   * {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
   */
  click_url?: string | null;
  /** Relative weight among the campaign's ads. */
  weight?: number;
  /** Slots that the ad may serve in. Empty: every slot of the campaign's properties. */
  slot_ids?: readonly string[];
  /** Restricts the campaign's targeting further; cannot extend it. */
  targeting?: Targeting;
}

/** A script of a measurement vendor, for players with the Open Measurement SDK. */
export interface AdVerification {
  /** The vendor's key, like `vendor.example-omid`. */
  vendor: string;
  /** URL of the script. */
  javascript_url: string;
  /** Whether the script runs without a browser, too. */
  browser_optional?: boolean;
  /** Passed to the script unchanged. */
  parameters?: string | null;
  /** URL that players load when they cannot run the script. */
  not_executed_url?: string | null;
}

/** The advertiser's own tracking URLs. Clients load them and ignore the response. */
export interface AdvertiserTracking {
  /** Load these when the ad is shown. */
  impression_urls: readonly string[];
  /** Load these when the ad is clicked. */
  click_urls: readonly string[];
}

/** Tracking URLs, loaded by the client libraries. */
export interface AdvertiserTrackingInput {
  /** Loaded by the client libraries for each impression. */
  impression_urls?: readonly string[];
  /** Loaded by the client libraries for each click. */
  click_urls?: readonly string[];
}

export interface AdvertiserTrackingUrls {
  /** Loaded by the client libraries for each impression. */
  impression_urls: readonly string[];
  /** Loaded by the client libraries for each click. */
  click_urls: readonly string[];
}

export interface Asset {
  id: string;
  property_id: string | null;
  kind: Open<AssetKind>;
  /** Original name of the file. */
  filename: string;
  /** Media type. */
  mime: string;
  /** Length of the served file; until the asset is ready, of the upload. */
  bytes: number;
  /** SHA-256 of the same bytes, hexadecimal. */
  sha256: string | null;
  width: number | null;
  height: number | null;
  /** Duration in milliseconds. */
  duration_ms: number | null;
  media: MediaProperties | null;
  status: Open<AssetStatus>;
  /** URL of the file, once ready. Its content never changes. */
  url: string | null;
  /** Why the file was rejected. */
  rejection_reason: string | null;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
  created_at: string;
  updated_at: string;
}

/** Request for an upload URL; the file follows by PUT. */
export interface AssetCreate {
  kind: AssetKind;
  /** Original name of the file. */
  filename: string;
  /** Declared media type. The actual type is detected from the file. */
  mime: string;
  /** Exact length of the file in bytes. */
  bytes: number;
  /** SHA-256 of the file, hexadecimal. An upload with another digest is rejected. */
  sha256?: string | null;
  /**
   * Property that owns the asset; integration keys see the assets of their own property. Default: a key's own
   * property; for signed-in users, the account.
   */
  property_id?: string | null;
}

export interface AssetCreated {
  id: string;
  property_id: string | null;
  kind: Open<AssetKind>;
  /** Original name of the file. */
  filename: string;
  /** Media type. */
  mime: string;
  /** Length of the served file; until the asset is ready, of the upload. */
  bytes: number;
  /** SHA-256 of the same bytes, hexadecimal. */
  sha256: string | null;
  width: number | null;
  height: number | null;
  /** Duration in milliseconds. */
  duration_ms: number | null;
  media: MediaProperties | null;
  status: Open<AssetStatus>;
  /** URL of the file, once ready. Its content never changes. */
  url: string | null;
  /** Why the file was rejected. */
  rejection_reason: string | null;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
  created_at: string;
  updated_at: string;
  /** Where to send the file; null if it was part of the request. */
  upload: AssetUpload | null;
}

export interface AssetPage {
  data: readonly Asset[];
  has_more: boolean;
  next_cursor: string | null;
}

/** The file itself never changes: upload a new one instead. */
export interface AssetPatch {
  /** Display name of the file. */
  filename?: string;
}

export interface AssetUpload {
  /** HTTP method of the upload: `PUT`. */
  method: string;
  /** URL to send the file to, until `expires_at`. */
  url: string;
  /** Headers to send with the file, unchanged. */
  headers: Readonly<Record<string, string>>;
  expires_at: string;
}

export interface Attribution {
  /** Hours after a click in which a conversion counts for it. */
  click_window_hours: number;
  /** Hours after an impression in which a conversion counts for it. */
  view_window_hours: number;
  /** Names of the conversions that count. Empty: all. */
  conversion_events: readonly string[];
  /** Whether conversions reported by the page itself are billed. */
  bill_in_session: boolean;
  /** Maximum number of pixel conversions per click and event name. */
  pixel_conversions_per_click: number;
}

export interface AttributionInput {
  /** Hours after a click in which a conversion counts for it. */
  click_window_hours?: number;
  /** Hours after an impression in which a conversion counts for it. */
  view_window_hours?: number;
  /** Names of the conversions that count, in either case; returned in lower case. Empty: all. */
  conversion_events?: readonly string[];
  /** Whether conversions reported through `/v1/track` are billed too. */
  bill_in_session?: boolean;
  /** Maximum number of pixel conversions per click and event name; more are invalid with `rate_exceeded`. */
  pixel_conversions_per_click?: number;
}

export interface AttributionPatch {
  /** Hours after a click in which a conversion counts for it. */
  click_window_hours?: number;
  /** Hours after an impression in which a conversion counts for it. */
  view_window_hours?: number;
  /** Names of the conversions that count, in either case; returned in lower case. Empty: all. */
  conversion_events?: readonly string[];
  /** Whether conversions reported through `/v1/track` are billed too. */
  bill_in_session?: boolean;
  /** Maximum number of pixel conversions per click and event name; more are invalid with `rate_exceeded`. */
  pixel_conversions_per_click?: number;
}

export interface AudioAdCreate {
  campaign_id: string;
  name: string;
  format: "audio";
  /**
   * Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio), `poster` (video),
   * `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and duration in `content`; `html`
   * inserts the file's text, at most 64 KiB.
   */
  asset_ids?: Readonly<Record<string, string>>;
  content: AudioContent;
  /** Codes of the IAB content taxonomy. */
  categories?: readonly string[];
  tracking?: AdvertiserTrackingInput;
  /**
   * Destination URL (https; for trying out an ad, also http of the local machine), with the macros {click_id}
   * {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
   */
  click_url?: string | null;
  /** Relative weight among the campaign's ads. */
  weight?: number;
  /** Slots that the ad may serve in. Empty: every slot of the campaign's properties. */
  slot_ids?: readonly string[];
  /** Restricts the campaign's targeting further; cannot extend it. */
  targeting?: Targeting;
}

export interface AudioBreakLimits {
  /** Maximum total duration of the ads in one break, in milliseconds. */
  max_duration_ms: number;
  /** Maximum number of ads in one break. */
  max_ads: number;
}

/** Limits of one ad break of an audio slot. */
export interface AudioBreakLimitsInput {
  /** Maximum total duration of the ads in one break, in milliseconds. */
  max_duration_ms: number;
  /** Maximum number of ads in one break. */
  max_ads?: number;
}

/** `media` lists the renditions of one recording. An asset with the role `media.0` provides the first. */
export interface AudioContent {
  media?: readonly AudioRendition[];
  companion?: Companion | null;
  /** Only in VAST documents (`output=vast`). Default: an id of the ad and its media. */
  universal_ad_id?: UniversalAdId | null;
  /** Only in VAST documents (`output=vast`). */
  verifications?: readonly AdVerification[];
}

/** All fields except `bitrate_kbps` are required, unless an asset has the rendition's role (`media.0` onwards). */
export interface AudioRendition {
  /** URL of the media file. */
  url?: string;
  /** Media type. */
  mime?: string;
  /** Bitrate in kilobits per second. */
  bitrate_kbps?: number | null;
  /** Duration in milliseconds. */
  duration_ms?: number;
}

export interface BannerAdCreate {
  campaign_id: string;
  name: string;
  format: "banner";
  /**
   * Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio), `poster` (video),
   * `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and duration in `content`; `html`
   * inserts the file's text, at most 64 KiB.
   */
  asset_ids?: Readonly<Record<string, string>>;
  content: BannerContent;
  /** Codes of the IAB content taxonomy. */
  categories?: readonly string[];
  tracking?: AdvertiserTrackingInput;
  /**
   * Destination URL (https; for trying out an ad, also http of the local machine), with the macros {click_id}
   * {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
   */
  click_url?: string | null;
  /** Relative weight among the campaign's ads. */
  weight?: number;
  /** Slots that the ad may serve in. Empty: every slot of the campaign's properties. */
  slot_ids?: readonly string[];
  /** Restricts the campaign's targeting further; cannot extend it. */
  targeting?: Targeting;
}

/** All fields except `alt` are required, unless an asset has the role `image`. */
export interface BannerContent {
  /** URL of the image. */
  image_url?: string;
  width?: number;
  height?: number;
  /** Text alternative of the image, for people who cannot see it. */
  alt?: string;
}

export interface Budget {
  /** Maximum spend over the whole flight. */
  total_cents: number | null;
  /** Maximum spend per day, in the campaign's time zone. */
  daily_cents: number | null;
}

export interface BudgetInput {
  /** Maximum spend over the whole flight. */
  total_cents?: number | null;
  /** Maximum spend per day, in the campaign's time zone. */
  daily_cents?: number | null;
}

export interface BudgetPatch {
  /** Maximum spend over the whole flight. */
  total_cents?: number | null;
  /** Maximum spend per day, in the campaign's time zone. */
  daily_cents?: number | null;
}

export interface BulkCampaignAction {
  /** The action. */
  action: string;
  /** Ids of the campaigns. */
  ids: readonly string[];
}

export interface BulkCampaignError {
  code: string;
  message: string;
}

export interface BulkCampaignResult {
  id: string;
  /** Whether the action succeeded for this campaign. */
  ok: boolean;
  /** The campaign's status now; null if the action failed. */
  status: Open<CampaignStatus> | null;
  version: number | null;
  error: BulkCampaignError | null;
}

export interface BulkCampaignResults {
  data: readonly BulkCampaignResult[];
}

export interface Caller {
  /** The credential used for this request. */
  credential: Open<CredentialKind>;
  account: Account;
  /** Whether the account operates this service. */
  is_operator: boolean;
  /** The signed-in user, or the key's creator if still a member. */
  user: CallerUser | null;
  /** The user's role now. */
  role: Open<MemberRole> | null;
  /** Permissions that this credential has now. */
  permissions: readonly Open<Permission>[];
  /** Scopes of the integration key, as chosen. */
  scopes: readonly Open<Permission>[] | null;
  /** Scopes that the key cannot use any more: `permission_lost`. */
  lost_scopes: readonly LostScope[];
  /** Environment of the key; null for a signed-in user. */
  environment: Open<Environment> | null;
  /** Property of the key; null for a signed-in user. */
  property_id: string | null;
  /** Property of the key; null for a signed-in user. */
  property: CallerProperty | null;
  key: CallerKey | null;
  /** Active secret and integration keys older than 90 days: of the account, or of the key's own property. */
  keys_to_rotate: number;
  /** What blocks this caller; empty if nothing does. */
  blocks: readonly LiveBlock[];
  rate_limit: CallerRateLimit;
  /** Server time of the response, to compare with your clock. */
  server_time: string;
  /** Version of the newest snapshot. Every change relevant to edges increases it. */
  snapshot_version: number;
}

export interface CallerKey {
  id: string;
  kind: Open<KeyKind>;
  name: string;
  /** Last four characters of the key's text. */
  last4: string;
  environment: Open<Environment>;
  /** Id of the user the key acts for. */
  created_by: string;
  /** False: the user has left the account, and the key has no permissions. */
  creator_is_member: boolean;
  created_at: string;
  /** Last use before this request, accurate to about a minute; null on first use. */
  last_used_at: string | null;
  /** Expiry; null: does not expire. */
  expires_at: string | null;
  /** Whether the key is older than 90 days and should be replaced. */
  rotation_due: boolean;
}

export interface CallerProperty {
  id: string;
  name: string;
  /** Registered domain. */
  domain: string | null;
  status: Open<PropertyStatus>;
}

export interface CallerRateLimit {
  /** Sustained rate in requests per second. */
  calls_per_second: number;
  /** Maximum burst. */
  burst: number;
  /** Requests left in the current burst. */
  left: number;
}

export interface CallerUser {
  id: string;
  email: string;
  name: string;
  /** Whether the email address is verified. */
  email_verified: boolean;
  /** Language of the mails to the user; null: English. */
  language: Open<Language> | null;
}

export interface Campaign {
  id: string;
  /** Properties that the campaign may serve on. */
  property_ids: readonly string[];
  name: string;
  /** The campaign's objective; determines which event is optimised. */
  objective: string;
  /** The event or period that is paid for. */
  pricing_model: string;
  /** Price in cents for a thousand impressions, a click, a conversion or the whole flight, by `pricing_model`. */
  bid_cents: number;
  /** How spend is spread over the flight. */
  pacing: string;
  /** Priority over other campaigns. */
  priority: string;
  start_at: string | null;
  end_at: string | null;
  /** IANA time zone name. */
  timezone: string;
  budget: Budget;
  goal: Goal | null;
  /** Share of all decisions in percent; sponsorships only. */
  share_of_voice_percent: number | null;
  frequency_caps: readonly FrequencyCap[];
  /** The targeting, with codes in their standard case and without empty rules. */
  targeting: Readonly<Record<string, unknown>>;
  attribution: Attribution;
  status: Open<CampaignStatus>;
  delivery_status: Open<CampaignDeliveryStatus>;
  /**
   * Why the campaign does not deliver: a code, or a code with text. Null while it delivers, except `caps_unknown`:
   * more than 0.1 % of its frequency cap look-ups failed in the current and the previous hour, so it delivers less
   * than it could.
   */
  delivery_reason: string | null;
  /** Spend so far in cents, rounded down. */
  spend_cents: number;
  /** The last review decision; null before the first, and while a new one is pending. */
  review: ReviewDecision | null;
  /** Your own reference, unique in the account and environment. */
  external_ref: string | null;
  /** Your own names and values; stored and returned unchanged. */
  metadata: Readonly<Record<string, string>>;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface CampaignClone {
  /** Name of the copy. Default: `Copy of …`. */
  name?: string | null;
  /** Default: the original's date. Null: none. */
  start_at?: string | null;
  /** Default: the original's date. Null: none. */
  end_at?: string | null;
  /** Whether to clone the ads as drafts. Archived ads are not cloned. */
  include_ads?: boolean;
  /** Default: the original's environment. A key can only use its own. */
  environment?: Environment | null;
}

export interface CampaignCreate {
  /**
   * Properties that the campaign may serve on. Required for signed-in users; default for an integration key: its
   * own property.
   */
  property_ids?: readonly string[] | null;
  name: string;
  objective: Objective;
  pricing_model: PricingModel;
  /**
   * Price in cents for a thousand impressions (cpm), a click (cpc), a conversion (cpa), or the whole flight
   * (flat_rate).
   */
  bid_cents: number;
  pacing?: Pacing;
  priority?: Priority;
  start_at?: string | null;
  end_at?: string | null;
  /** IANA time zone for daily budgets and dayparts. Default: the first property's. */
  timezone?: string | null;
  budget?: BudgetInput | null;
  goal?: GoalInput | null;
  /** Share of all decisions in percent; sponsorships only. */
  share_of_voice_percent?: number | null;
  frequency_caps?: readonly FrequencyCapInput[];
  targeting?: Targeting;
  attribution?: AttributionInput;
  /** Your own id, compared byte for byte; unique in the account and environment. */
  external_ref?: string | null;
  /** Your own names and values; stored and returned unchanged. */
  metadata?: Readonly<Record<string, string>>;
}

export interface CampaignDelivery {
  status: Open<CampaignStatus>;
  delivery_status: Open<CampaignDeliveryStatus>;
  /** Why the campaign delivers, or does not. */
  delivery_reason: string | null;
  /**
   * Percentage of the goal (or else of the total budget) that should be delivered by now, from the pacing plan over
   * the flight and the traffic of the targeted slots. Null if there is no plan: no goal and no total budget, no
   * end, pacing `asap`, a flat rate, priority `house`, or test.
   */
  expected_percent: number | null;
  /** Percentage of the goal (or else of the total budget) delivered; null if there is neither, and for test budgets. */
  actual_percent: number | null;
  /** `ahead` or `behind` if more than 10 % off the plan; null without a plan. */
  pace: Open<DeliveryPace> | null;
  /** Spend so far in cents, rounded down. */
  spend_cents: number;
  /** Remaining total budget; null if there is none. In test it stays full: nothing is charged. */
  remaining_cents: number | null;
  today: DeliveryToday;
  /** Valid impressions since the campaign was created. */
  impressions: number;
  /** Valid clicks. */
  clicks: number;
  /** Valid conversions. */
  conversions: number;
  /**
   * Maximum that edges could still deliver with the budget already granted to them, events in transit included.
   * Delivery beyond the budget is not charged. Null: no budget, or unknown.
   */
  max_over_delivery_cents: number | null;
  /**
   * Reasons why requests of the last 24 hours that the campaign could have filled (by slot, country and device)
   * showed no ad, most frequent first.
   */
  top_no_serve_reasons: readonly NoServeShare[];
  /** Every event up to this time is counted; null before any edge reported. */
  as_of: string | null;
}

export interface CampaignPage {
  data: readonly Campaign[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface CampaignPatch {
  /** Properties that the campaign may serve on. */
  property_ids?: readonly string[];
  name?: string;
  objective?: Objective;
  pricing_model?: PricingModel;
  /**
   * Price in cents for a thousand impressions (cpm), a click (cpc), a conversion (cpa), or the whole flight
   * (flat_rate).
   */
  bid_cents?: number;
  pacing?: Pacing;
  priority?: Priority;
  start_at?: string | null;
  end_at?: string | null;
  /** IANA time zone name. */
  timezone?: string;
  budget?: BudgetPatch | null;
  goal?: GoalInput | null;
  /** Share of all decisions in percent; sponsorships only. */
  share_of_voice_percent?: number | null;
  frequency_caps?: readonly FrequencyCapInput[];
  targeting?: Targeting;
  attribution?: AttributionPatch;
  /** Your own id, compared byte for byte; unique in the account and environment. */
  external_ref?: string | null;
  /** Your own names and values; stored and returned unchanged. */
  metadata?: Readonly<Record<string, string>>;
}

export interface ClickVerification {
  /** The `sa_click_id` from the landing page's URL, unchanged: a UUID, a dot and a tag. */
  click_id: string;
}

export interface ClickVerified {
  /** Whether this service signed the click id, in the environment of the key. */
  valid: boolean;
  /** The UUID of the click; null if the id is not valid. */
  id?: string | null;
}

export interface ClientFrequencyCap {
  /** Eight characters that identify the cap in `seen`. */
  name: string;
  event: Open<EventKind>;
  /** Length of the sliding window in seconds. */
  window_seconds: number;
}

/**
 * Image shown while an audio ad plays. All fields except `alt` are required, unless an asset has the role
 * `companion`.
 */
export interface Companion {
  /** URL of the image. */
  image_url?: string;
  width?: number;
  height?: number;
  /** Text alternative of the image, for people who cannot see it. */
  alt?: string;
}

export interface ConversionAccepted {
  /** Same id for a repeated request; if attributed, also the event's id in the feed. */
  conversion_id: string;
}

/** Exactly one of `click_id` and `uid`. */
export interface ConversionBody {
  /** The `sa_click_id` from the landing page's URL: a UUID, a dot and a tag, or the UUID alone. */
  click_id?: string | null;
  /** The visitor's `uid`, as sent to `/v1/serve`. */
  uid?: string | null;
  /**
   * Your own name for the event. A campaign's `conversion_events` lists the names that count for it, case-
   * insensitive.
   */
  event_name: string;
  /** Value of the conversion in cents of `currency`; without `currency`, of the property's currency. */
  value_cents?: number | null;
  /** ISO 4217 code of `value_cents`; only with it. */
  currency?: string | null;
  /**
   * Your order id. An order counts once per property and environment, whichever way it is reported first. A report
   * with a secret key or a signed click id replaces an earlier one without, such as one in session.
   */
  order_id?: string | null;
  /** Time of the conversion, at most 90 days ago and 30 seconds ahead. Default: now. */
  occurred_at?: string | null;
}

/** Valid conversions by attribution, and the conversions that do not count. */
export interface ConversionCounts {
  /** Conversions after a click. */
  click_through: number;
  /** Conversions after a view, without a click. */
  view_through: number;
  /** Conversions reported by the page with the ad's own token. */
  in_session: number;
  /** Conversions waiting for earlier events, for an hour at most. */
  waiting: number;
  /**
   * Conversions without a known click or view. Pixel conversions with an unknown click belong to no property and
   * are not counted anywhere.
   */
  unattributed: number;
  /** Conversions whose order was already counted. */
  repeated: number;
}

/** A window within one day, in the campaign's time zone. A window over midnight needs two of them. */
export interface Daypart {
  days: readonly Weekday[];
  /** Start of the window, `HH:MM`. */
  start: string;
  /** End of the window, `HH:MM`, up to `24:00`. */
  end: string;
}

/** A candidate ad and what happened to it. */
export interface DecisionCandidate {
  campaign_id: string;
  ad_id: string;
  state: Open<CandidateState>;
  /** The first rule that excluded it. */
  dropped_by: Open<NoFillReason> | null;
  /** What happened to the candidate, and how to change that. */
  words: string;
  /** Rank in which the candidate was tried, from 1; null if it was not eligible. */
  turn: number | null;
  priority: Open<Priority>;
  /** Expected revenue per thousand impressions (eCPM), in micros: 10,000 are one cent. */
  ecpm_micros: number;
  /** Expected clicks per million impressions. */
  clicks_ppm: number;
  /** Expected conversions per million clicks. */
  conversions_ppm: number;
  /** Relative weight among the campaign's ads. */
  weight: number;
  /** Targeting rules that matched. */
  matched: readonly string[];
  /** Targeting rules that did not match. */
  missed: readonly string[];
}

/** The consent of the request. For a hypothetical opportunity: as given. */
export interface DecisionConsent {
  /** Whether a signal refused consent; recorded in the token. */
  limited: boolean;
  /** Whether the page is directed at children. */
  child_directed: boolean;
  /** Whether ids, segments and per-visitor caps may be used. */
  personal: boolean;
  /** Whether an id may be stored on the device. */
  storage: boolean | null;
  /** Whether this visitor's events may be measured individually. */
  measurement: boolean | null;
  /** The deciding signals, in the order in which they are checked. */
  why: readonly string[];
}

export interface DecisionExplanation {
  /** Null for a hypothetical opportunity. */
  decision_id: string | null;
  /**
   * Whether repeating the decision gave exactly the recorded outcome. False: a newer release changed the rules; the
   * outcome shown is the recorded one. Null: nothing was recorded.
   */
  reproduced: boolean | null;
  /** When it happened. */
  at: string;
  environment: Open<Environment>;
  property_id: string;
  slot_id: string;
  snapshot: SnapshotPosition;
  /** Random seed of the decision, 64 bits in hex. */
  seed: string;
  outcome: DecisionOutcome;
  consent: DecisionConsent;
  /** Eligible candidates in the order tried, then the others by how many rules they passed. */
  considered: readonly DecisionCandidate[];
  /** Total number of candidates, listed or not. */
  considered_total: number;
}

/** A hypothetical ad request, with the values that targeting is matched against. An omitted field is unknown. */
export interface DecisionOpportunity {
  /** The slot's id, or its key together with `property_id`. */
  slot: string;
  /** Default for an integration key: its own property. Signed-in users need it if `slot` is a key. */
  property_id?: string | null;
  /** Required for signed-in users. An integration key always uses its own environment. */
  environment?: Environment | null;
  format?: AdFormat | null;
  /** Available width and height in pixels. */
  w?: number | null;
  /** Available width and height in pixels. */
  h?: number | null;
  surface?: Surface;
  /** ISO 3166-1 country code. */
  country?: string | null;
  /** The part of the ISO 3166-2 code after the dash: `SP` for BR-SP. */
  region?: string | null;
  device?: DeviceType | null;
  os?: OperatingSystem | null;
  browser?: Browser | null;
  /** Languages of the visitor, BCP 47. */
  languages?: readonly string[];
  /** Keywords of the page. */
  keywords?: readonly string[];
  /** Your own key-value pairs, like `kv.NAME` on serve. */
  key_values?: Readonly<Record<string, readonly string[]>>;
  /** Segments of the visitor. */
  segments?: readonly string[];
  /** Whether the page is directed at children, like `coppa=1` on serve. */
  child_directed?: boolean;
  /** Whether consent is missing: segments are then ignored. */
  consent_limited?: boolean;
  /** Advertisers already shown by other slots of the same request: their domains, or URLs that contain them. */
  shown_advertisers?: readonly string[];
}

/** An ad, or the reason why there is none. */
export interface DecisionOutcome {
  /** Whether an ad was chosen. */
  filled: boolean;
  ad_id: string | null;
  campaign_id: string | null;
  source: Open<AdSource> | null;
  /** Price of one billable event in micros: 10,000 are one cent. */
  price_micros: number | null;
  reason: Open<NoFillReason> | null;
  /** What happened, and how to change that. */
  words: string;
}

/** Exactly one of `decision_id` and `opportunity`. `at`, `snapshot_version` and `seed` go with `opportunity`. */
export interface DecisionQuestion {
  /** The `decision_id` of a serve response, or the `X-Decision-Id` of one without an ad. */
  decision_id?: string | null;
  opportunity?: DecisionOpportunity | null;
  /** Time of the hypothetical request; may be in the future. Default: now. */
  at?: string | null;
  /** Snapshot version. Default: the snapshot at the time `at`. */
  snapshot_version?: number | null;
  /** 64 bits in hex, from which all random draws are derived. Default: a new random seed. */
  seed?: string | null;
  /** Maximum number of candidates listed. */
  limit?: number;
}

/** Delivery of the current day, in the campaign's time zone. */
export interface DeliveryToday {
  /** The date, in the campaign's time zone. */
  date: string;
  /** Spend in cents: charges for events by their hour, as in reports, and the day's part of a flat rate. */
  spend_cents: number;
  /**
   * Remaining daily budget, which counts an event on the day when its ad was served; null without
   * `budget.daily_cents`.
   */
  remaining_cents: number | null;
  /** Valid impressions. */
  impressions: number;
  /** Valid clicks. */
  clicks: number;
  /** Valid conversions. */
  conversions: number;
}

export interface DeviceTargeting {
  types?: readonly DeviceType[];
  os?: readonly OperatingSystem[];
  browsers?: readonly Browser[];
}

export interface EmailAdCreate {
  campaign_id: string;
  name: string;
  format: "email";
  /**
   * Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio), `poster` (video),
   * `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and duration in `content`; `html`
   * inserts the file's text, at most 64 KiB.
   */
  asset_ids?: Readonly<Record<string, string>>;
  content: EmailContent;
  /** Codes of the IAB content taxonomy. */
  categories?: readonly string[];
  tracking?: AdvertiserTrackingInput;
  /**
   * Destination URL (https; for trying out an ad, also http of the local machine), with the macros {click_id}
   * {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
   */
  click_url?: string | null;
  /** Relative weight among the campaign's ads. */
  weight?: number;
  /** Slots that the ad may serve in. Empty: every slot of the campaign's properties. */
  slot_ids?: readonly string[];
  /** Restricts the campaign's targeting further; cannot extend it. */
  targeting?: Targeting;
}

/** Consent signals of all recipients of the call, as the parameters of `GET /v1/serve` with these names. */
export interface EmailConsent {
  /** `1` if the GDPR applies, `0` if not. */
  gdpr?: string | null;
  /** IAB TCF consent string. */
  gdpr_consent?: string | null;
  /** IAB GPP string. */
  gpp?: string | null;
  /** Ids of the GPP sections that apply. */
  gpp_sid?: string | null;
  /** IAB US Privacy string. */
  us_privacy?: string | null;
  /** `1` for children. */
  coppa?: string | null;
  /** `1` if the recipients consented under the LGPD, `0` if not. */
  lgpd?: string | null;
  /** `1` for ads that are not personalised. */
  npa?: string | null;
}

/**
 * Mail clients hide images by default: the message must be understandable without them. All fields are required,
 * unless an asset has the role `image`.
 */
export interface EmailContent {
  /** URL of the image. */
  image_url?: string;
  width?: number;
  height?: number;
  /** Text alternative of the image, for people who cannot see it. */
  alt: string;
  /** Text for the plain-text part of the mail. */
  text_fallback: string;
}

/** One slot of one recipient's mail. A `no_fill` item has nothing to show: all other fields are null. */
export interface EmailItem {
  /** The recipient's `ref`; null if no recipients were sent. */
  ref: string | null;
  /** The slot as in the request. */
  slot: string;
  status: Open<EmailItemStatus>;
  /** Null with `on_open`, too: it is not chosen yet. */
  ad_id: string | null;
  campaign_id: string | null;
  /** Markup for the HTML part of the mail, impression pixel included. Insert it unchanged. */
  html: string | null;
  /** For the plain-text part of the mail, link included. */
  text: string | null;
  /** The ad's image. */
  image_url: string | null;
  /** Redirect to the ad's destination. */
  click_url: string | null;
  /** Impression pixel, part of `html`. Null with `on_open`, where `image_url` counts. */
  impression_url: string | null;
  /** The image's alternative text. */
  alt: string | null;
  /** Of the image, in pixels. */
  width: number | null;
  height: number | null;
  /** Token for `POST /v1/track`; null with `on_open`, and without `recipients`. */
  track_token: string | null;
}

/** Either `slot` or `slots`. */
export interface EmailPrepareBody {
  /** Key or id of a slot with the format `email`. */
  slot?: string | null;
  /**
   * Several slots of one mail. No advertiser appears in two of them, except a sponsor that takes them together.
   * With `render` `on_open` each image is chosen apart.
   */
  slots?: readonly string[] | null;
  /** Your own id of this mailing. All calls of a mailing have the same. */
  send_id: string;
  /**
   * `per_recipient`: an ad is chosen for each recipient. `per_send`: one ad a slot for all of them; what the
   * recipients are like does not choose it.
   */
  mode?: EmailMode;
  /**
   * `fixed`: the ad is chosen now. `on_open`: `image_url` and `click_url` choose it when the mail is opened; it
   * needs `recipients`.
   */
  render?: EmailRender;
  /**
   * Up to 1,000; split a larger mailing into several calls. With `per_send` they may be left out: one item a slot,
   * for all copies of the mail.
   */
  recipients?: readonly EmailRecipient[] | null;
  /** For how long impressions and clicks count. */
  expires_in_days?: number;
  /**
   * Consent signals of the recipients. Without it, a `uid` states that the person's data may be used for frequency
   * caps.
   */
  consent?: EmailConsent | null;
}

export interface EmailPrepared {
  send_id: string;
  /** When the first of the items expires: events after that do not count. */
  expires_at: string;
  /** Recipients in the order sent, and within each the slots in the order sent. */
  items: readonly EmailItem[];
  /** Number of items with an ad. */
  filled: number;
  /** Number of items without one. */
  no_fill: number;
}

/** No field may contain an e-mail address. */
export interface EmailRecipient {
  /** Your own id of this recipient in this send, to match the items. Unique within the call. */
  ref: string;
  /**
   * Your own opaque id of the person, the same in every send: frequency caps count by it. Leave it out if the
   * person's data may not be used.
   */
  uid?: string | null;
  /** ISO 3166-1 country code, for targeting. */
  country?: string | null;
  /** Languages as in `Accept-Language`. */
  lang?: string | null;
  /**
   * Key-values for targeting, as `kv.NAME` of `GET /v1/serve`: at most 50 values in all. With `render` `on_open`
   * the whole recipient has at most 1024 bytes as JSON.
   */
  kv?: Readonly<Record<string, string | readonly string[]>>;
}

/** Initial state of the window. */
export interface EmbedContext {
  /** For `campaign_edit` and `ad_create`: limits the window to this campaign. Omitted: the user chooses one. */
  campaign_id?: string | null;
  /** `external_ref` of a campaign that the window creates. */
  external_ref?: string | null;
  /** Language such as `pt-BR`. Default: the browser's. Unsupported languages fall back to English. */
  locale?: string | null;
  /** Default: the system setting of the user. */
  theme?: EmbedTheme | null;
}

export interface EmbedSessionCreate {
  /** The page to show. */
  component: EmbedComponent;
  /**
   * The only origin that may frame the window: `https://host` or `https://host:port`, in lower case and punycode,
   * without the default port. Test keys may also use `http://localhost` and `http://localhost:port`.
   */
  origin: string;
  context?: EmbedContext;
}

export interface EmbedSessionCreated {
  /** Opens the window once. */
  client_secret: string;
  /** URL to open in an iframe on `origin`. */
  url: string;
  /** Expiry of the secret, unless it was used. */
  expires_at: string;
}

export interface ErrorBody {
  code: string;
  /** What is wrong, and what to do next. */
  message: string;
  /** The invalid field, dotted, if the error is about a field. */
  param?: string | null;
  /** Every error of every invalid field. */
  details?: readonly ErrorDetail[] | null;
  request_id?: string | null;
}

export interface ErrorDetail {
  /** The field, dotted: `budget.total_cents`. */
  param: string;
  code: string;
  message: string;
}

export interface Event {
  id: string;
  kind: Open<EventKind>;
  /** Time of the event, UTC. */
  ts: string;
  ad_id: string;
  campaign_id: string;
  slot_id: string;
  property_id: string;
  source: Open<AdSource>;
  surface: Open<Surface>;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
  /** Whether the event passed the invalid-traffic filter. */
  valid: boolean;
  reason: Open<EventReason>;
  /**
   * For a test event: the reason that the traffic filter would have given in live, or the test scenario. Null for
   * live events, and for events older than this field.
   */
  live_reason: Open<EventReason> | null;
  ivt_class: Open<InvalidTrafficClass>;
  /** Value of a conversion in cents of `currency`, as reported. */
  value_cents: number | null;
  /** ISO 4217 code of `value_cents`, as reported; null if none was: the property's currency applies. */
  currency: string | null;
  /** Order id of a conversion, as reported. */
  order_id: string | null;
  /**
   * How a conversion was attributed to its ad: `click_through` and `view_through` by an earlier event of the
   * visitor, `in_session` by the ad's own token. New values may be added.
   */
  attribution: string | null;
  /** Name of a conversion, as reported. */
  event_name: string | null;
  /** Id of the event that this one retracts. */
  corrects: string | null;
}

/** Valid events of each kind, and all invalid events. */
export interface EventCounts {
  /** Valid impressions. */
  impressions: number;
  /** Valid clicks. */
  clicks: number;
  /** Valid conversions. */
  conversions: number;
  /** Events rejected by the invalid-traffic filter. */
  invalid: number;
}

export interface EventPage {
  data: readonly Event[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface Export {
  id: string;
  kind: Open<ExportKind>;
  format: Open<ExportFormat>;
  status: Open<ExportStatus>;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
  /** Progress in percent; an estimate until it is 100. */
  progress_percent: number;
  /** The request as it was understood, with defaults. */
  question: Readonly<Record<string, unknown>>;
  /** Number of rows in the file. */
  rows: number | null;
  /** Length of the file in bytes. */
  bytes: number | null;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string | null;
  /**
   * Download link, which anyone can use until `url_expires_at`. Read the export again for a new one; lists have no
   * links.
   */
  url: string | null;
  url_expires_at: string | null;
  /** Why the export failed, and what to do. */
  error: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** Time at which the file is deleted. */
  expires_at: string | null;
}

/** The parameters of a report; events use the range and the filters only. ``format`` is the format of the file. */
export interface ExportCreate {
  /** Start of the range: a date, or a time on a full hour. Without an offset it is in `tz`. */
  from: string;
  /** End of the range, exclusive. Default: now; for a report, the end of the current hour. */
  to?: string;
  /** One row per period of this length, or one for the whole range. */
  granularity?: ReportGranularity;
  /** One row for each combination of these dimensions. */
  group_by?: readonly ReportDimension[];
  /** The metrics of each row, in this order. Left out: `impressions`, `clicks`, `ctr`, `conversions`, `spend_cents`. */
  metrics?: readonly ReportMetric[];
  /**
   * Time zone of dates, days, weeks and months. Default: the property's if the report is about one property, else
   * UTC.
   */
  tz?: string | null;
  /** Only these campaigns. */
  campaign_id?: readonly string[] | null;
  /** Only these ads. */
  ad_id?: readonly string[] | null;
  /** Only these properties. */
  property_id?: readonly string[] | null;
  /** Only these slots. */
  slot_id?: readonly string[] | null;
  /** Only these countries. */
  country?: readonly string[] | null;
  /** Only these types of device. */
  device?: readonly DeviceType[] | null;
  format: ExportFormat;
  /** Only these sources. */
  source?: readonly AdSource[] | null;
  /** Only these surfaces. */
  surface?: readonly Surface[] | null;
  /** Only events with these reasons. */
  reason?: readonly EventReason[] | null;
  kind?: ExportKind;
  /** Only ads of these formats. */
  ad_format?: readonly AdFormat[] | null;
  /** Only events of these kinds (`events` only). */
  event?: readonly EventKind[] | null;
  /** Only valid or only invalid events (`events` only). */
  valid?: boolean | null;
}

export interface ExportPage {
  data: readonly Export[];
  has_more: boolean;
  next_cursor: string | null;
}

/** One of several slots, with its ad as in a response for a single slot. */
export interface FilledSlot {
  /** UUID of this decision; also the id inside its tokens. */
  decision_id: string;
  ad_id: string;
  campaign_id: string;
  slot_id: string;
  property_id: string;
  format: Open<AdFormat>;
  /** In pixels; null if the format has no size. */
  width: number | null;
  height: number | null;
  /** Content of the ad, by format. */
  content: Readonly<Record<string, unknown>>;
  /** Ready-made markup. An html ad is inside a sandboxed iframe. */
  html: string;
  /** Token for `POST /v1/track`, to send unchanged. */
  track_token: string;
  /** Signed impression pixel; safe to use on third-party pages. */
  impression_url: string;
  /** Signed redirect to the ad's destination. */
  click_url: string;
  source: Open<AdSource>;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
  /** Seconds during which the token counts for impression and track. */
  ttl_seconds: number;
  viewability: Viewability;
  /**
   * `false` if the ad has no destination: show it without a link, because `click_url` returns 404. Otherwise
   * absent.
   */
  has_destination?: boolean | null;
  /**
   * Tracking URLs of the advertiser for you to load, if any. `output=html` loads `impression_urls` itself;
   * `click_urls` are always yours to load.
   */
  tracking?: AdvertiserTracking | null;
  /** For an ad with frequency caps: what a client without a `uid` counts itself, to send as `seen`. */
  caps?: readonly ClientFrequencyCap[] | null;
  /** With `debug=1`: the candidates (at most 1,000), most relevant first. */
  explain?: readonly ServedCandidate[] | null;
  /** With `debug=1`: the consent of the request and its reasons. */
  consent?: ServedConsent | null;
  /** With `debug=1`: the origin of `url`; null if `url` is not a web address. */
  page_origin?: string | null;
  /** The slot as in the request. */
  slot: string;
  status: "filled";
}

export interface Forecast {
  /** Start of the forecast period. */
  from_at: string;
  /** End of the forecast period, exclusive. */
  to_at: string;
  /** Whether there was too little traffic to forecast from; all numbers below are then null. */
  insufficient_traffic: boolean;
  /** Impressions that match the campaign's targeting and ads. */
  matched: ForecastInterval | null;
  /** Matched impressions that higher-ranked campaigns take. */
  booked: ForecastInterval | null;
  /** Matched minus booked: impressions that the campaign could have. */
  available: ForecastInterval | null;
  /** Available impressions that other campaigns would have without this one. */
  contested: ForecastInterval | null;
  /** Impressions that the campaign is expected to deliver, given its budget, goal and pacing. */
  delivered: ForecastInterval | null;
  /** Expected cost of the delivered impressions. */
  spend_cents: ForecastInterval | null;
  /** What limits delivery: `traffic`, `budget` or `goal`. */
  limited_by: string | null;
  basis: ForecastBasis;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
}

/** A planned ad: its format and size. */
export interface ForecastAd {
  format: AdFormat;
  /** In pixels. Omitted: fits every size. */
  width?: number | null;
  /** In pixels. Omitted: fits every size. */
  height?: number | null;
}

export interface ForecastBasis {
  /** Requests counted on the campaign's properties in the last four weeks. */
  requests: number;
  /** Number of hours with data, from the first request on. */
  hours: number;
  /** Number of recorded decisions of the last 7 days that the forecast uses. */
  decisions: number;
  /** Percentage of served ads that were seen. */
  impressions_a_fill_percent: number;
}

export interface ForecastCreate {
  /**
   * Properties that the campaign may serve on. Required for signed-in users; default for an integration key: its
   * own property.
   */
  property_ids?: readonly string[] | null;
  name: string;
  objective: Objective;
  pricing_model: PricingModel;
  /**
   * Price in cents for a thousand impressions (cpm), a click (cpc), a conversion (cpa), or the whole flight
   * (flat_rate).
   */
  bid_cents: number;
  pacing?: Pacing;
  priority?: Priority;
  start_at?: string | null;
  end_at?: string | null;
  /** IANA time zone for daily budgets and dayparts. Default: the first property's. */
  timezone?: string | null;
  budget?: BudgetInput | null;
  goal?: GoalInput | null;
  /** Share of all decisions in percent; sponsorships only. */
  share_of_voice_percent?: number | null;
  frequency_caps?: readonly FrequencyCapInput[];
  targeting?: Targeting;
  attribution?: AttributionInput;
  /** Your own id, compared byte for byte; unique in the account and environment. */
  external_ref?: string | null;
  /** Your own names and values; stored and returned unchanged. */
  metadata?: Readonly<Record<string, string>>;
  /** Start of the period. Default: now, or `start_at` if that is later. */
  from?: string | null;
  /** End of the period, at most 92 days after its start. Default: `end_at`, or 30 days after the start. */
  to?: string | null;
  /** The planned ads. Default: one of each format, in any size. */
  ads?: readonly ForecastAd[] | null;
}

export interface ForecastInterval {
  /** 95 % of outcomes should be higher. */
  low: number;
  /** The median: half of the outcomes should be higher. */
  likely: number;
  /** 95 % of outcomes should be lower. */
  high: number;
}

export interface FrequencyCap {
  /** Level at which events are counted together. */
  scope: string;
  /** Kind of event that is counted. */
  event: string;
  /** Maximum number of events in the window. */
  limit: number;
  window: FrequencyWindow;
}

export interface FrequencyCapInput {
  /** Level at which events are counted together. */
  scope: string;
  /** Kind of event that is counted. */
  event: string;
  /** Maximum number of events in the window. */
  limit: number;
  window: FrequencyWindowInput;
}

export interface FrequencyWindow {
  /** Length of the window, in `unit`s. */
  interval: number;
  /** Unit of `interval`. */
  unit: string;
}

export interface FrequencyWindowInput {
  /** Length of the window, in `unit`s. */
  interval: number;
  /** Unit of `interval`. */
  unit: string;
}

export interface GeoArea {
  /** ISO 3166-1 code of two letters, in either case; returned in upper case. */
  country: string;
  /** The part of the ISO 3166-2 code after the dash: `SP` for BR-SP. */
  region?: string | null;
}

export interface GeoTargeting {
  /** At least one of these must match. */
  include?: readonly GeoArea[];
  /** None of these may match. */
  exclude?: readonly GeoArea[];
}

export interface Goal {
  /** Kind of event. */
  kind: string;
  /** Target number for the whole flight. */
  total: number;
}

export interface GoalInput {
  /** Kind of event. */
  kind: string;
  /** Target number for the whole flight. */
  total: number;
}

export interface Hours {
  /** Rows by weekday, then by hour. Hours without any activity have no row. */
  data: readonly HoursRow[];
  /** Totals of all rows, rounded from exact sums, not from rounded rows. */
  totals: ReportFigures;
  /** Time at which the newest record in the figures was stored; null before any was. */
  as_of: string | null;
  /** Every event up to this time is in the figures; null before any edge reported. */
  complete_through: string | null;
  /** Start of the range, to the hour. */
  from_at: string;
  /** End of the range, to the hour. */
  to_at: string;
  /** Time zone of the weekdays and hours. */
  tz: string;
  /** ISO 4217 code of spend and earnings. */
  currency: string;
}

export interface HoursRow {
  /**
   * Ad requests. Null when grouped or filtered by `source` or `reason`, which unfilled decisions do not have; the
   * same applies to `fills`, `no_fills` and `fill_rate`.
   */
  requests?: number | null;
  /** Requests that were filled. */
  fills?: number | null;
  /** Requests that were not filled; by campaign or ad they are in the row with the id null. */
  no_fills?: number | null;
  /** `fills` divided by `requests`, 0 to 1; null without requests. */
  fill_rate?: number | null;
  /** Valid impressions; a retracted one counts -1 in the hour of its retraction. */
  impressions?: number | null;
  /** Impressions that the page reported as viewable, by the viewability rule of the property. */
  viewable_impressions?: number | null;
  /** Valid clicks; a retracted one counts -1. */
  clicks?: number | null;
  /** Valid conversions with any attribution; a retracted one counts -1. */
  conversions?: number | null;
  /** Conversions attributed to a click. */
  click_through_conversions?: number | null;
  /** Conversions attributed to a view. */
  view_through_conversions?: number | null;
  /** Impressions rejected by the invalid-traffic filter. */
  invalid_impressions?: number | null;
  /** Clicks rejected by the invalid-traffic filter. */
  invalid_clicks?: number | null;
  /**
   * Charges for the events, added in micros and rounded down once. Flat rates buy days, not events: they are in the
   * wallet and on invoices.
   */
  spend_cents?: number | null;
  /** The properties' shares of spend, at the share in force at the end of each hour; rounded like spend. */
  earnings_cents?: number | null;
  /** Value of valid conversions, as reported; currencies are not converted. */
  conversion_value_cents?: number | null;
  /** `clicks` divided by `impressions`; null without impressions. */
  ctr?: number | null;
  /** `conversions` divided by `clicks`; null without clicks. */
  cvr?: number | null;
  /** Spend per thousand impressions, rounded down; null without impressions. */
  ecpm_cents?: number | null;
  /** Video and audio ads that began to play, as players reported. */
  starts?: number | null;
  /** Video and audio ads that played their first quarter. */
  first_quartiles?: number | null;
  /** Video and audio ads that played their first half. */
  midpoints?: number | null;
  /** Video and audio ads that played three quarters. */
  third_quartiles?: number | null;
  /** Video and audio ads that played to their end. */
  completes?: number | null;
  /** Video and audio ads that the viewer skipped. */
  skips?: number | null;
  /** Video and audio ads that the player could not play. */
  errors?: number | null;
  /** `viewable_impressions` divided by `impressions`; null without impressions. */
  viewable_rate?: number | null;
  /** `starts` divided by `impressions`; null without impressions. */
  start_rate?: number | null;
  /** `first_quartiles` divided by `starts`; null without starts. */
  first_quartile_rate?: number | null;
  /** `midpoints` divided by `starts`; null without starts. */
  midpoint_rate?: number | null;
  /** `third_quartiles` divided by `starts`; null without starts. */
  third_quartile_rate?: number | null;
  /** `completes` divided by `starts`; null without starts. */
  completion_rate?: number | null;
  /** `skips` divided by `starts`; null without starts. */
  skip_rate?: number | null;
  /** `errors` divided by `errors` and `starts` together; null without both. */
  error_rate?: number | null;
  /** 1 is Monday, 7 is Sunday. */
  weekday: number;
  /** 0 to 23. */
  hour: number;
}

export interface HtmlAdCreate {
  campaign_id: string;
  name: string;
  format: "html";
  /**
   * Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio), `poster` (video),
   * `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and duration in `content`; `html`
   * inserts the file's text, at most 64 KiB.
   */
  asset_ids?: Readonly<Record<string, string>>;
  content: HtmlContent;
  /** Codes of the IAB content taxonomy. */
  categories?: readonly string[];
  tracking?: AdvertiserTrackingInput;
  /**
   * Destination URL (https; for trying out an ad, also http of the local machine), with the macros {click_id}
   * {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
   */
  click_url?: string | null;
  /** Relative weight among the campaign's ads. */
  weight?: number;
  /** Slots that the ad may serve in. Empty: every slot of the campaign's properties. */
  slot_ids?: readonly string[];
  /** Restricts the campaign's targeting further; cannot extend it. */
  targeting?: Targeting;
}

/** HTML ads are rendered only inside a sandboxed iframe. */
export interface HtmlContent {
  /** HTML markup, shown in a sandboxed iframe. */
  html: string;
  width: number;
  height: number;
}

export interface IntegrationKey {
  id: string;
  property_id: string;
  kind: Open<KeyKind>;
  environment: Open<Environment>;
  /** Whether `environment` is `test`. */
  is_test: boolean;
  name: string;
  /** Last four characters of the key's text. */
  last4: string;
  /** Id of the user who created it. */
  created_by: string;
  created_at: string;
  /** Last use, on the control plane or an edge, accurate to about two minutes; null if never used. */
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  status: Open<KeyStatus>;
  /** Id of the key that it replaced by rotation. */
  previous_key_id: string | null;
  /** Whether the key is an active secret or integration key older than 90 days, and should be replaced. */
  rotation_due: boolean;
  /** Version of the object, to send in `If-Match`. */
  version: number;
  /** The scopes as chosen; the creator's permissions limit them further. */
  scopes: readonly string[];
}

export interface IntegrationKeyCreate {
  /** Property that the key belongs to. */
  property_id: string;
  environment: Environment;
  /** Name of the key, such as the system that uses it. */
  name: string;
  /** Scopes of the key; each needs that permission of yours. */
  scopes: readonly string[];
  /**
   * Expiry, from which on requests with the key return `key_revoked`: in the future, at most five years ahead.
   * Null: does not expire.
   */
  expires_at?: string | null;
}

export interface IntegrationKeyCreated {
  id: string;
  property_id: string;
  kind: Open<KeyKind>;
  environment: Open<Environment>;
  /** Whether `environment` is `test`. */
  is_test: boolean;
  name: string;
  /** Last four characters of the key's text. */
  last4: string;
  /** Id of the user who created it. */
  created_by: string;
  created_at: string;
  /** Last use, on the control plane or an edge, accurate to about two minutes; null if never used. */
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  status: Open<KeyStatus>;
  /** Id of the key that it replaced by rotation. */
  previous_key_id: string | null;
  /** Whether the key is an active secret or integration key older than 90 days, and should be replaced. */
  rotation_due: boolean;
  /** Version of the object, to send in `If-Match`. */
  version: number;
  /** The scopes as chosen; the creator's permissions limit them further. */
  scopes: readonly string[];
  /** Text of the key. It is never shown again. */
  key: string;
}

export interface IntegrationKeyPage {
  data: readonly IntegrationKey[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface IntegrationStatus {
  property_id: string;
  environment: Open<Environment>;
  /** The key of this request; null with an access token. */
  key: IntegrationStatusKey | null;
  /** Whether the property is verified. */
  verified: boolean;
  account_status: Open<AccountState>;
  /** The last valid impression. Events of previews are in no field of this status. */
  last_impression_at: string | null;
  last_click_at: string | null;
  last_conversion_at: string | null;
  /** Counts of the current hour and the 23 before it. */
  counts_24h: EventCounts;
  /**
   * Conversions in the same hours: those that count by the hour they happened, the others by the hour they were
   * reported.
   */
  conversions_24h: ConversionCounts;
  /** Share of requests that were filled, 0 to 1; null without requests. */
  fill_rate_24h: number | null;
  snapshot: SnapshotStatus;
  /** Every event older than this is in the feed; null before the first event. */
  events_lag_seconds: number | null;
}

export interface IntegrationStatusKey {
  id: string;
  kind: Open<KeyKind>;
  /** Last four characters of the key's text. */
  last4: string;
}

export interface KeyPatch {
  /** Name of the key, such as where it is used. */
  name?: string;
  /**
   * Expiry, from which on requests with the key return `key_revoked`: in the future, at most five years ahead.
   * Null: does not expire.
   */
  expires_at?: string | null;
}

export interface KeyValueTargeting {
  /** The key. */
  key: string;
  /** `in`: any of the values. `not_in`: none of them. */
  op: string;
  /** Values, in lower case. */
  values: readonly string[];
}

export interface KeywordTargeting {
  /** At least one of these must match. */
  any?: readonly string[];
  /** None of these may match. */
  none?: readonly string[];
}

/**
 * Consent signals of the listener, as the parameters of `GET /v1/serve`. Where a flag or a section id is a number
 * or a boolean in your program, it may be sent as such: `1` and `true` mean `"1"`.
 */
export interface ListenerConsent {
  /** `1` if the GDPR applies, `0` if not. */
  gdpr?: string | null;
  /** TC string. */
  gdpr_consent?: string | null;
  /** GPP string. */
  gpp?: string | null;
  /** Ids of the GPP sections that apply. */
  gpp_sid?: string | null;
  /** US Privacy string. */
  us_privacy?: string | null;
  /** `1`: directed at children. */
  coppa?: string | null;
  /** `1`: consent under the LGPD; `0`: none. */
  lgpd?: string | null;
  /** `1`: no personalised ads. */
  npa?: string | null;
}

/** A condition that applies although the credential is valid. */
export interface LiveBlock {
  code: Open<LiveBlockCode>;
  /** What does not work, and what to do. */
  message: string;
}

export interface LostScope {
  scope: Open<Permission>;
  /** Why the key cannot use the scope, and what to do. */
  reason: string;
}

/** Measured properties of audio and video; null if not applicable. */
export interface MediaProperties {
  /** Container format. */
  container: string;
  /** Audio codec. */
  audio_codec: string | null;
  /** Video codec. */
  video_codec: string | null;
  /** Bitrate in kilobits per second. */
  bitrate_kbps: number | null;
  /** Sample rate of the audio in hertz. */
  sample_rate_hz: number | null;
  /** Number of audio channels: 1 is mono, 2 stereo. */
  channels: number | null;
  /** Frames per second. */
  fps: number | null;
  /** Integrated loudness by EBU R128; null if silent or too short. */
  loudness_lufs: number | null;
  /**
   * For audio of at most two minutes: the encodings that `POST /v1/audio/stitch` can put into content. Empty for
   * files uploaded before this existed: upload them again.
   */
  renditions?: readonly string[];
}

/** The recording in its best quality, from which servers that stitch ads into streams transcode. */
export interface Mezzanine {
  /** URL of the media file. */
  url: string;
  /** Media type. */
  mime: string;
  width: number;
  height: number;
}

export interface NativeAdCreate {
  campaign_id: string;
  name: string;
  format: "native";
  /**
   * Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio), `poster` (video),
   * `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and duration in `content`; `html`
   * inserts the file's text, at most 64 KiB.
   */
  asset_ids?: Readonly<Record<string, string>>;
  content: NativeContent;
  /** Codes of the IAB content taxonomy. */
  categories?: readonly string[];
  tracking?: AdvertiserTrackingInput;
  /**
   * Destination URL (https; for trying out an ad, also http of the local machine), with the macros {click_id}
   * {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
   */
  click_url?: string | null;
  /** Relative weight among the campaign's ads. */
  weight?: number;
  /** Slots that the ad may serve in. Empty: every slot of the campaign's properties. */
  slot_ids?: readonly string[];
  /** Restricts the campaign's targeting further; cannot extend it. */
  targeting?: Targeting;
}

export interface NativeContent {
  /** Headline. */
  title: string;
  /** Body text. */
  body?: string | null;
  /** Call to action: the label of the button. */
  cta?: string | null;
  /** Sponsor's name, as shown to visitors. */
  sponsored_by?: string | null;
  /** URL of a small square image. */
  icon?: string | null;
  /** URL of the image. */
  image?: string | null;
}

export interface NoServeShare {
  /** The reason. */
  reason: string;
  /** Share of all requests, 0 to 1. */
  share: number;
}

export interface PayoutTerms {
  /** Recipient of the payout. */
  payee: string | null;
  /** Publisher's share of spend, in percent. */
  share_percent: number;
}

export interface PayoutTermsInput {
  /** Recipient of the payout. */
  payee?: string | null;
  /** Publisher's share of spend, in percent. */
  share_percent?: number;
}

export interface PayoutTermsPatch {
  /** Recipient of the payout. */
  payee?: string | null;
  /** Publisher's share of spend, in percent. */
  share_percent?: number;
}

export interface PropertyCreate {
  name: string;
  kind: PropertyKind;
  /** Domain of the site; required for `web`. Verification checks this domain. If you send a URL, its host is stored. */
  domain?: string | null;
  /** Bundle id; required for `app` and `ctv`. */
  bundle_id?: string | null;
  /**
   * Additional origins whose events count, besides the domain and its subdomains. Events from other origins are
   * stored as invalid (`origin_mismatch`) and not billed; their requests for ads are still answered. `http` only
   * for localhost.
   */
  allowed_origins?: readonly string[];
  /** IANA time zone name. */
  timezone?: string;
  /** CIDR ranges of your internal traffic, which is never billed. */
  excluded_ip_ranges?: readonly string[];
  /** What applies without a consent signal: only `presumed` allows personalisation. */
  consent_policy?: string;
  /** Seconds during which a track token counts; at least 30 days in mails, and a day for audio. */
  token_ttl_seconds?: number;
  /**
   * True: your servers send requests with publishable keys. `ip`, `ua`, `segments` and `surface` of serve, and `ip`
   * and `ua` of track, are trusted, and the rate limit per address does not apply to these requests; the limit per
   * key does. False: these fields are ignored, so all visitors behind such a server share its place, its rate limit
   * per address and its user agent, and their events are judged as a bot's.
   */
  server_rendering?: boolean;
  rate_limits?: RateLimitsInput;
  /** IAB content taxonomy categories that never serve here. */
  blocked_categories?: readonly string[];
  /** Ids of ads that never serve here. */
  blocked_ad_ids?: readonly string[];
  payout?: PayoutTermsInput;
  sdk?: PropertySdkInput;
}

export interface PropertyPatch {
  name?: string;
  /** Domain of the site; required for `web`. Verification checks this domain. If you send a URL, its host is stored. */
  domain?: string | null;
  /** Bundle id; required for `app` and `ctv`. */
  bundle_id?: string | null;
  /**
   * Additional origins whose events count, besides the domain and its subdomains. Events from other origins are
   * stored as invalid (`origin_mismatch`) and not billed; their requests for ads are still answered. `http` only
   * for localhost.
   */
  allowed_origins?: readonly string[];
  /** IANA time zone name. */
  timezone?: string;
  /** CIDR ranges of your internal traffic, which is never billed. */
  excluded_ip_ranges?: readonly string[];
  /** What applies without a consent signal: only `presumed` allows personalisation. */
  consent_policy?: string;
  /** Seconds during which a track token counts; at least 30 days in mails, and a day for audio. */
  token_ttl_seconds?: number;
  /**
   * True: your servers send requests with publishable keys. `ip`, `ua`, `segments` and `surface` of serve, and `ip`
   * and `ua` of track, are trusted, and the rate limit per address does not apply to these requests; the limit per
   * key does. False: these fields are ignored, so all visitors behind such a server share its place, its rate limit
   * per address and its user agent, and their events are judged as a bot's.
   */
  server_rendering?: boolean;
  rate_limits?: RateLimitsPatch;
  /** IAB content taxonomy categories that never serve here. */
  blocked_categories?: readonly string[];
  /** Ids of ads that never serve here. */
  blocked_ad_ids?: readonly string[];
  payout?: PayoutTermsPatch;
  sdk?: PropertySdkPatch;
}

export interface PropertySdk {
  /** Minimum version of each client library. */
  min: Readonly<Record<string, string>>;
  /** Your own feature flags. */
  flags: Readonly<Record<string, boolean | string>>;
}

/** Settings for client libraries, returned by `GET /v1/features`. */
export interface PropertySdkInput {
  /** Minimum version of each client library; older ones show no ads. */
  min?: Readonly<Record<string, string>>;
  /** Your own feature flags, returned by `GET /v1/features`. */
  flags?: Readonly<Record<string, boolean | string>>;
}

export interface PropertySdkPatch {
  /** Minimum version of each client library; older ones show no ads. */
  min?: Readonly<Record<string, string>>;
  /** Your own feature flags, returned by `GET /v1/features`. */
  flags?: Readonly<Record<string, boolean | string>>;
}

export interface PublisherProperty {
  id: string;
  name: string;
  kind: Open<PropertyKind>;
  /** Registered domain. */
  domain: string | null;
  bundle_id: string | null;
  /** Verification status; live traffic needs `verified`. */
  status: Open<PropertyStatus>;
  verification: Verification;
  /**
   * Additional origins whose events count, besides the domain and its subdomains. Events from other origins are
   * stored as invalid (`origin_mismatch`) and not billed; their requests for ads are still answered. Empty: only
   * the domain and its subdomains.
   */
  allowed_origins: readonly string[];
  /** IANA time zone name. */
  timezone: string;
  /** Currency of the account. */
  currency: string;
  /** CIDR ranges of your own traffic, which is never billed. */
  excluded_ip_ranges: readonly string[];
  /** What applies to requests without a consent signal. */
  consent_policy: string;
  /** Seconds during which a track token counts; at least 30 days in mails, and a day for audio. */
  token_ttl_seconds: number;
  /** Whether your servers send requests with publishable keys, and what they send about the visitor is trusted. */
  server_rendering: boolean;
  rate_limits: RateLimits;
  /** IAB content taxonomy categories that never serve here. */
  blocked_categories: readonly string[];
  /** Ids of ads that never serve here. */
  blocked_ad_ids: readonly string[];
  payout: PayoutTerms;
  /** Settings for client libraries, returned by `GET /v1/features`. */
  sdk: PropertySdk;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface PublisherPropertyPage {
  data: readonly PublisherProperty[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface RateLimits {
  /** Serve requests per second and key. */
  serve_per_key_s: number;
  /** Serve requests per second and IP address. */
  serve_per_ip_s: number;
  /** Track requests per second and key. */
  track_per_key_s: number;
  /** Track requests per second and IP address. */
  track_per_ip_s: number;
}

/** Requests per second; bursts may be three times as high. */
export interface RateLimitsInput {
  /** Serve requests per second and key. */
  serve_per_key_s?: number;
  /** Serve requests per second and IP address. */
  serve_per_ip_s?: number;
  /** Track requests per second and key. */
  track_per_key_s?: number;
  /** Track requests per second and IP address. */
  track_per_ip_s?: number;
}

export interface RateLimitsPatch {
  /** Serve requests per second and key. */
  serve_per_key_s?: number;
  /** Serve requests per second and IP address. */
  serve_per_ip_s?: number;
  /** Track requests per second and key. */
  track_per_key_s?: number;
  /** Track requests per second and IP address. */
  track_per_ip_s?: number;
}

export interface Report {
  /** Rows by period, then by `group_by`. Periods without any activity have no row. */
  data: readonly ReportRow[];
  /** Totals of all rows, rounded from exact sums, not from rounded rows. */
  totals: ReportFigures;
  /** Time at which the newest record in the figures was stored; null before any was. */
  as_of: string | null;
  /** Every event up to this time is in the figures; null before any edge reported. */
  complete_through: string | null;
  /** Start of the range, to the hour. */
  from_at: string;
  /** End of the range, to the hour. */
  to_at: string;
  /** Time zone of the periods. */
  tz: string;
  /** ISO 4217 code of spend and earnings. */
  currency: string;
}

/** The requested metrics; null if one is undefined, as described for each. */
export interface ReportFigures {
  /**
   * Ad requests. Null when grouped or filtered by `source` or `reason`, which unfilled decisions do not have; the
   * same applies to `fills`, `no_fills` and `fill_rate`.
   */
  requests?: number | null;
  /** Requests that were filled. */
  fills?: number | null;
  /** Requests that were not filled; by campaign or ad they are in the row with the id null. */
  no_fills?: number | null;
  /** `fills` divided by `requests`, 0 to 1; null without requests. */
  fill_rate?: number | null;
  /** Valid impressions; a retracted one counts -1 in the hour of its retraction. */
  impressions?: number | null;
  /** Impressions that the page reported as viewable, by the viewability rule of the property. */
  viewable_impressions?: number | null;
  /** Valid clicks; a retracted one counts -1. */
  clicks?: number | null;
  /** Valid conversions with any attribution; a retracted one counts -1. */
  conversions?: number | null;
  /** Conversions attributed to a click. */
  click_through_conversions?: number | null;
  /** Conversions attributed to a view. */
  view_through_conversions?: number | null;
  /** Impressions rejected by the invalid-traffic filter. */
  invalid_impressions?: number | null;
  /** Clicks rejected by the invalid-traffic filter. */
  invalid_clicks?: number | null;
  /**
   * Charges for the events, added in micros and rounded down once. Flat rates buy days, not events: they are in the
   * wallet and on invoices.
   */
  spend_cents?: number | null;
  /** The properties' shares of spend, at the share in force at the end of each hour; rounded like spend. */
  earnings_cents?: number | null;
  /** Value of valid conversions, as reported; currencies are not converted. */
  conversion_value_cents?: number | null;
  /** `clicks` divided by `impressions`; null without impressions. */
  ctr?: number | null;
  /** `conversions` divided by `clicks`; null without clicks. */
  cvr?: number | null;
  /** Spend per thousand impressions, rounded down; null without impressions. */
  ecpm_cents?: number | null;
  /** Video and audio ads that began to play, as players reported. */
  starts?: number | null;
  /** Video and audio ads that played their first quarter. */
  first_quartiles?: number | null;
  /** Video and audio ads that played their first half. */
  midpoints?: number | null;
  /** Video and audio ads that played three quarters. */
  third_quartiles?: number | null;
  /** Video and audio ads that played to their end. */
  completes?: number | null;
  /** Video and audio ads that the viewer skipped. */
  skips?: number | null;
  /** Video and audio ads that the player could not play. */
  errors?: number | null;
  /** `viewable_impressions` divided by `impressions`; null without impressions. */
  viewable_rate?: number | null;
  /** `starts` divided by `impressions`; null without impressions. */
  start_rate?: number | null;
  /** `first_quartiles` divided by `starts`; null without starts. */
  first_quartile_rate?: number | null;
  /** `midpoints` divided by `starts`; null without starts. */
  midpoint_rate?: number | null;
  /** `third_quartiles` divided by `starts`; null without starts. */
  third_quartile_rate?: number | null;
  /** `completes` divided by `starts`; null without starts. */
  completion_rate?: number | null;
  /** `skips` divided by `starts`; null without starts. */
  skip_rate?: number | null;
  /** `errors` divided by `errors` and `starts` together; null without both. */
  error_rate?: number | null;
}

/** A null dimension is unknown or does not apply: no ad was chosen, or no country was found. */
export interface ReportRow {
  /**
   * Ad requests. Null when grouped or filtered by `source` or `reason`, which unfilled decisions do not have; the
   * same applies to `fills`, `no_fills` and `fill_rate`.
   */
  requests?: number | null;
  /** Requests that were filled. */
  fills?: number | null;
  /** Requests that were not filled; by campaign or ad they are in the row with the id null. */
  no_fills?: number | null;
  /** `fills` divided by `requests`, 0 to 1; null without requests. */
  fill_rate?: number | null;
  /** Valid impressions; a retracted one counts -1 in the hour of its retraction. */
  impressions?: number | null;
  /** Impressions that the page reported as viewable, by the viewability rule of the property. */
  viewable_impressions?: number | null;
  /** Valid clicks; a retracted one counts -1. */
  clicks?: number | null;
  /** Valid conversions with any attribution; a retracted one counts -1. */
  conversions?: number | null;
  /** Conversions attributed to a click. */
  click_through_conversions?: number | null;
  /** Conversions attributed to a view. */
  view_through_conversions?: number | null;
  /** Impressions rejected by the invalid-traffic filter. */
  invalid_impressions?: number | null;
  /** Clicks rejected by the invalid-traffic filter. */
  invalid_clicks?: number | null;
  /**
   * Charges for the events, added in micros and rounded down once. Flat rates buy days, not events: they are in the
   * wallet and on invoices.
   */
  spend_cents?: number | null;
  /** The properties' shares of spend, at the share in force at the end of each hour; rounded like spend. */
  earnings_cents?: number | null;
  /** Value of valid conversions, as reported; currencies are not converted. */
  conversion_value_cents?: number | null;
  /** `clicks` divided by `impressions`; null without impressions. */
  ctr?: number | null;
  /** `conversions` divided by `clicks`; null without clicks. */
  cvr?: number | null;
  /** Spend per thousand impressions, rounded down; null without impressions. */
  ecpm_cents?: number | null;
  /** Video and audio ads that began to play, as players reported. */
  starts?: number | null;
  /** Video and audio ads that played their first quarter. */
  first_quartiles?: number | null;
  /** Video and audio ads that played their first half. */
  midpoints?: number | null;
  /** Video and audio ads that played three quarters. */
  third_quartiles?: number | null;
  /** Video and audio ads that played to their end. */
  completes?: number | null;
  /** Video and audio ads that the viewer skipped. */
  skips?: number | null;
  /** Video and audio ads that the player could not play. */
  errors?: number | null;
  /** `viewable_impressions` divided by `impressions`; null without impressions. */
  viewable_rate?: number | null;
  /** `starts` divided by `impressions`; null without impressions. */
  start_rate?: number | null;
  /** `first_quartiles` divided by `starts`; null without starts. */
  first_quartile_rate?: number | null;
  /** `midpoints` divided by `starts`; null without starts. */
  midpoint_rate?: number | null;
  /** `third_quartiles` divided by `starts`; null without starts. */
  third_quartile_rate?: number | null;
  /** `completes` divided by `starts`; null without starts. */
  completion_rate?: number | null;
  /** `skips` divided by `starts`; null without starts. */
  skip_rate?: number | null;
  /** `errors` divided by `errors` and `starts` together; null without both. */
  error_rate?: number | null;
  /** Start of the hour, day, week or month, or of the range if that is later. Absent in totals. */
  period?: string | null;
  campaign_id?: string | null;
  /** Current name of the campaign; null if deleted. */
  campaign_name?: string | null;
  ad_id?: string | null;
  /** Current name of the ad; null if deleted. */
  ad_name?: string | null;
  property_id?: string | null;
  /** Current name of the property; null if deleted. */
  property_name?: string | null;
  slot_id?: string | null;
  /** Current name of the slot; null if deleted. */
  slot_name?: string | null;
  /** ISO 3166-1 code, two upper-case letters. */
  country?: string | null;
  device?: Open<DeviceType> | null;
  format?: Open<AdFormat> | null;
  source?: Open<AdSource> | null;
  surface?: Open<Surface> | null;
  reason?: Open<EventReason> | null;
}

export interface ReviewDecision {
  /** Decision: `approved` or `rejected`. */
  decision: string;
  /** Reason for the rejection, as written by the reviewer. */
  reason: string | null;
  /** When it happened. */
  at: string;
  /** Id of the reviewer. */
  by: string;
}

export interface SdkKey {
  id: string;
  property_id: string;
  kind: Open<KeyKind>;
  environment: Open<Environment>;
  /** Whether `environment` is `test`. */
  is_test: boolean;
  name: string;
  /** Last four characters of the key's text. */
  last4: string;
  /** Id of the user who created it. */
  created_by: string;
  created_at: string;
  /** Last use, on the control plane or an edge, accurate to about two minutes; null if never used. */
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  status: Open<KeyStatus>;
  /** Id of the key that it replaced by rotation. */
  previous_key_id: string | null;
  /** Whether the key is an active secret or integration key older than 90 days, and should be replaced. */
  rotation_due: boolean;
  /** Version of the object, to send in `If-Match`. */
  version: number;
  /** Text of a publishable key; null for secret keys. */
  key: string | null;
  /** Why edges serve nothing to this key now: a live key needs a verified property. */
  blocked_by: Open<KeyBlock> | null;
}

export interface SdkKeyCreate {
  /** Property that the key belongs to. */
  property_id: string;
  kind: SdkKeyKind;
  environment: Environment;
  /** Name of the key, such as where it is used. */
  name: string;
  /**
   * Expiry, from which on requests with the key return `key_revoked`: in the future, at most five years ahead.
   * Null: does not expire.
   */
  expires_at?: string | null;
}

export interface SdkKeyCreated {
  id: string;
  property_id: string;
  kind: Open<KeyKind>;
  environment: Open<Environment>;
  /** Whether `environment` is `test`. */
  is_test: boolean;
  name: string;
  /** Last four characters of the key's text. */
  last4: string;
  /** Id of the user who created it. */
  created_by: string;
  created_at: string;
  /** Last use, on the control plane or an edge, accurate to about two minutes; null if never used. */
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  status: Open<KeyStatus>;
  /** Id of the key that it replaced by rotation. */
  previous_key_id: string | null;
  /** Whether the key is an active secret or integration key older than 90 days, and should be replaced. */
  rotation_due: boolean;
  /** Version of the object, to send in `If-Match`. */
  version: number;
  /** Text of the key. The text of a secret key is never shown again. */
  key: string;
  /** Why edges serve nothing to this key now: a live key needs a verified property. */
  blocked_by: Open<KeyBlock> | null;
}

export interface SdkKeyPage {
  data: readonly SdkKey[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface SegmentTargeting {
  /** At least one of these must match. */
  include?: readonly string[];
  /** None of these may match. */
  exclude?: readonly string[];
}

export interface ServedAd {
  /** UUID of this decision; also the id inside its tokens. */
  decision_id: string;
  ad_id: string;
  campaign_id: string;
  slot_id: string;
  property_id: string;
  format: Open<AdFormat>;
  /** In pixels; null if the format has no size. */
  width: number | null;
  height: number | null;
  /** Content of the ad, by format. */
  content: Readonly<Record<string, unknown>>;
  /** Ready-made markup. An html ad is inside a sandboxed iframe. */
  html: string;
  /** Token for `POST /v1/track`, to send unchanged. */
  track_token: string;
  /** Signed impression pixel; safe to use on third-party pages. */
  impression_url: string;
  /** Signed redirect to the ad's destination. */
  click_url: string;
  source: Open<AdSource>;
  /** Whether the object belongs to the test environment. */
  is_test: boolean;
  /** Seconds during which the token counts for impression and track. */
  ttl_seconds: number;
  viewability: Viewability;
  /**
   * `false` if the ad has no destination: show it without a link, because `click_url` returns 404. Otherwise
   * absent.
   */
  has_destination?: boolean | null;
  /**
   * Tracking URLs of the advertiser for you to load, if any. `output=html` loads `impression_urls` itself;
   * `click_urls` are always yours to load.
   */
  tracking?: AdvertiserTracking | null;
  /** For an ad with frequency caps: what a client without a `uid` counts itself, to send as `seen`. */
  caps?: readonly ClientFrequencyCap[] | null;
  /** With `debug=1`: the candidates (at most 1,000), most relevant first. */
  explain?: readonly ServedCandidate[] | null;
  /** With `debug=1`: the consent of the request and its reasons. */
  consent?: ServedConsent | null;
  /** With `debug=1`: the origin of `url`; null if `url` is not a web address. */
  page_origin?: string | null;
}

/** A candidate for the slot. */
export interface ServedCandidate {
  campaign_id: string;
  ad_id: string;
  /** The first rule that excluded it; null if eligible. */
  dropped_by: string | null;
  /** Priority over other campaigns. */
  priority: string;
  /** Expected revenue per thousand impressions (eCPM), in micros. */
  ecpm_micros: number;
  /** Rank in which the candidate was tried, from 1; null if it was not eligible. */
  turn: number | null;
  /** Targeting rules that matched. */
  matched: readonly string[];
  /** Targeting rules that did not match. */
  missed: readonly string[];
}

/** The consent of the request. */
export interface ServedConsent {
  /** Whether ids, segments and per-visitor caps may be used. */
  personal: boolean;
  /** Whether an id may be stored on the device. */
  storage: boolean;
  /** Whether this visitor's events may be measured individually. */
  measurement: boolean;
  /** The deciding signals, in the order in which they are checked. */
  why: readonly Open<ConsentSignal>[];
}

export interface Size {
  width: number;
  height: number;
}

export interface SizeInput {
  width: number;
  height: number;
}

export interface Slot {
  id: string;
  /** Key for `?slot=`; the id works too. */
  key: string;
  property_id: string;
  name: string;
  formats: readonly Open<AdFormat>[];
  sizes: readonly Size[];
  /** Minimum eCPM in cents. */
  floor_cents: number;
  /** Seconds in view after which client libraries request another ad; null: never. */
  refresh_seconds: number | null;
  house_ad_id: string | null;
  /**
   * Hosts whose ads never serve here, subdomains included. A registrable domain blocks the whole advertiser. If you
   * send a URL, its host is stored.
   */
  blocked_advertiser_domains: readonly string[];
  /** IAB content taxonomy categories that never serve here. */
  blocked_categories: readonly string[];
  /** Limits of an audio slot; null for others. */
  audio: AudioBreakLimits | null;
  /** Whether the ads of one ad break must be of different categories. */
  separate_categories: boolean;
  status: Open<SlotStatus>;
  version: number;
  created_at: string;
  updated_at: string;
}

export type SlotAnswer = FilledSlot | UnfilledSlot;

export interface SlotCreate {
  property_id: string;
  /**
   * Key for `?slot=`, unique in the property. Default: derived from the name; a second slot with the same name
   * needs a key of its own (409 `already_exists`).
   */
  key?: string | null;
  name: string;
  formats: readonly AdFormat[];
  /** Allowed sizes in pixels. Empty: any size. */
  sizes?: readonly SizeInput[];
  /** Floor price: minimum CPM in cents for auction ads. */
  floor_cents?: number;
  /** Seconds in view after which another ad is requested. Null: never. */
  refresh_seconds?: number | null;
  /**
   * Id of the ad shown when no other is eligible: free, and whether its campaign runs or not. The campaign's
   * frequency caps apply.
   */
  house_ad_id?: string | null;
  /**
   * Hosts whose ads never serve here, subdomains included. A registrable domain blocks the whole advertiser. If you
   * send a URL, its host is stored.
   */
  blocked_advertiser_domains?: readonly string[];
  /** IAB content taxonomy categories that never serve here. */
  blocked_categories?: readonly string[];
  /** Limits for slots with the format `audio`. */
  audio?: AudioBreakLimitsInput | null;
  /** Whether the ads of one ad break must be of different categories; subcategories count as their category. */
  separate_categories?: boolean;
}

export interface SlotPage {
  data: readonly Slot[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface SlotPatch {
  name?: string;
  formats?: readonly AdFormat[];
  /** Allowed sizes in pixels. Empty: any size. */
  sizes?: readonly SizeInput[];
  /** Floor price: minimum CPM in cents for auction ads. */
  floor_cents?: number;
  /** Seconds in view after which another ad is requested. Null: never. */
  refresh_seconds?: number | null;
  /**
   * Id of the ad shown when no other is eligible: free, and whether its campaign runs or not. The campaign's
   * frequency caps apply.
   */
  house_ad_id?: string | null;
  /**
   * Hosts whose ads never serve here, subdomains included. A registrable domain blocks the whole advertiser. If you
   * send a URL, its host is stored.
   */
  blocked_advertiser_domains?: readonly string[];
  /** IAB content taxonomy categories that never serve here. */
  blocked_categories?: readonly string[];
  /** Limits for slots with the format `audio`. */
  audio?: AudioBreakLimitsInput | null;
  /** Whether the ads of one ad break must be of different categories; subcategories count as their category. */
  separate_categories?: boolean;
  status?: SlotStatus;
}

export interface SlotTargeting {
  /** At least one of these must match. */
  include?: readonly string[];
  /** None of these may match. */
  exclude?: readonly string[];
}

export interface SnapshotPosition {
  /** Identifies the history that the version belongs to; a restored database gets a new epoch. */
  epoch: string;
  /** Version of the snapshot used for the decision. */
  version: number;
}

export interface SnapshotStatus {
  version: number;
  /** Seconds since the last change sent to edges. */
  age_seconds: number | null;
}

export interface StitchBody {
  /** The slot's key or id; it limits every break with its `audio`. */
  slot: string;
  /** Required with `hls` and `file`, which contain it. */
  content?: StitchContent;
  /** The places for ads, each filled on its own. */
  breaks: readonly StitchBreak[];
  /** Without it, ads are chosen by slot and time alone. */
  listener?: StitchListener;
  /**
   * `plan`: the ads, for your own player or stitcher. `vast`: a VMAP document with an ad pod per break. `hls`: a
   * playlist with the ads in it. `file`: one file with the ads in it.
   */
  output?: StitchOutput;
  /**
   * With `hls`: `discontinuity` puts the ads between the content's segments, `interstitial` describes them by `EXT-
   * X-DATERANGE` for players that support interstitials.
   */
  ad_markers?: AdMarkers;
  /**
   * Your own id of the listening session. A repeated request with the same id gets the same response for 24 hours.
   * Default: a new id.
   */
  session_id?: string | null;
}

/** A place in the content where ads may play. */
export interface StitchBreak {
  /** Your own id of the break; different for each break of the request. */
  id: string;
  /** Before, within or after the content. */
  type: BreakType;
  /** Position in the content. Required for `mid`; 0 for `pre`; for `post` the end, which may be left out. */
  offset_ms?: number | null;
  /** Maximum length of all ads together. The slot's own limit holds as well. */
  max_duration_ms?: number | null;
  /** Maximum number of ads. The slot's own limit holds as well; 1 if neither is set. */
  max_ads?: number | null;
}

/** The content that the ads go into. */
export interface StitchContent {
  /** Your own id of the content, such as that of an episode. */
  id?: string | null;
  /** Address of the content. Required, unless `kind` is `none`. */
  url?: string | null;
  /** `progressive`: one file; `hls`: a playlist; `none`: the caller has the content itself. */
  kind?: ContentKind;
  /** Length of the content in milliseconds, if it is known. */
  duration_ms?: number | null;
}

/** The person who listens. Used for targeting, frequency caps and the traffic filter. */
export interface StitchListener {
  /** IP address of the listener. */
  ip?: string | null;
  /** User-Agent of the listener's player. */
  user_agent?: string | null;
  /**
   * Your own opaque id of the listener, never an e-mail address; used only for frequency caps, and only with
   * consent.
   */
  uid?: string | null;
  /** Without a signal, ads are not personalised. */
  consent?: ListenerConsent;
}

export interface Stitched {
  /** Yours, or a new one. */
  session_id: string;
  /** Until then `url` and the tokens work. */
  expires_at: string;
  /** Media type of `url`. */
  content_type: string | null;
  /**
   * What to play: with `hls` and `file` the content with its ads, with `vast` the VMAP document. The original
   * content if no ad was put in, and with `plan`; null if there is none.
   */
  url: string | null;
  /** Length of all ads; 0 if there are none. */
  filled_ms: number;
  /** One per break, in the order requested. */
  breaks: readonly StitchedBreak[];
}

export interface StitchedAd {
  /** Position in the break, from 1. */
  sequence: number;
  ad_id: string;
  campaign_id: string;
  /** Duration in milliseconds. */
  duration_ms: number;
  /** Renditions of the recording. */
  media: readonly StitchedMedia[];
  /** Token for `POST /v1/track`. Null with `hls` and `file`, where the server counts. */
  track_token: string | null;
  /** Signed impression pixel. Null with `hls` and `file`, where the server counts. */
  impression_url: string | null;
  /** Signed redirect to the ad's destination; null if it has none. */
  click_url: string | null;
  /** Signed URLs of the playback. Null with `hls` and `file`, where the server counts. */
  tracking: StitchedTracking | null;
  /** Null if the ad has none. */
  companion: StitchedCompanion | null;
}

export interface StitchedBreak {
  /** Yours. */
  id: string;
  /** Position in the content; null for a `post` break of unknown position. */
  offset_ms: number | null;
  /** Length of all ads of the break; 0 without ads. */
  duration_ms: number;
  ads: readonly StitchedAd[];
}

/** The image to show while the ad plays; it links to the ad's `click_url`. */
export interface StitchedCompanion {
  /** URL of the image. */
  image_url: string;
  width: number;
  height: number;
  /** Text alternative of the image, for people who cannot see it. */
  alt: string;
}

/** One rendition of an ad's recording. */
export interface StitchedMedia {
  /** Address of the recording. */
  url: string;
  /** Media type. */
  mime: string;
  /** Bitrate in kilobits per second. */
  bitrate_kbps: number | null;
  /** Duration in milliseconds. */
  duration_ms: number;
}

/** Signed URLs to request with GET when the ad has played so far. */
export interface StitchedTracking {
  /** Request it when the ad begins. */
  start: string;
  /** Request it after a quarter. */
  first_quartile: string;
  /** Request it after half. */
  midpoint: string;
  /** Request it after three quarters. */
  third_quartile: string;
  /** Request it at its end. */
  complete: string;
}

export interface Targeting {
  geo?: GeoTargeting | null;
  device?: DeviceTargeting | null;
  /** BCP 47 tags, case-insensitive: `pt` also matches `pt-BR`. Extensions (`-u-…`) are ignored. */
  languages?: readonly string[] | null;
  /** Hours of the week, in the campaign's time zone. */
  dayparts?: readonly Daypart[] | null;
  slots?: SlotTargeting | null;
  keywords?: KeywordTargeting | null;
  /** Key-value pairs that the page sends as `kv.NAME=VALUE`. */
  key_values?: readonly KeyValueTargeting[] | null;
  segments?: SegmentTargeting | null;
}

export interface TrackError {
  code: Open<ErrorCode>;
  message: string;
}

export interface TrackRequest {
  /** The `track_token`, unchanged. */
  token: string;
  event: EventKind | QualitySignal;
  /** Value of a conversion in cents. */
  value_cents?: number | null;
  /** ISO 4217 code of `value_cents`; only with it. */
  currency?: string | null;
  /**
   * Order id of a conversion. Each order counts once: a report with a secret key or a signed click id replaces this
   * one.
   */
  order_id?: string | null;
  /**
   * The visitor's IP address. Accepted only from servers (a secret key, or a property with `server_rendering`);
   * otherwise ignored.
   */
  ip?: string | null;
  /**
   * The visitor's user agent; accepted like `ip`. Send both: an event with `ua` alone has no country, and no rule
   * about addresses or repetition applies to it.
   */
  ua?: string | null;
}

export interface TrackResult {
  /** Status that `POST /v1/track` would have returned for this event. */
  status: number;
  /** `counted` or `duplicate`; test keys only. */
  result?: string | null;
  /** The error of a refused event. */
  error?: TrackError | null;
}

export interface UnfilledSlot {
  /** The slot as in the request. */
  slot: string;
  status: "no_fill";
  /** Same as `X-No-Fill-Reason` for a single slot, visible to the same keys. */
  reason?: string | null;
  /** Same as `X-Decision-Id` for a single slot, visible to the same keys. */
  decision_id?: string | null;
}

/** An id of the recording in a registry, such as Ad-ID. */
export interface UniversalAdId {
  /** Domain of the registry, like `ad-id.org`. */
  registry: string;
  /** The id in that registry. */
  value: string;
}

/** State of the verification; all fields are null until one is requested. */
export interface Verification {
  /** Verification method: `dns` or `html_tag`. */
  method: string | null;
  /** Token to publish. */
  token: string | null;
  checked_at: string | null;
  /** What the last check found instead. */
  last_error: string | null;
}

export interface VerificationRecord {
  /** Type of the record. */
  type: string;
  name: string;
  /** Value of the record. */
  value: string;
}

export interface VerificationResult {
  /** Whether this check found the proof; `property.status` is the resulting status. */
  verified: boolean;
  status: Open<PropertyStatus>;
  saw: readonly VerificationSighting[];
  /** Why the check failed; null if it succeeded. */
  problem: Open<VerificationProblem> | null;
  /** What was found, as text. */
  message: string;
  /** What to do next. */
  next: string;
  property: PublisherProperty;
}

export interface VerificationSighting {
  /** Address of the name server, or of the page after redirects. */
  source: string;
  /**
   * For a name server: `found`, `no_record`, `no_such_name`, `failed`, `timed_out`. For a page: `fetched`, or why
   * it was not.
   */
  outcome: string;
  /** TXT values, or the contents of verification tags. */
  values: readonly string[];
  /** HTTP status of the page. */
  status: number | null;
  /** Redirects on the way to the page. */
  redirects: readonly string[];
}

export interface VerificationStart {
  /** `dns`: a TXT record. `html_tag`: a tag in the front page. */
  method: VerificationMethod;
}

/** Exactly one of ``record`` and ``tag`` is present. */
export interface VerificationStarted {
  method: Open<VerificationMethod>;
  /** Token to publish; it stays the same until you request another method or domain. */
  token: string;
  /** For `dns`: the record to publish. */
  record: VerificationRecord | null;
  /** For `html_tag`: the complete tag to publish. */
  tag: string | null;
  /** Where to publish it, as text. */
  where: string;
}

export interface VideoAdCreate {
  campaign_id: string;
  name: string;
  format: "video";
  /**
   * Asset ids by role: `image` (banner, native, email), `icon` (native), `companion` (audio), `poster` (video),
   * `media.0` onwards (audio, video), `html` (html). Each sets its URL, size and duration in `content`; `html`
   * inserts the file's text, at most 64 KiB.
   */
  asset_ids?: Readonly<Record<string, string>>;
  content: VideoContent;
  /** Codes of the IAB content taxonomy. */
  categories?: readonly string[];
  tracking?: AdvertiserTrackingInput;
  /**
   * Destination URL (https; for trying out an ad, also http of the local machine), with the macros {click_id}
   * {campaign_id} {ad_id} {slot_id} {property_id} {timestamp}.
   */
  click_url?: string | null;
  /** Relative weight among the campaign's ads. */
  weight?: number;
  /** Slots that the ad may serve in. Empty: every slot of the campaign's properties. */
  slot_ids?: readonly string[];
  /** Restricts the campaign's targeting further; cannot extend it. */
  targeting?: Targeting;
}

/**
 * `media` lists the renditions of one recording. An asset with the role `media.0` provides the first. An ad with
 * `wrapper` has no media of its own, and serves only in VAST documents.
 */
export interface VideoContent {
  wrapper?: Wrapper | null;
  /** At least one, unless the ad is a `wrapper`. */
  media?: readonly VideoRendition[];
  /** Milliseconds after which the video can be skipped; null: never. */
  skip_offset_ms?: number | null;
  /**
   * Picture shown before playback; an asset with the role `poster` provides it. Null: players show the first
   * picture of the video.
   */
  poster?: string | null;
  /** Only in VAST documents (`output=vast`). */
  mezzanine?: Mezzanine | null;
  /** Only in VAST documents (`output=vast`). Default: an id of the ad and its media. */
  universal_ad_id?: UniversalAdId | null;
  /** Images shown beside the video. Only in VAST documents (`output=vast`). */
  companions?: readonly Companion[];
  /** Only in VAST documents (`output=vast`). */
  icons?: readonly VideoIcon[];
  /** Only in VAST documents (`output=vast`). */
  verifications?: readonly AdVerification[];
}

/** A picture over the video, such as AdChoices. */
export interface VideoIcon {
  /** The program that the icon stands for, like `AdChoices`. */
  program: string;
  /** URL of the image. */
  image_url: string;
  width: number;
  height: number;
  /** `left`, `right`, or pixels from the left edge of the video. */
  x_position?: string;
  /** `top`, `bottom`, or pixels from the upper edge of the video. */
  y_position?: string;
  /** When it appears, in milliseconds from the start of the video. */
  offset_ms?: number | null;
  /** How long it is shown. Null: until the end. */
  duration_ms?: number | null;
  /** Destination URL; `{click_id}`, `{campaign_id}` and other macros are replaced. */
  click_url?: string | null;
  /** URLs that players load when they show the icon. */
  view_urls?: readonly string[];
}

/** All fields except `bitrate_kbps` are required, unless an asset has the rendition's role (`media.0` onwards). */
export interface VideoRendition {
  /** URL of the media file. */
  url?: string;
  /** Media type. */
  mime?: string;
  width?: number;
  height?: number;
  /** Bitrate in kilobits per second. */
  bitrate_kbps?: number | null;
  /** Duration in milliseconds. */
  duration_ms?: number;
}

/** When an ad counts as viewable. */
export interface Viewability {
  /** Minimum share of the ad's area in the viewport. */
  ratio: number;
  /** Minimum uninterrupted time in milliseconds. */
  duration_ms: number;
}

/** The ad tag of another ad server, to which players of a VAST document go on. */
export interface Wrapper {
  /** URL of a VAST document. Players replace macros like `[CACHEBUSTING]`. */
  url: string;
  /** Length of the longest ad that the tag returns, by which ad breaks are filled. */
  duration_ms: number;
  /** Whether players may use another ad of the response where the tag returns none. */
  fallback_on_no_ad?: boolean;
  /** Whether the tag may lead to yet another tag. */
  follow_additional_wrappers?: boolean;
}
