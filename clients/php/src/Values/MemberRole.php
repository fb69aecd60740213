<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of MemberRole; others are added over time. */
final class MemberRole
{
    public const OWNER = 'owner';
    public const ADMIN = 'admin';
    public const MANAGER = 'manager';
    public const ANALYST = 'analyst';
    public const FINANCE = 'finance';
}
