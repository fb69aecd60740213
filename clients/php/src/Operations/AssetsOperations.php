<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type Asset from \Placard\Types
 * @phpstan-import-type AssetCreate from \Placard\Types
 * @phpstan-import-type AssetCreated from \Placard\Types
 * @phpstan-import-type AssetKind from \Placard\Types
 * @phpstan-import-type AssetPage from \Placard\Types
 * @phpstan-import-type AssetPatch from \Placard\Types
 * @phpstan-import-type AssetStatus from \Placard\Types
 * @phpstan-import-type Environment from \Placard\Types
 */
class AssetsOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List assets: the items of all pages, each page requested when it is needed.
     *
     * @param array{environment?: Environment, kind?: AssetKind, status?: AssetStatus, q?: string, limit?: int, cursor?: string} $query
     * @return \Generator<int, Asset>
     */
    public function list(array $query = []): \Generator
    {
        return $this->transport->items('/v1/assets', $query);
    }

    /**
     * List assets: one page.
     *
     * @param array{environment?: Environment, kind?: AssetKind, status?: AssetStatus, q?: string, limit?: int, cursor?: string} $query
     * @return AssetPage
     */
    public function listPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/assets', query: $query, repeatable: true));
    }

    /**
     * Upload a file, or request an upload URL.
     *
     * @param AssetCreate $body
     * @param array{environment?: Environment} $query
     * @return AssetCreated
     */
    public function create(array $body, array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/assets', query: $query, body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Read an asset.
     *
     * @return Asset
     */
    public function get(string $assetId): array
    {
        return $this->transport->request(new Call('GET', '/v1/assets/' . rawurlencode($assetId), repeatable: true));
    }

    /**
     * Change an asset.
     *
     * @param AssetPatch $body
     * @return Asset
     */
    public function update(string $assetId, array $body): array
    {
        return $this->transport->request(new Call('PATCH', '/v1/assets/' . rawurlencode($assetId), body: $body));
    }

    /**
     * Complete an upload.
     *
     * @return Asset
     */
    public function complete(string $assetId): array
    {
        return $this->transport->request(new Call('POST', '/v1/assets/' . rawurlencode($assetId) . '/complete'));
    }

    /**
     * Archive an asset.
     *
     * @return Asset
     */
    public function archive(string $assetId): array
    {
        return $this->transport->request(new Call('POST', '/v1/assets/' . rawurlencode($assetId) . '/archive'));
    }
}
