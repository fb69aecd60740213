<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of NoFillReason; others are added over time. */
final class NoFillReason
{
    public const NO_CANDIDATE = 'no_candidate';
    public const ACCOUNT_STOPPED = 'account_stopped';
    public const NO_FUNDS = 'no_funds';
    public const DEMO_NEVER_FILLS = 'demo_never_fills';
    public const SLOT_ARCHIVED = 'slot_archived';
    public const STALE_SNAPSHOT = 'stale_snapshot';
    public const SPOOL_FULL = 'spool_full';
    public const CAMPAIGN_NOT_ACTIVE = 'campaign_not_active';
    public const AD_NOT_ACTIVE = 'ad_not_active';
    public const OUT_OF_FLIGHT = 'out_of_flight';
    public const NOT_SUPPORTED_YET = 'not_supported_yet';
    public const BUDGET_SPENT = 'budget_spent';
    public const FORMAT_MISMATCH = 'format_mismatch';
    public const SIZE_MISMATCH = 'size_mismatch';
    public const SLOT_NOT_TARGETED = 'slot_not_targeted';
    public const BLOCKED_ADVERTISER = 'blocked_advertiser';
    public const BLOCKED_CATEGORY = 'blocked_category';
    public const BLOCKED_AD = 'blocked_ad';
    public const BELOW_FLOOR = 'below_floor';
    public const GEO_NOT_TARGETED = 'geo_not_targeted';
    public const DEVICE_NOT_TARGETED = 'device_not_targeted';
    public const LANGUAGE_NOT_TARGETED = 'language_not_targeted';
    public const DAYPART_NOT_TARGETED = 'daypart_not_targeted';
    public const KEYWORDS_NOT_TARGETED = 'keywords_not_targeted';
    public const KEY_VALUES_NOT_TARGETED = 'key_values_not_targeted';
    public const SEGMENTS_NOT_TARGETED = 'segments_not_targeted';
    public const UNFIT_FOR_CHILDREN = 'unfit_for_children';
    public const ADVERTISER_ALREADY_SHOWN = 'advertiser_already_shown';
    public const CATEGORY_ALREADY_SHOWN = 'category_already_shown';
    public const DURATION_MISMATCH = 'duration_mismatch';
    public const SHARE_OF_VOICE = 'share_of_voice';
    public const GOAL_REACHED = 'goal_reached';
    public const PACED = 'paced';
    public const FREQUENCY_CAPPED = 'frequency_capped';
    public const CAP_NOT_KNOWN = 'cap_not_known';
}
