<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of SdkKeyKind; others are added over time. */
final class SdkKeyKind
{
    public const PUBLISHABLE = 'publishable';
    public const SECRET = 'secret';
}
