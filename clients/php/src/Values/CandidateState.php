<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of CandidateState; others are added over time. */
final class CandidateState
{
    public const WON = 'won';
    public const FITS = 'fits';
    public const DROPPED = 'dropped';
}
