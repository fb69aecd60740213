<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of PropertyKind; others are added over time. */
final class PropertyKind
{
    public const WEB = 'web';
    public const APP = 'app';
    public const EMAIL = 'email';
    public const AUDIO = 'audio';
    public const CTV = 'ctv';
}
