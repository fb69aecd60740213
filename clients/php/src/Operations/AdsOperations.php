<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type Ad from \Placard\Types
 * @phpstan-import-type AdCreate from \Placard\Types
 * @phpstan-import-type AdFormat from \Placard\Types
 * @phpstan-import-type AdPage from \Placard\Types
 * @phpstan-import-type AdPatch from \Placard\Types
 * @phpstan-import-type AdStatus from \Placard\Types
 * @phpstan-import-type Environment from \Placard\Types
 */
class AdsOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List ads: the items of all pages, each page requested when it is needed.
     *
     * @param array{environment?: Environment, campaign_id?: string, status?: AdStatus, format?: AdFormat, q?: string, limit?: int, cursor?: string} $query
     * @return \Generator<int, Ad>
     */
    public function list(array $query = []): \Generator
    {
        return $this->transport->items('/v1/ads', $query);
    }

    /**
     * List ads: one page.
     *
     * @param array{environment?: Environment, campaign_id?: string, status?: AdStatus, format?: AdFormat, q?: string, limit?: int, cursor?: string} $query
     * @return AdPage
     */
    public function listPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/ads', query: $query, repeatable: true));
    }

    /**
     * Create an ad.
     *
     * @param AdCreate $body
     * @param array{environment?: Environment} $query
     * @return Ad
     */
    public function create(array $body, array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/ads', query: $query, body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Read an ad.
     *
     * @return Ad
     */
    public function get(string $adId): array
    {
        return $this->transport->request(new Call('GET', '/v1/ads/' . rawurlencode($adId), repeatable: true));
    }

    /**
     * Change an ad.
     *
     * @param AdPatch $body
     * @return Ad
     */
    public function update(string $adId, array $body, int $version): array
    {
        return $this->transport->request(new Call('PATCH', '/v1/ads/' . rawurlencode($adId), body: $body, version: $version));
    }

    /**
     * Activate an ad.
     *
     * @return Ad
     */
    public function activate(string $adId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/ads/' . rawurlencode($adId) . '/activate', version: $version));
    }

    /**
     * Pause an ad.
     *
     * @return Ad
     */
    public function pause(string $adId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/ads/' . rawurlencode($adId) . '/pause', version: $version));
    }

    /**
     * Resume an ad.
     *
     * @return Ad
     */
    public function resume(string $adId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/ads/' . rawurlencode($adId) . '/resume', version: $version));
    }

    /**
     * Archive an ad.
     *
     * @return Ad
     */
    public function archive(string $adId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/ads/' . rawurlencode($adId) . '/archive', version: $version));
    }
}
