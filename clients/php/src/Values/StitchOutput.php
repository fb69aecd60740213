<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of StitchOutput; others are added over time. */
final class StitchOutput
{
    public const PLAN = 'plan';
    public const VAST = 'vast';
    public const HLS = 'hls';
    public const FILE = 'file';
}
