<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of EventKind; others are added over time. */
final class EventKind
{
    public const IMPRESSION = 'impression';
    public const CLICK = 'click';
    public const CONVERSION = 'conversion';
}
