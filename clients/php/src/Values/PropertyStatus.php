<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of PropertyStatus; others are added over time. */
final class PropertyStatus
{
    public const UNVERIFIED = 'unverified';
    public const VERIFIED = 'verified';
    public const SUSPENDED = 'suspended';
}
