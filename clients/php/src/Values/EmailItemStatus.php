<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of EmailItemStatus; others are added over time. */
final class EmailItemStatus
{
    public const FILLED = 'filled';
    public const NO_FILL = 'no_fill';
}
