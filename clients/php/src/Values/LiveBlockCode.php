<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of LiveBlockCode; others are added over time. */
final class LiveBlockCode
{
    public const ADDRESS_UNVERIFIED = 'address_unverified';
    public const PROPERTY_UNVERIFIED = 'property_unverified';
    public const PROPERTY_SUSPENDED = 'property_suspended';
    public const ACCOUNT_STOPPED = 'account_stopped';
    public const PAYMENT_OVERDUE = 'payment_overdue';
}
