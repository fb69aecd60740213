<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of ExportStatus; others are added over time. */
final class ExportStatus
{
    public const QUEUED = 'queued';
    public const RUNNING = 'running';
    public const READY = 'ready';
    public const FAILED = 'failed';
    public const EXPIRED = 'expired';
}
