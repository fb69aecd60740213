<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of Language; others are added over time. */
final class Language
{
    public const EN = 'en';
    public const ES = 'es';
    public const PT_BR = 'pt-BR';
}
