<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard;

/**
 * The models of the API as array shapes, for editors and analysers:
 * `@phpstan-import-type Campaign from Types`. Responses can have fields and values that are not listed.
 *
 * @phpstan-type AccountState 'active'|'past_due'|'suspended'
 * @phpstan-type AdFormat 'banner'|'html'|'native'|'audio'|'video'|'email'
 * @phpstan-type AdMarkers 'discontinuity'|'interstitial'
 * @phpstan-type AdSource 'sponsorship'|'direct'|'auction'|'house'|'preview'
 * @phpstan-type AdStatus 'draft'|'pending_review'|'active'|'rejected'|'paused'|'archived'
 * @phpstan-type AssetKind 'image'|'video'|'audio'|'html'
 * @phpstan-type AssetStatus 'uploading'|'processing'|'ready'|'rejected'|'archived'
 * @phpstan-type BreakType 'pre'|'mid'|'post'
 * @phpstan-type Browser 'chrome'|'safari'|'firefox'|'edge'|'opera'|'samsung'|'other'
 * @phpstan-type CampaignDeliveryStatus 'scheduled'|'delivering'|'not_delivering'|'budget_exhausted_today'|'budget_exhausted'|'ended'|'no_ads'|'blocked'
 * @phpstan-type CampaignSort '-created_at'|'created_at'|'name'|'-name'|'-updated_at'|'updated_at'
 * @phpstan-type CampaignStatus 'draft'|'pending_review'|'active'|'paused'|'completed'|'rejected'|'archived'
 * @phpstan-type CandidateState 'won'|'fits'|'dropped'
 * @phpstan-type ConsentSignal 'coppa'|'coppa_unreadable'|'npa'|'npa_unreadable'|'gpc'|'dnt'|'gpp_garbled'|'gpp_section_missing'|'gpp_section_not_read'|'gdpr_not_applicable'|'gdpr_unreadable'|'tc_string_missing'|'tc_string_garbled'|'vendor_not_disclosed'|'vendor_not_consented'|'purpose_1_not_allowed'|'purpose_2_not_allowed'|'purpose_3_not_allowed'|'purpose_4_not_allowed'|'purpose_7_not_allowed'|'publisher_not_consented'|'tc_string_consents'|'us_privacy_garbled'|'us_section_garbled'|'us_opted_out'|'us_not_notified'|'us_known_child'|'us_personal_data_refused'|'us_service_provider'|'us_not_opted_out'|'lgpd_refused'|'lgpd_unreadable'|'lgpd_consented'|'presumed'|'no_signal'
 * @phpstan-type ContentKind 'progressive'|'hls'|'none'
 * @phpstan-type CredentialKind 'publishable_key'|'secret_key'|'integration_key'|'access_token'
 * @phpstan-type DeliveryPace 'ahead'|'on_track'|'behind'
 * @phpstan-type DeviceType 'desktop'|'mobile'|'tablet'|'tv'|'other'
 * @phpstan-type EmailItemStatus 'filled'|'no_fill'
 * @phpstan-type EmailMode 'per_send'|'per_recipient'
 * @phpstan-type EmailRender 'fixed'|'on_open'
 * @phpstan-type EmbedComponent 'campaign_create'|'campaign_edit'|'campaign_list'|'ad_create'|'report_overview'
 * @phpstan-type EmbedTheme 'light'|'dark'
 * @phpstan-type Environment 'test'|'live'
 * @phpstan-type ErrorCode 'missing_key'|'invalid_key'|'key_revoked'|'tenant_suspended'|'wrong_environment'|'property_unverified'|'rate_limited'|'insufficient_scope'|'not_available_to_integration_keys'|'permission_lost'|'permission_denied'|'invalid_json'|'validation_failed'|'bad_request'|'invalid_grant'|'email_unverified'|'token_invalid'|'token_expired'|'token_mismatch'|'slot_not_found'|'not_found'|'method_not_allowed'|'already_exists'|'invalid_state'|'insufficient_balance'|'limit_reached'|'version_conflict'|'version_required'|'idempotency_key_reused'|'idempotency_in_progress'|'cursor_invalid'|'cursor_expired'|'decision_expired'|'payload_too_large'|'uri_too_long'|'headers_too_large'|'range_not_satisfiable'|'unsupported_media_type'|'request_timeout'|'internal'|'unavailable'
 * @phpstan-type EventKind 'impression'|'click'|'conversion'
 * @phpstan-type EventReason 'ok'|'ok_test'|'ok_over_budget'|'ok_consent_limited'|'ok_late'|'bot_user_agent'|'unknown_user_agent'|'missing_user_agent'|'datacenter_ip'|'prefetch'|'internal_traffic'|'rate_exceeded'|'duplicate_click'|'duplicate_impression'|'click_too_fast'|'origin_mismatch'|'consent_denied'|'campaign_ended'|'clock_skew'|'mail_privacy_proxy'|'mail_link_scanner'|'retracted'
 * @phpstan-type ExportFormat 'csv'|'ndjson'|'parquet'
 * @phpstan-type ExportKind 'report'|'events'
 * @phpstan-type ExportStatus 'queued'|'running'|'ready'|'failed'|'expired'
 * @phpstan-type InvalidTrafficClass 'none'|'givt'|'sivt'
 * @phpstan-type KeyBlock 'address_unverified'|'property_unverified'|'property_suspended'
 * @phpstan-type KeyKind 'publishable'|'secret'|'integration'
 * @phpstan-type KeyStatus 'active'|'expired'|'revoked'
 * @phpstan-type Language 'en'|'es'|'pt-BR'
 * @phpstan-type LiveBlockCode 'address_unverified'|'property_unverified'|'property_suspended'|'account_stopped'|'payment_overdue'
 * @phpstan-type MemberRole 'owner'|'admin'|'manager'|'analyst'|'finance'
 * @phpstan-type NoFillReason 'no_candidate'|'account_stopped'|'no_funds'|'demo_never_fills'|'slot_archived'|'stale_snapshot'|'spool_full'|'campaign_not_active'|'ad_not_active'|'out_of_flight'|'not_supported_yet'|'budget_spent'|'format_mismatch'|'size_mismatch'|'slot_not_targeted'|'blocked_advertiser'|'blocked_category'|'blocked_ad'|'below_floor'|'geo_not_targeted'|'device_not_targeted'|'language_not_targeted'|'daypart_not_targeted'|'keywords_not_targeted'|'key_values_not_targeted'|'segments_not_targeted'|'unfit_for_children'|'advertiser_already_shown'|'category_already_shown'|'duration_mismatch'|'share_of_voice'|'goal_reached'|'paced'|'frequency_capped'|'cap_not_known'
 * @phpstan-type Objective 'awareness'|'traffic'|'engagement'|'leads'|'conversions'|'app_promotion'
 * @phpstan-type OperatingSystem 'windows'|'macos'|'linux'|'ios'|'android'|'chromeos'|'other'
 * @phpstan-type Pacing 'even'|'asap'|'front_loaded'
 * @phpstan-type Permission 'campaign:read'|'campaign:write'|'ad:read'|'ad:write'|'asset:read'|'asset:write'|'property:read'|'reports:read'|'property:write'|'key:read'|'key:write'|'member:read'|'member:write'|'billing:read'|'billing:write'|'event:read'|'account:write'|'audit:read'|'platform:read'|'platform:write'
 * @phpstan-type PricingModel 'cpm'|'cpc'|'cpa'|'flat_rate'
 * @phpstan-type Priority 'sponsorship'|'standard'|'auction'|'house'
 * @phpstan-type PropertyKind 'web'|'app'|'email'|'audio'|'ctv'
 * @phpstan-type PropertyStatus 'unverified'|'verified'|'suspended'
 * @phpstan-type QualitySignal 'viewable'|'start'|'first_quartile'|'midpoint'|'third_quartile'|'complete'|'skip'|'error'
 * @phpstan-type ReportDimension 'campaign'|'ad'|'property'|'slot'|'country'|'device'|'format'|'source'|'surface'|'reason'
 * @phpstan-type ReportGranularity 'hour'|'day'|'week'|'month'|'total'
 * @phpstan-type ReportMetric 'requests'|'fills'|'no_fills'|'fill_rate'|'impressions'|'viewable_impressions'|'clicks'|'conversions'|'click_through_conversions'|'view_through_conversions'|'invalid_impressions'|'invalid_clicks'|'spend_cents'|'earnings_cents'|'conversion_value_cents'|'ctr'|'cvr'|'ecpm_cents'|'starts'|'first_quartiles'|'midpoints'|'third_quartiles'|'completes'|'skips'|'errors'|'viewable_rate'|'start_rate'|'first_quartile_rate'|'midpoint_rate'|'third_quartile_rate'|'completion_rate'|'skip_rate'|'error_rate'
 * @phpstan-type SdkKeyKind 'publishable'|'secret'
 * @phpstan-type ServeScenario 'no_candidate'|'account_stopped'|'no_funds'|'demo_never_fills'|'slot_archived'|'stale_snapshot'|'spool_full'|'campaign_not_active'|'ad_not_active'|'out_of_flight'|'not_supported_yet'|'budget_spent'|'format_mismatch'|'size_mismatch'|'slot_not_targeted'|'blocked_advertiser'|'blocked_category'|'blocked_ad'|'below_floor'|'geo_not_targeted'|'device_not_targeted'|'language_not_targeted'|'daypart_not_targeted'|'keywords_not_targeted'|'key_values_not_targeted'|'segments_not_targeted'|'unfit_for_children'|'advertiser_already_shown'|'category_already_shown'|'duration_mismatch'|'share_of_voice'|'goal_reached'|'paced'|'frequency_capped'|'cap_not_known'|'slow'|'rate_limited'|'tenant_suspended'|'error'
 * @phpstan-type SlotStatus 'active'|'archived'
 * @phpstan-type StitchOutput 'plan'|'vast'|'hls'|'file'
 * @phpstan-type Surface 'web'|'ios'|'android'|'flutter'|'server'|'email'|'audio'|'amp'|'ctv'
 * @phpstan-type VerificationMethod 'dns'|'html_tag'
 * @phpstan-type VerificationProblem 'record_missing'|'record_differs'|'name_servers_fail'|'resolvers_disagree'|'resolver_silent'|'tag_missing'|'tag_differs'|'page_not_ok'|'page_unreachable'|'page_refused'|'page_elsewhere'|'held_by_another'
 * @phpstan-type Weekday 'mon'|'tue'|'wed'|'thu'|'fri'|'sat'|'sun'
 * @phpstan-type Account array{id: string, name: string, currency: string, state: string, state_reason: string|null, stopped: bool, billing_mode: string, address_verified: bool, review_required: bool, require_second_factor: bool, version: int, created_at: string, updated_at: string}
 * @phpstan-type Ad array{id: string, campaign_id: string, name: string, format: string, content: array<string, mixed>, asset_ids: array<string, string>, categories: list<string>, tracking: AdvertiserTrackingUrls, click_url: string|null, advertiser_domain: string|null, weight: int, slot_ids: list<string>, targeting: array<string, mixed>, status: string, review: ReviewDecision|null, is_test: bool, version: int, created_at: string, updated_at: string}
 * @phpstan-type AdCreate BannerAdCreate|HtmlAdCreate|NativeAdCreate|AudioAdCreate|VideoAdCreate|EmailAdCreate
 * @phpstan-type AdPage array{data: list<Ad>, has_more: bool, next_cursor: string|null}
 * @phpstan-type AdPatch array{name?: string, asset_ids?: array<string, string>, content?: array<string, mixed>, categories?: list<string>, tracking?: AdvertiserTrackingInput, click_url?: string|null, weight?: int, slot_ids?: list<string>, targeting?: Targeting}
 * @phpstan-type AdVerification array{vendor: string, javascript_url: string, browser_optional?: bool, parameters?: string|null, not_executed_url?: string|null}
 * @phpstan-type AdvertiserTracking array{impression_urls: list<string>, click_urls: list<string>}
 * @phpstan-type AdvertiserTrackingInput array{impression_urls?: list<string>, click_urls?: list<string>}
 * @phpstan-type AdvertiserTrackingUrls array{impression_urls: list<string>, click_urls: list<string>}
 * @phpstan-type Asset array{id: string, property_id: string|null, kind: string, filename: string, mime: string, bytes: int, sha256: string|null, width: int|null, height: int|null, duration_ms: int|null, media: MediaProperties|null, status: string, url: string|null, rejection_reason: string|null, is_test: bool, created_at: string, updated_at: string}
 * @phpstan-type AssetCreate array{kind: AssetKind, filename: string, mime: string, bytes: int, sha256?: string|null, property_id?: string|null}
 * @phpstan-type AssetCreated array{id: string, property_id: string|null, kind: string, filename: string, mime: string, bytes: int, sha256: string|null, width: int|null, height: int|null, duration_ms: int|null, media: MediaProperties|null, status: string, url: string|null, rejection_reason: string|null, is_test: bool, created_at: string, updated_at: string, upload: AssetUpload|null}
 * @phpstan-type AssetPage array{data: list<Asset>, has_more: bool, next_cursor: string|null}
 * @phpstan-type AssetPatch array{filename?: string}
 * @phpstan-type AssetUpload array{method: string, url: string, headers: array<string, string>, expires_at: string}
 * @phpstan-type Attribution array{click_window_hours: int, view_window_hours: int, conversion_events: list<string>, bill_in_session: bool, pixel_conversions_per_click: int}
 * @phpstan-type AttributionInput array{click_window_hours?: int, view_window_hours?: int, conversion_events?: list<string>, bill_in_session?: bool, pixel_conversions_per_click?: int}
 * @phpstan-type AttributionPatch array{click_window_hours?: int, view_window_hours?: int, conversion_events?: list<string>, bill_in_session?: bool, pixel_conversions_per_click?: int}
 * @phpstan-type AudioAdCreate array{campaign_id: string, name: string, format: 'audio', asset_ids?: array<string, string>, content: AudioContent, categories?: list<string>, tracking?: AdvertiserTrackingInput, click_url?: string|null, weight?: int, slot_ids?: list<string>, targeting?: Targeting}
 * @phpstan-type AudioBreakLimits array{max_duration_ms: int, max_ads: int}
 * @phpstan-type AudioBreakLimitsInput array{max_duration_ms: int, max_ads?: int}
 * @phpstan-type AudioContent array{media?: list<AudioRendition>, companion?: Companion|null, universal_ad_id?: UniversalAdId|null, verifications?: list<AdVerification>}
 * @phpstan-type AudioRendition array{url?: string, mime?: string, bitrate_kbps?: int|null, duration_ms?: int}
 * @phpstan-type BannerAdCreate array{campaign_id: string, name: string, format: 'banner', asset_ids?: array<string, string>, content: BannerContent, categories?: list<string>, tracking?: AdvertiserTrackingInput, click_url?: string|null, weight?: int, slot_ids?: list<string>, targeting?: Targeting}
 * @phpstan-type BannerContent array{image_url?: string, width?: int, height?: int, alt?: string}
 * @phpstan-type Budget array{total_cents: int|null, daily_cents: int|null}
 * @phpstan-type BudgetInput array{total_cents?: int|null, daily_cents?: int|null}
 * @phpstan-type BudgetPatch array{total_cents?: int|null, daily_cents?: int|null}
 * @phpstan-type BulkCampaignAction array{action: string, ids: list<string>}
 * @phpstan-type BulkCampaignError array{code: string, message: string}
 * @phpstan-type BulkCampaignResult array{id: string, ok: bool, status: string|null, version: int|null, error: BulkCampaignError|null}
 * @phpstan-type BulkCampaignResults array{data: list<BulkCampaignResult>}
 * @phpstan-type Caller array{credential: string, account: Account, is_operator: bool, user: CallerUser|null, role: string|null, permissions: list<string>, scopes: list<string>|null, lost_scopes: list<LostScope>, environment: string|null, property_id: string|null, property: CallerProperty|null, key: CallerKey|null, keys_to_rotate: int, blocks: list<LiveBlock>, rate_limit: CallerRateLimit, server_time: string, snapshot_version: int}
 * @phpstan-type CallerKey array{id: string, kind: string, name: string, last4: string, environment: string, created_by: string, creator_is_member: bool, created_at: string, last_used_at: string|null, expires_at: string|null, rotation_due: bool}
 * @phpstan-type CallerProperty array{id: string, name: string, domain: string|null, status: string}
 * @phpstan-type CallerRateLimit array{calls_per_second: int, burst: int, left: int}
 * @phpstan-type CallerUser array{id: string, email: string, name: string, email_verified: bool, language: string|null}
 * @phpstan-type Campaign array{id: string, property_ids: list<string>, name: string, objective: string, pricing_model: string, bid_cents: int, pacing: string, priority: string, start_at: string|null, end_at: string|null, timezone: string, budget: Budget, goal: Goal|null, share_of_voice_percent: int|null, frequency_caps: list<FrequencyCap>, targeting: array<string, mixed>, attribution: Attribution, status: string, delivery_status: string, delivery_reason: string|null, spend_cents: int, review: ReviewDecision|null, external_ref: string|null, metadata: array<string, string>, is_test: bool, version: int, created_at: string, updated_at: string}
 * @phpstan-type CampaignClone array{name?: string|null, start_at?: string|null, end_at?: string|null, include_ads?: bool, environment?: Environment|null}
 * @phpstan-type CampaignCreate array{property_ids?: list<string>|null, name: string, objective: Objective, pricing_model: PricingModel, bid_cents: int, pacing?: Pacing, priority?: Priority, start_at?: string|null, end_at?: string|null, timezone?: string|null, budget?: BudgetInput|null, goal?: GoalInput|null, share_of_voice_percent?: int|null, frequency_caps?: list<FrequencyCapInput>, targeting?: Targeting, attribution?: AttributionInput, external_ref?: string|null, metadata?: array<string, string>}
 * @phpstan-type CampaignDelivery array{status: string, delivery_status: string, delivery_reason: string|null, expected_percent: float|null, actual_percent: float|null, pace: string|null, spend_cents: int, remaining_cents: int|null, today: DeliveryToday, impressions: int, clicks: int, conversions: int, max_over_delivery_cents: int|null, top_no_serve_reasons: list<NoServeShare>, as_of: string|null}
 * @phpstan-type CampaignPage array{data: list<Campaign>, has_more: bool, next_cursor: string|null}
 * @phpstan-type CampaignPatch array{property_ids?: list<string>, name?: string, objective?: Objective, pricing_model?: PricingModel, bid_cents?: int, pacing?: Pacing, priority?: Priority, start_at?: string|null, end_at?: string|null, timezone?: string, budget?: BudgetPatch|null, goal?: GoalInput|null, share_of_voice_percent?: int|null, frequency_caps?: list<FrequencyCapInput>, targeting?: Targeting, attribution?: AttributionPatch, external_ref?: string|null, metadata?: array<string, string>}
 * @phpstan-type ClickVerification array{click_id: string}
 * @phpstan-type ClickVerified array{valid: bool, id?: string|null}
 * @phpstan-type ClientFrequencyCap array{name: string, event: string, window_seconds: int}
 * @phpstan-type Companion array{image_url?: string, width?: int, height?: int, alt?: string}
 * @phpstan-type ConversionAccepted array{conversion_id: string}
 * @phpstan-type ConversionBody array{click_id?: string|null, uid?: string|null, event_name: string, value_cents?: int|null, currency?: string|null, order_id?: string|null, occurred_at?: string|null}
 * @phpstan-type ConversionCounts array{click_through: int, view_through: int, in_session: int, waiting: int, unattributed: int, repeated: int}
 * @phpstan-type Daypart array{days: list<Weekday>, start: string, end: string}
 * @phpstan-type DecisionCandidate array{campaign_id: string, ad_id: string, state: string, dropped_by: string|null, words: string, turn: int|null, priority: string, ecpm_micros: int, clicks_ppm: int, conversions_ppm: int, weight: int, matched: list<string>, missed: list<string>}
 * @phpstan-type DecisionConsent array{limited: bool, child_directed: bool, personal: bool, storage: bool|null, measurement: bool|null, why: list<string>}
 * @phpstan-type DecisionExplanation array{decision_id: string|null, reproduced: bool|null, at: string, environment: string, property_id: string, slot_id: string, snapshot: SnapshotPosition, seed: string, outcome: DecisionOutcome, consent: DecisionConsent, considered: list<DecisionCandidate>, considered_total: int}
 * @phpstan-type DecisionOpportunity array{slot: string, property_id?: string|null, environment?: Environment|null, format?: AdFormat|null, w?: int|null, h?: int|null, surface?: Surface, country?: string|null, region?: string|null, device?: DeviceType|null, os?: OperatingSystem|null, browser?: Browser|null, languages?: list<string>, keywords?: list<string>, key_values?: array<string, list<string>>, segments?: list<string>, child_directed?: bool, consent_limited?: bool, shown_advertisers?: list<string>}
 * @phpstan-type DecisionOutcome array{filled: bool, ad_id: string|null, campaign_id: string|null, source: string|null, price_micros: int|null, reason: string|null, words: string}
 * @phpstan-type DecisionQuestion array{decision_id?: string|null, opportunity?: DecisionOpportunity|null, at?: string|null, snapshot_version?: int|null, seed?: string|null, limit?: int}
 * @phpstan-type DeliveryToday array{date: string, spend_cents: int, remaining_cents: int|null, impressions: int, clicks: int, conversions: int}
 * @phpstan-type DeviceTargeting array{types?: list<DeviceType>, os?: list<OperatingSystem>, browsers?: list<Browser>}
 * @phpstan-type EmailAdCreate array{campaign_id: string, name: string, format: 'email', asset_ids?: array<string, string>, content: EmailContent, categories?: list<string>, tracking?: AdvertiserTrackingInput, click_url?: string|null, weight?: int, slot_ids?: list<string>, targeting?: Targeting}
 * @phpstan-type EmailConsent array{gdpr?: string|null, gdpr_consent?: string|null, gpp?: string|null, gpp_sid?: string|null, us_privacy?: string|null, coppa?: string|null, lgpd?: string|null, npa?: string|null}
 * @phpstan-type EmailContent array{image_url?: string, width?: int, height?: int, alt: string, text_fallback: string}
 * @phpstan-type EmailItem array{ref: string|null, slot: string, status: string, ad_id: string|null, campaign_id: string|null, html: string|null, text: string|null, image_url: string|null, click_url: string|null, impression_url: string|null, alt: string|null, width: int|null, height: int|null, track_token: string|null}
 * @phpstan-type EmailPrepareBody array{slot?: string|null, slots?: list<string>|null, send_id: string, mode?: EmailMode, render?: EmailRender, recipients?: list<EmailRecipient>|null, expires_in_days?: int, consent?: EmailConsent|null}
 * @phpstan-type EmailPrepared array{send_id: string, expires_at: string, items: list<EmailItem>, filled: int, no_fill: int}
 * @phpstan-type EmailRecipient array{ref: string, uid?: string|null, country?: string|null, lang?: string|null, kv?: array<string, string|list<string>>}
 * @phpstan-type EmbedContext array{campaign_id?: string|null, external_ref?: string|null, locale?: string|null, theme?: EmbedTheme|null}
 * @phpstan-type EmbedSessionCreate array{component: EmbedComponent, origin: string, context?: EmbedContext}
 * @phpstan-type EmbedSessionCreated array{client_secret: string, url: string, expires_at: string}
 * @phpstan-type ErrorBody array{code: string, message: string, param?: string|null, details?: list<ErrorDetail>|null, request_id?: string|null}
 * @phpstan-type ErrorDetail array{param: string, code: string, message: string}
 * @phpstan-type Event array{id: string, kind: string, ts: string, ad_id: string, campaign_id: string, slot_id: string, property_id: string, source: string, surface: string, is_test: bool, valid: bool, reason: string, live_reason: string|null, ivt_class: string, value_cents: int|null, currency: string|null, order_id: string|null, attribution: string|null, event_name: string|null, corrects: string|null}
 * @phpstan-type EventCounts array{impressions: int, clicks: int, conversions: int, invalid: int}
 * @phpstan-type EventPage array{data: list<Event>, has_more: bool, next_cursor: string|null}
 * @phpstan-type Export array{id: string, kind: string, format: string, status: string, is_test: bool, progress_percent: int, question: array<string, mixed>, rows: int|null, bytes: int|null, sha256: string|null, url: string|null, url_expires_at: string|null, error: string|null, created_at: string, started_at: string|null, finished_at: string|null, expires_at: string|null}
 * @phpstan-type ExportCreate array{from: string, to?: string, granularity?: ReportGranularity, group_by?: list<ReportDimension>, metrics?: list<ReportMetric>, tz?: string|null, campaign_id?: list<string>|null, ad_id?: list<string>|null, property_id?: list<string>|null, slot_id?: list<string>|null, country?: list<string>|null, device?: list<DeviceType>|null, format: ExportFormat, source?: list<AdSource>|null, surface?: list<Surface>|null, reason?: list<EventReason>|null, kind?: ExportKind, ad_format?: list<AdFormat>|null, event?: list<EventKind>|null, valid?: bool|null}
 * @phpstan-type ExportPage array{data: list<Export>, has_more: bool, next_cursor: string|null}
 * @phpstan-type FilledSlot array{decision_id: string, ad_id: string, campaign_id: string, slot_id: string, property_id: string, format: string, width: int|null, height: int|null, content: array<string, mixed>, html: string, track_token: string, impression_url: string, click_url: string, source: string, is_test: bool, ttl_seconds: int, viewability: Viewability, has_destination?: bool|null, tracking?: AdvertiserTracking|null, caps?: list<ClientFrequencyCap>|null, explain?: list<ServedCandidate>|null, consent?: ServedConsent|null, page_origin?: string|null, slot: string, status: 'filled'}
 * @phpstan-type Forecast array{from_at: string, to_at: string, insufficient_traffic: bool, matched: ForecastInterval|null, booked: ForecastInterval|null, available: ForecastInterval|null, contested: ForecastInterval|null, delivered: ForecastInterval|null, spend_cents: ForecastInterval|null, limited_by: string|null, basis: ForecastBasis, is_test: bool}
 * @phpstan-type ForecastAd array{format: AdFormat, width?: int|null, height?: int|null}
 * @phpstan-type ForecastBasis array{requests: int, hours: int, decisions: int, impressions_a_fill_percent: float}
 * @phpstan-type ForecastCreate array{property_ids?: list<string>|null, name: string, objective: Objective, pricing_model: PricingModel, bid_cents: int, pacing?: Pacing, priority?: Priority, start_at?: string|null, end_at?: string|null, timezone?: string|null, budget?: BudgetInput|null, goal?: GoalInput|null, share_of_voice_percent?: int|null, frequency_caps?: list<FrequencyCapInput>, targeting?: Targeting, attribution?: AttributionInput, external_ref?: string|null, metadata?: array<string, string>, from?: string|null, to?: string|null, ads?: list<ForecastAd>|null}
 * @phpstan-type ForecastInterval array{low: int, likely: int, high: int}
 * @phpstan-type FrequencyCap array{scope: string, event: string, limit: int, window: FrequencyWindow}
 * @phpstan-type FrequencyCapInput array{scope: string, event: string, limit: int, window: FrequencyWindowInput}
 * @phpstan-type FrequencyWindow array{interval: int, unit: string}
 * @phpstan-type FrequencyWindowInput array{interval: int, unit: string}
 * @phpstan-type GeoArea array{country: string, region?: string|null}
 * @phpstan-type GeoTargeting array{include?: list<GeoArea>, exclude?: list<GeoArea>}
 * @phpstan-type Goal array{kind: string, total: int}
 * @phpstan-type GoalInput array{kind: string, total: int}
 * @phpstan-type Hours array{data: list<HoursRow>, totals: ReportFigures, as_of: string|null, complete_through: string|null, from_at: string, to_at: string, tz: string, currency: string}
 * @phpstan-type HoursRow array{requests?: int|null, fills?: int|null, no_fills?: int|null, fill_rate?: float|null, impressions?: int|null, viewable_impressions?: int|null, clicks?: int|null, conversions?: int|null, click_through_conversions?: int|null, view_through_conversions?: int|null, invalid_impressions?: int|null, invalid_clicks?: int|null, spend_cents?: int|null, earnings_cents?: int|null, conversion_value_cents?: int|null, ctr?: float|null, cvr?: float|null, ecpm_cents?: int|null, starts?: int|null, first_quartiles?: int|null, midpoints?: int|null, third_quartiles?: int|null, completes?: int|null, skips?: int|null, errors?: int|null, viewable_rate?: float|null, start_rate?: float|null, first_quartile_rate?: float|null, midpoint_rate?: float|null, third_quartile_rate?: float|null, completion_rate?: float|null, skip_rate?: float|null, error_rate?: float|null, weekday: int, hour: int}
 * @phpstan-type HtmlAdCreate array{campaign_id: string, name: string, format: 'html', asset_ids?: array<string, string>, content: HtmlContent, categories?: list<string>, tracking?: AdvertiserTrackingInput, click_url?: string|null, weight?: int, slot_ids?: list<string>, targeting?: Targeting}
 * @phpstan-type HtmlContent array{html: string, width: int, height: int}
 * @phpstan-type IntegrationKey array{id: string, property_id: string, kind: string, environment: string, is_test: bool, name: string, last4: string, created_by: string, created_at: string, last_used_at: string|null, expires_at: string|null, revoked_at: string|null, status: string, previous_key_id: string|null, rotation_due: bool, version: int, scopes: list<string>}
 * @phpstan-type IntegrationKeyCreate array{property_id: string, environment: Environment, name: string, scopes: list<string>, expires_at?: string|null}
 * @phpstan-type IntegrationKeyCreated array{id: string, property_id: string, kind: string, environment: string, is_test: bool, name: string, last4: string, created_by: string, created_at: string, last_used_at: string|null, expires_at: string|null, revoked_at: string|null, status: string, previous_key_id: string|null, rotation_due: bool, version: int, scopes: list<string>, key: string}
 * @phpstan-type IntegrationKeyPage array{data: list<IntegrationKey>, has_more: bool, next_cursor: string|null}
 * @phpstan-type IntegrationStatus array{property_id: string, environment: string, key: IntegrationStatusKey|null, verified: bool, account_status: string, last_impression_at: string|null, last_click_at: string|null, last_conversion_at: string|null, counts_24h: EventCounts, conversions_24h: ConversionCounts, fill_rate_24h: float|null, snapshot: SnapshotStatus, events_lag_seconds: float|null}
 * @phpstan-type IntegrationStatusKey array{id: string, kind: string, last4: string}
 * @phpstan-type KeyPatch array{name?: string, expires_at?: string|null}
 * @phpstan-type KeyValueTargeting array{key: string, op: string, values: list<string>}
 * @phpstan-type KeywordTargeting array{any?: list<string>, none?: list<string>}
 * @phpstan-type ListenerConsent array{gdpr?: string|null, gdpr_consent?: string|null, gpp?: string|null, gpp_sid?: string|null, us_privacy?: string|null, coppa?: string|null, lgpd?: string|null, npa?: string|null}
 * @phpstan-type LiveBlock array{code: string, message: string}
 * @phpstan-type LostScope array{scope: string, reason: string}
 * @phpstan-type MediaProperties array{container: string, audio_codec: string|null, video_codec: string|null, bitrate_kbps: int|null, sample_rate_hz: int|null, channels: int|null, fps: float|null, loudness_lufs: float|null, renditions?: list<string>}
 * @phpstan-type Mezzanine array{url: string, mime: string, width: int, height: int}
 * @phpstan-type NativeAdCreate array{campaign_id: string, name: string, format: 'native', asset_ids?: array<string, string>, content: NativeContent, categories?: list<string>, tracking?: AdvertiserTrackingInput, click_url?: string|null, weight?: int, slot_ids?: list<string>, targeting?: Targeting}
 * @phpstan-type NativeContent array{title: string, body?: string|null, cta?: string|null, sponsored_by?: string|null, icon?: string|null, image?: string|null}
 * @phpstan-type NoServeShare array{reason: string, share: float}
 * @phpstan-type PayoutTerms array{payee: string|null, share_percent: int}
 * @phpstan-type PayoutTermsInput array{payee?: string|null, share_percent?: int}
 * @phpstan-type PayoutTermsPatch array{payee?: string|null, share_percent?: int}
 * @phpstan-type PropertyCreate array{name: string, kind: PropertyKind, domain?: string|null, bundle_id?: string|null, allowed_origins?: list<string>, timezone?: string, excluded_ip_ranges?: list<string>, consent_policy?: string, token_ttl_seconds?: int, server_rendering?: bool, rate_limits?: RateLimitsInput, blocked_categories?: list<string>, blocked_ad_ids?: list<string>, payout?: PayoutTermsInput, sdk?: PropertySdkInput}
 * @phpstan-type PropertyPatch array{name?: string, domain?: string|null, bundle_id?: string|null, allowed_origins?: list<string>, timezone?: string, excluded_ip_ranges?: list<string>, consent_policy?: string, token_ttl_seconds?: int, server_rendering?: bool, rate_limits?: RateLimitsPatch, blocked_categories?: list<string>, blocked_ad_ids?: list<string>, payout?: PayoutTermsPatch, sdk?: PropertySdkPatch}
 * @phpstan-type PropertySdk array{min: array<string, string>, flags: array<string, bool|string>}
 * @phpstan-type PropertySdkInput array{min?: array<string, string>, flags?: array<string, bool|string>}
 * @phpstan-type PropertySdkPatch array{min?: array<string, string>, flags?: array<string, bool|string>}
 * @phpstan-type PublisherProperty array{id: string, name: string, kind: string, domain: string|null, bundle_id: string|null, status: string, verification: Verification, allowed_origins: list<string>, timezone: string, currency: string, excluded_ip_ranges: list<string>, consent_policy: string, token_ttl_seconds: int, server_rendering: bool, rate_limits: RateLimits, blocked_categories: list<string>, blocked_ad_ids: list<string>, payout: PayoutTerms, sdk: PropertySdk, version: int, created_at: string, updated_at: string}
 * @phpstan-type PublisherPropertyPage array{data: list<PublisherProperty>, has_more: bool, next_cursor: string|null}
 * @phpstan-type RateLimits array{serve_per_key_s: int, serve_per_ip_s: int, track_per_key_s: int, track_per_ip_s: int}
 * @phpstan-type RateLimitsInput array{serve_per_key_s?: int, serve_per_ip_s?: int, track_per_key_s?: int, track_per_ip_s?: int}
 * @phpstan-type RateLimitsPatch array{serve_per_key_s?: int, serve_per_ip_s?: int, track_per_key_s?: int, track_per_ip_s?: int}
 * @phpstan-type Report array{data: list<ReportRow>, totals: ReportFigures, as_of: string|null, complete_through: string|null, from_at: string, to_at: string, tz: string, currency: string}
 * @phpstan-type ReportFigures array{requests?: int|null, fills?: int|null, no_fills?: int|null, fill_rate?: float|null, impressions?: int|null, viewable_impressions?: int|null, clicks?: int|null, conversions?: int|null, click_through_conversions?: int|null, view_through_conversions?: int|null, invalid_impressions?: int|null, invalid_clicks?: int|null, spend_cents?: int|null, earnings_cents?: int|null, conversion_value_cents?: int|null, ctr?: float|null, cvr?: float|null, ecpm_cents?: int|null, starts?: int|null, first_quartiles?: int|null, midpoints?: int|null, third_quartiles?: int|null, completes?: int|null, skips?: int|null, errors?: int|null, viewable_rate?: float|null, start_rate?: float|null, first_quartile_rate?: float|null, midpoint_rate?: float|null, third_quartile_rate?: float|null, completion_rate?: float|null, skip_rate?: float|null, error_rate?: float|null}
 * @phpstan-type ReportRow array{requests?: int|null, fills?: int|null, no_fills?: int|null, fill_rate?: float|null, impressions?: int|null, viewable_impressions?: int|null, clicks?: int|null, conversions?: int|null, click_through_conversions?: int|null, view_through_conversions?: int|null, invalid_impressions?: int|null, invalid_clicks?: int|null, spend_cents?: int|null, earnings_cents?: int|null, conversion_value_cents?: int|null, ctr?: float|null, cvr?: float|null, ecpm_cents?: int|null, starts?: int|null, first_quartiles?: int|null, midpoints?: int|null, third_quartiles?: int|null, completes?: int|null, skips?: int|null, errors?: int|null, viewable_rate?: float|null, start_rate?: float|null, first_quartile_rate?: float|null, midpoint_rate?: float|null, third_quartile_rate?: float|null, completion_rate?: float|null, skip_rate?: float|null, error_rate?: float|null, period?: string|null, campaign_id?: string|null, campaign_name?: string|null, ad_id?: string|null, ad_name?: string|null, property_id?: string|null, property_name?: string|null, slot_id?: string|null, slot_name?: string|null, country?: string|null, device?: string|null, format?: string|null, source?: string|null, surface?: string|null, reason?: string|null}
 * @phpstan-type ReviewDecision array{decision: string, reason: string|null, at: string, by: string}
 * @phpstan-type SdkKey array{id: string, property_id: string, kind: string, environment: string, is_test: bool, name: string, last4: string, created_by: string, created_at: string, last_used_at: string|null, expires_at: string|null, revoked_at: string|null, status: string, previous_key_id: string|null, rotation_due: bool, version: int, key: string|null, blocked_by: string|null}
 * @phpstan-type SdkKeyCreate array{property_id: string, kind: SdkKeyKind, environment: Environment, name: string, expires_at?: string|null}
 * @phpstan-type SdkKeyCreated array{id: string, property_id: string, kind: string, environment: string, is_test: bool, name: string, last4: string, created_by: string, created_at: string, last_used_at: string|null, expires_at: string|null, revoked_at: string|null, status: string, previous_key_id: string|null, rotation_due: bool, version: int, key: string, blocked_by: string|null}
 * @phpstan-type SdkKeyPage array{data: list<SdkKey>, has_more: bool, next_cursor: string|null}
 * @phpstan-type SegmentTargeting array{include?: list<string>, exclude?: list<string>}
 * @phpstan-type ServedAd array{decision_id: string, ad_id: string, campaign_id: string, slot_id: string, property_id: string, format: string, width: int|null, height: int|null, content: array<string, mixed>, html: string, track_token: string, impression_url: string, click_url: string, source: string, is_test: bool, ttl_seconds: int, viewability: Viewability, has_destination?: bool|null, tracking?: AdvertiserTracking|null, caps?: list<ClientFrequencyCap>|null, explain?: list<ServedCandidate>|null, consent?: ServedConsent|null, page_origin?: string|null}
 * @phpstan-type ServedCandidate array{campaign_id: string, ad_id: string, dropped_by: string|null, priority: string, ecpm_micros: int, turn: int|null, matched: list<string>, missed: list<string>}
 * @phpstan-type ServedConsent array{personal: bool, storage: bool, measurement: bool, why: list<string>}
 * @phpstan-type Size array{width: int, height: int}
 * @phpstan-type SizeInput array{width: int, height: int}
 * @phpstan-type Slot array{id: string, key: string, property_id: string, name: string, formats: list<string>, sizes: list<Size>, floor_cents: int, refresh_seconds: int|null, house_ad_id: string|null, blocked_advertiser_domains: list<string>, blocked_categories: list<string>, audio: AudioBreakLimits|null, separate_categories: bool, status: string, version: int, created_at: string, updated_at: string}
 * @phpstan-type SlotAnswer FilledSlot|UnfilledSlot
 * @phpstan-type SlotCreate array{property_id: string, key?: string|null, name: string, formats: list<AdFormat>, sizes?: list<SizeInput>, floor_cents?: int, refresh_seconds?: int|null, house_ad_id?: string|null, blocked_advertiser_domains?: list<string>, blocked_categories?: list<string>, audio?: AudioBreakLimitsInput|null, separate_categories?: bool}
 * @phpstan-type SlotPage array{data: list<Slot>, has_more: bool, next_cursor: string|null}
 * @phpstan-type SlotPatch array{name?: string, formats?: list<AdFormat>, sizes?: list<SizeInput>, floor_cents?: int, refresh_seconds?: int|null, house_ad_id?: string|null, blocked_advertiser_domains?: list<string>, blocked_categories?: list<string>, audio?: AudioBreakLimitsInput|null, separate_categories?: bool, status?: SlotStatus}
 * @phpstan-type SlotTargeting array{include?: list<string>, exclude?: list<string>}
 * @phpstan-type SnapshotPosition array{epoch: string, version: int}
 * @phpstan-type SnapshotStatus array{version: int, age_seconds: float|null}
 * @phpstan-type StitchBody array{slot: string, content?: StitchContent, breaks: list<StitchBreak>, listener?: StitchListener, output?: StitchOutput, ad_markers?: AdMarkers, session_id?: string|null}
 * @phpstan-type StitchBreak array{id: string, type: BreakType, offset_ms?: int|null, max_duration_ms?: int|null, max_ads?: int|null}
 * @phpstan-type StitchContent array{id?: string|null, url?: string|null, kind?: ContentKind, duration_ms?: int|null}
 * @phpstan-type StitchListener array{ip?: string|null, user_agent?: string|null, uid?: string|null, consent?: ListenerConsent}
 * @phpstan-type Stitched array{session_id: string, expires_at: string, content_type: string|null, url: string|null, filled_ms: int, breaks: list<StitchedBreak>}
 * @phpstan-type StitchedAd array{sequence: int, ad_id: string, campaign_id: string, duration_ms: int, media: list<StitchedMedia>, track_token: string|null, impression_url: string|null, click_url: string|null, tracking: StitchedTracking|null, companion: StitchedCompanion|null}
 * @phpstan-type StitchedBreak array{id: string, offset_ms: int|null, duration_ms: int, ads: list<StitchedAd>}
 * @phpstan-type StitchedCompanion array{image_url: string, width: int, height: int, alt: string}
 * @phpstan-type StitchedMedia array{url: string, mime: string, bitrate_kbps: int|null, duration_ms: int}
 * @phpstan-type StitchedTracking array{start: string, first_quartile: string, midpoint: string, third_quartile: string, complete: string}
 * @phpstan-type Targeting array{geo?: GeoTargeting|null, device?: DeviceTargeting|null, languages?: list<string>|null, dayparts?: list<Daypart>|null, slots?: SlotTargeting|null, keywords?: KeywordTargeting|null, key_values?: list<KeyValueTargeting>|null, segments?: SegmentTargeting|null}
 * @phpstan-type TrackError array{code: string, message: string}
 * @phpstan-type TrackRequest array{token: string, event: EventKind|QualitySignal, value_cents?: int|null, currency?: string|null, order_id?: string|null, ip?: string|null, ua?: string|null}
 * @phpstan-type TrackResult array{status: int, result?: string|null, error?: TrackError|null}
 * @phpstan-type UnfilledSlot array{slot: string, status: 'no_fill', reason?: string|null, decision_id?: string|null}
 * @phpstan-type UniversalAdId array{registry: string, value: string}
 * @phpstan-type Verification array{method: string|null, token: string|null, checked_at: string|null, last_error: string|null}
 * @phpstan-type VerificationRecord array{type: string, name: string, value: string}
 * @phpstan-type VerificationResult array{verified: bool, status: string, saw: list<VerificationSighting>, problem: string|null, message: string, next: string, property: PublisherProperty}
 * @phpstan-type VerificationSighting array{source: string, outcome: string, values: list<string>, status: int|null, redirects: list<string>}
 * @phpstan-type VerificationStart array{method: VerificationMethod}
 * @phpstan-type VerificationStarted array{method: string, token: string, record: VerificationRecord|null, tag: string|null, where: string}
 * @phpstan-type VideoAdCreate array{campaign_id: string, name: string, format: 'video', asset_ids?: array<string, string>, content: VideoContent, categories?: list<string>, tracking?: AdvertiserTrackingInput, click_url?: string|null, weight?: int, slot_ids?: list<string>, targeting?: Targeting}
 * @phpstan-type VideoContent array{wrapper?: Wrapper|null, media?: list<VideoRendition>, skip_offset_ms?: int|null, poster?: string|null, mezzanine?: Mezzanine|null, universal_ad_id?: UniversalAdId|null, companions?: list<Companion>, icons?: list<VideoIcon>, verifications?: list<AdVerification>}
 * @phpstan-type VideoIcon array{program: string, image_url: string, width: int, height: int, x_position?: string, y_position?: string, offset_ms?: int|null, duration_ms?: int|null, click_url?: string|null, view_urls?: list<string>}
 * @phpstan-type VideoRendition array{url?: string, mime?: string, width?: int, height?: int, bitrate_kbps?: int|null, duration_ms?: int}
 * @phpstan-type Viewability array{ratio: float, duration_ms: int}
 * @phpstan-type Wrapper array{url: string, duration_ms: int, fallback_on_no_ad?: bool, follow_additional_wrappers?: bool}
 */
final class Types
{
    /** @internal Fields of requests that are JSON objects, also when they are empty. */
    public const OBJECTS = [
        'asset_ids', 'attribution', 'audio', 'budget', 'companion', 'consent', 'content', 'context', 'flags',
        'geo', 'goal', 'kv', 'listener', 'metadata', 'mezzanine', 'min', 'opportunity', 'payout',
        'rate_limits', 'sdk', 'targeting', 'tracking', 'universal_ad_id', 'window', 'wrapper',
    ];

    /** @internal Fields of requests whose own keys are the caller's. */
    public const MAPS = [
        'asset_ids', 'flags', 'key_values', 'kv', 'metadata', 'min',
    ];
}
