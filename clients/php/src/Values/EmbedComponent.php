<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of EmbedComponent; others are added over time. */
final class EmbedComponent
{
    public const CAMPAIGN_CREATE = 'campaign_create';
    public const CAMPAIGN_EDIT = 'campaign_edit';
    public const CAMPAIGN_LIST = 'campaign_list';
    public const AD_CREATE = 'ad_create';
    public const REPORT_OVERVIEW = 'report_overview';
}
