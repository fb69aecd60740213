<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of Objective; others are added over time. */
final class Objective
{
    public const AWARENESS = 'awareness';
    public const TRAFFIC = 'traffic';
    public const ENGAGEMENT = 'engagement';
    public const LEADS = 'leads';
    public const CONVERSIONS = 'conversions';
    public const APP_PROMOTION = 'app_promotion';
}
