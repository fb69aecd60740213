<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of KeyStatus; others are added over time. */
final class KeyStatus
{
    public const ACTIVE = 'active';
    public const EXPIRED = 'expired';
    public const REVOKED = 'revoked';
}
