<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of ExportKind; others are added over time. */
final class ExportKind
{
    public const REPORT = 'report';
    public const EVENTS = 'events';
}
