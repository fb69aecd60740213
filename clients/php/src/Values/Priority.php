<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of Priority; others are added over time. */
final class Priority
{
    public const SPONSORSHIP = 'sponsorship';
    public const STANDARD = 'standard';
    public const AUCTION = 'auction';
    public const HOUSE = 'house';
}
