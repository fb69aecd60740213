<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of ReportMetric; others are added over time. */
final class ReportMetric
{
    public const REQUESTS = 'requests';
    public const FILLS = 'fills';
    public const NO_FILLS = 'no_fills';
    public const FILL_RATE = 'fill_rate';
    public const IMPRESSIONS = 'impressions';
    public const VIEWABLE_IMPRESSIONS = 'viewable_impressions';
    public const CLICKS = 'clicks';
    public const CONVERSIONS = 'conversions';
    public const CLICK_THROUGH_CONVERSIONS = 'click_through_conversions';
    public const VIEW_THROUGH_CONVERSIONS = 'view_through_conversions';
    public const INVALID_IMPRESSIONS = 'invalid_impressions';
    public const INVALID_CLICKS = 'invalid_clicks';
    public const SPEND_CENTS = 'spend_cents';
    public const EARNINGS_CENTS = 'earnings_cents';
    public const CONVERSION_VALUE_CENTS = 'conversion_value_cents';
    public const CTR = 'ctr';
    public const CVR = 'cvr';
    public const ECPM_CENTS = 'ecpm_cents';
    public const STARTS = 'starts';
    public const FIRST_QUARTILES = 'first_quartiles';
    public const MIDPOINTS = 'midpoints';
    public const THIRD_QUARTILES = 'third_quartiles';
    public const COMPLETES = 'completes';
    public const SKIPS = 'skips';
    public const ERRORS = 'errors';
    public const VIEWABLE_RATE = 'viewable_rate';
    public const START_RATE = 'start_rate';
    public const FIRST_QUARTILE_RATE = 'first_quartile_rate';
    public const MIDPOINT_RATE = 'midpoint_rate';
    public const THIRD_QUARTILE_RATE = 'third_quartile_rate';
    public const COMPLETION_RATE = 'completion_rate';
    public const SKIP_RATE = 'skip_rate';
    public const ERROR_RATE = 'error_rate';
}
