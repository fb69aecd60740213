<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of CampaignSort; others are added over time. */
final class CampaignSort
{
    public const CREATED_AT_DESCENDING = '-created_at';
    public const CREATED_AT = 'created_at';
    public const NAME = 'name';
    public const NAME_DESCENDING = '-name';
    public const UPDATED_AT_DESCENDING = '-updated_at';
    public const UPDATED_AT = 'updated_at';
}
