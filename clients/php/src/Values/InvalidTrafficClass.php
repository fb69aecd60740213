<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of InvalidTrafficClass; others are added over time. */
final class InvalidTrafficClass
{
    public const NONE = 'none';
    public const GIVT = 'givt';
    public const SIVT = 'sivt';
}
