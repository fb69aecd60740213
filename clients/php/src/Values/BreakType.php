<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of BreakType; others are added over time. */
final class BreakType
{
    public const PRE = 'pre';
    public const MID = 'mid';
    public const POST = 'post';
}
