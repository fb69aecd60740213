<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of Browser; others are added over time. */
final class Browser
{
    public const CHROME = 'chrome';
    public const SAFARI = 'safari';
    public const FIREFOX = 'firefox';
    public const EDGE = 'edge';
    public const OPERA = 'opera';
    public const SAMSUNG = 'samsung';
    public const OTHER = 'other';
}
