<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of KeyBlock; others are added over time. */
final class KeyBlock
{
    public const ADDRESS_UNVERIFIED = 'address_unverified';
    public const PROPERTY_UNVERIFIED = 'property_unverified';
    public const PROPERTY_SUSPENDED = 'property_suspended';
}
