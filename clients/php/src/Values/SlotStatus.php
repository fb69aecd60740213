<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of SlotStatus; others are added over time. */
final class SlotStatus
{
    public const ACTIVE = 'active';
    public const ARCHIVED = 'archived';
}
