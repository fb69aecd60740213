<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of Pacing; others are added over time. */
final class Pacing
{
    public const EVEN = 'even';
    public const ASAP = 'asap';
    public const FRONT_LOADED = 'front_loaded';
}
