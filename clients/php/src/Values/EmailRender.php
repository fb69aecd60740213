<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of EmailRender; others are added over time. */
final class EmailRender
{
    public const FIXED = 'fixed';
    public const ON_OPEN = 'on_open';
}
