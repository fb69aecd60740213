<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of Surface; others are added over time. */
final class Surface
{
    public const WEB = 'web';
    public const IOS = 'ios';
    public const ANDROID = 'android';
    public const FLUTTER = 'flutter';
    public const SERVER = 'server';
    public const EMAIL = 'email';
    public const AUDIO = 'audio';
    public const AMP = 'amp';
    public const CTV = 'ctv';
}
