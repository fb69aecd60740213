<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of CampaignStatus; others are added over time. */
final class CampaignStatus
{
    public const DRAFT = 'draft';
    public const PENDING_REVIEW = 'pending_review';
    public const ACTIVE = 'active';
    public const PAUSED = 'paused';
    public const COMPLETED = 'completed';
    public const REJECTED = 'rejected';
    public const ARCHIVED = 'archived';
}
