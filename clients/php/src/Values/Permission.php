<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of Permission; others are added over time. */
final class Permission
{
    public const CAMPAIGN_READ = 'campaign:read';
    public const CAMPAIGN_WRITE = 'campaign:write';
    public const AD_READ = 'ad:read';
    public const AD_WRITE = 'ad:write';
    public const ASSET_READ = 'asset:read';
    public const ASSET_WRITE = 'asset:write';
    public const PROPERTY_READ = 'property:read';
    public const REPORTS_READ = 'reports:read';
    public const PROPERTY_WRITE = 'property:write';
    public const KEY_READ = 'key:read';
    public const KEY_WRITE = 'key:write';
    public const MEMBER_READ = 'member:read';
    public const MEMBER_WRITE = 'member:write';
    public const BILLING_READ = 'billing:read';
    public const BILLING_WRITE = 'billing:write';
    public const EVENT_READ = 'event:read';
    public const ACCOUNT_WRITE = 'account:write';
    public const AUDIT_READ = 'audit:read';
    public const PLATFORM_READ = 'platform:read';
    public const PLATFORM_WRITE = 'platform:write';
}
