<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of PricingModel; others are added over time. */
final class PricingModel
{
    public const CPM = 'cpm';
    public const CPC = 'cpc';
    public const CPA = 'cpa';
    public const FLAT_RATE = 'flat_rate';
}
