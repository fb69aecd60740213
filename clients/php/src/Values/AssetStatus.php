<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of AssetStatus; others are added over time. */
final class AssetStatus
{
    public const UPLOADING = 'uploading';
    public const PROCESSING = 'processing';
    public const READY = 'ready';
    public const REJECTED = 'rejected';
    public const ARCHIVED = 'archived';
}
