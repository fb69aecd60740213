<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of AdMarkers; others are added over time. */
final class AdMarkers
{
    public const DISCONTINUITY = 'discontinuity';
    public const INTERSTITIAL = 'interstitial';
}
