<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of ContentKind; others are added over time. */
final class ContentKind
{
    public const PROGRESSIVE = 'progressive';
    public const HLS = 'hls';
    public const NONE = 'none';
}
