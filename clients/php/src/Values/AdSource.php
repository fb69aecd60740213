<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of AdSource; others are added over time. */
final class AdSource
{
    public const SPONSORSHIP = 'sponsorship';
    public const DIRECT = 'direct';
    public const AUCTION = 'auction';
    public const HOUSE = 'house';
    public const PREVIEW = 'preview';
}
