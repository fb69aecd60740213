<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of Weekday; others are added over time. */
final class Weekday
{
    public const MON = 'mon';
    public const TUE = 'tue';
    public const WED = 'wed';
    public const THU = 'thu';
    public const FRI = 'fri';
    public const SAT = 'sat';
    public const SUN = 'sun';
}
