<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of QualitySignal; others are added over time. */
final class QualitySignal
{
    public const VIEWABLE = 'viewable';
    public const START = 'start';
    public const FIRST_QUARTILE = 'first_quartile';
    public const MIDPOINT = 'midpoint';
    public const THIRD_QUARTILE = 'third_quartile';
    public const COMPLETE = 'complete';
    public const SKIP = 'skip';
    public const ERROR = 'error';
}
