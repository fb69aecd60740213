<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of OperatingSystem; others are added over time. */
final class OperatingSystem
{
    public const WINDOWS = 'windows';
    public const MACOS = 'macos';
    public const LINUX = 'linux';
    public const IOS = 'ios';
    public const ANDROID = 'android';
    public const CHROMEOS = 'chromeos';
    public const OTHER = 'other';
}
