<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of CampaignDeliveryStatus; others are added over time. */
final class CampaignDeliveryStatus
{
    public const SCHEDULED = 'scheduled';
    public const DELIVERING = 'delivering';
    public const NOT_DELIVERING = 'not_delivering';
    public const BUDGET_EXHAUSTED_TODAY = 'budget_exhausted_today';
    public const BUDGET_EXHAUSTED = 'budget_exhausted';
    public const ENDED = 'ended';
    public const NO_ADS = 'no_ads';
    public const BLOCKED = 'blocked';
}
