<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of DeliveryPace; others are added over time. */
final class DeliveryPace
{
    public const AHEAD = 'ahead';
    public const ON_TRACK = 'on_track';
    public const BEHIND = 'behind';
}
