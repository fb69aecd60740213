<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type BulkCampaignAction from \Placard\Types
 * @phpstan-import-type BulkCampaignResults from \Placard\Types
 * @phpstan-import-type Campaign from \Placard\Types
 * @phpstan-import-type CampaignClone from \Placard\Types
 * @phpstan-import-type CampaignCreate from \Placard\Types
 * @phpstan-import-type CampaignDelivery from \Placard\Types
 * @phpstan-import-type CampaignPage from \Placard\Types
 * @phpstan-import-type CampaignPatch from \Placard\Types
 * @phpstan-import-type CampaignSort from \Placard\Types
 * @phpstan-import-type CampaignStatus from \Placard\Types
 * @phpstan-import-type Environment from \Placard\Types
 * @phpstan-import-type Forecast from \Placard\Types
 * @phpstan-import-type ForecastCreate from \Placard\Types
 * @phpstan-import-type Objective from \Placard\Types
 */
class CampaignsOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List campaigns: the items of all pages, each page requested when it is needed.
     *
     * @param array{environment?: Environment, status?: CampaignStatus, objective?: Objective, external_ref?: string, property_id?: string, q?: string, updated_since?: string, sort?: CampaignSort, limit?: int, cursor?: string} $query
     * @return \Generator<int, Campaign>
     */
    public function list(array $query = []): \Generator
    {
        return $this->transport->items('/v1/campaigns', $query);
    }

    /**
     * List campaigns: one page.
     *
     * @param array{environment?: Environment, status?: CampaignStatus, objective?: Objective, external_ref?: string, property_id?: string, q?: string, updated_since?: string, sort?: CampaignSort, limit?: int, cursor?: string} $query
     * @return CampaignPage
     */
    public function listPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/campaigns', query: $query, repeatable: true));
    }

    /**
     * Create a campaign.
     *
     * @param CampaignCreate $body
     * @param array{environment?: Environment} $query
     * @return Campaign
     */
    public function create(array $body, array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/campaigns', query: $query, body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Read a campaign.
     *
     * @return Campaign
     */
    public function get(string $campaignId): array
    {
        return $this->transport->request(new Call('GET', '/v1/campaigns/' . rawurlencode($campaignId), repeatable: true));
    }

    /**
     * Change a campaign.
     *
     * @param CampaignPatch $body
     * @return Campaign
     */
    public function update(string $campaignId, array $body, int $version): array
    {
        return $this->transport->request(new Call('PATCH', '/v1/campaigns/' . rawurlencode($campaignId), body: $body, version: $version));
    }

    /**
     * Activate a campaign.
     *
     * @return Campaign
     */
    public function activate(string $campaignId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/campaigns/' . rawurlencode($campaignId) . '/activate', version: $version));
    }

    /**
     * Pause a campaign.
     *
     * @return Campaign
     */
    public function pause(string $campaignId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/campaigns/' . rawurlencode($campaignId) . '/pause', version: $version));
    }

    /**
     * Resume a campaign.
     *
     * @return Campaign
     */
    public function resume(string $campaignId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/campaigns/' . rawurlencode($campaignId) . '/resume', version: $version));
    }

    /**
     * Archive a campaign.
     *
     * @return Campaign
     */
    public function archive(string $campaignId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/campaigns/' . rawurlencode($campaignId) . '/archive', version: $version));
    }

    /**
     * Clone a campaign.
     *
     * @param CampaignClone $body
     * @return Campaign
     */
    public function clone(string $campaignId, array $body, ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/campaigns/' . rawurlencode($campaignId) . '/clone', body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Read the delivery of a campaign.
     *
     * @return CampaignDelivery
     */
    public function delivery(string $campaignId): array
    {
        return $this->transport->request(new Call('GET', '/v1/campaigns/' . rawurlencode($campaignId) . '/delivery', repeatable: true));
    }

    /**
     * Forecast a campaign.
     *
     * @param ForecastCreate $body
     * @param array{environment?: Environment} $query
     * @return Forecast
     */
    public function forecast(array $body, array $query = []): array
    {
        return $this->transport->request(new Call('POST', '/v1/campaigns/forecast', query: $query, body: $body, repeatable: true));
    }

    /**
     * Pause, resume or archive many campaigns.
     *
     * @param BulkCampaignAction $body
     * @return BulkCampaignResults
     */
    public function bulk(array $body): array
    {
        return $this->transport->request(new Call('POST', '/v1/campaigns/bulk', body: $body));
    }
}
