<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of EmailMode; others are added over time. */
final class EmailMode
{
    public const PER_SEND = 'per_send';
    public const PER_RECIPIENT = 'per_recipient';
}
