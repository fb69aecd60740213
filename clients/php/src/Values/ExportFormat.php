<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of ExportFormat; others are added over time. */
final class ExportFormat
{
    public const CSV = 'csv';
    public const NDJSON = 'ndjson';
    public const PARQUET = 'parquet';
}
