<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of AdFormat; others are added over time. */
final class AdFormat
{
    public const BANNER = 'banner';
    public const HTML = 'html';
    public const NATIVE = 'native';
    public const AUDIO = 'audio';
    public const VIDEO = 'video';
    public const EMAIL = 'email';
}
