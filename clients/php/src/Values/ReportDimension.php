<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of ReportDimension; others are added over time. */
final class ReportDimension
{
    public const CAMPAIGN = 'campaign';
    public const AD = 'ad';
    public const PROPERTY = 'property';
    public const SLOT = 'slot';
    public const COUNTRY = 'country';
    public const DEVICE = 'device';
    public const FORMAT = 'format';
    public const SOURCE = 'source';
    public const SURFACE = 'surface';
    public const REASON = 'reason';
}
