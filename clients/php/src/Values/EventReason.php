<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of EventReason; others are added over time. */
final class EventReason
{
    public const OK = 'ok';
    public const OK_TEST = 'ok_test';
    public const OK_OVER_BUDGET = 'ok_over_budget';
    public const OK_CONSENT_LIMITED = 'ok_consent_limited';
    public const OK_LATE = 'ok_late';
    public const BOT_USER_AGENT = 'bot_user_agent';
    public const UNKNOWN_USER_AGENT = 'unknown_user_agent';
    public const MISSING_USER_AGENT = 'missing_user_agent';
    public const DATACENTER_IP = 'datacenter_ip';
    public const PREFETCH = 'prefetch';
    public const INTERNAL_TRAFFIC = 'internal_traffic';
    public const RATE_EXCEEDED = 'rate_exceeded';
    public const DUPLICATE_CLICK = 'duplicate_click';
    public const DUPLICATE_IMPRESSION = 'duplicate_impression';
    public const CLICK_TOO_FAST = 'click_too_fast';
    public const ORIGIN_MISMATCH = 'origin_mismatch';
    public const CONSENT_DENIED = 'consent_denied';
    public const CAMPAIGN_ENDED = 'campaign_ended';
    public const CLOCK_SKEW = 'clock_skew';
    public const MAIL_PRIVACY_PROXY = 'mail_privacy_proxy';
    public const MAIL_LINK_SCANNER = 'mail_link_scanner';
    public const RETRACTED = 'retracted';
}
