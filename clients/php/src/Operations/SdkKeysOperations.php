<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type Environment from \Placard\Types
 * @phpstan-import-type KeyPatch from \Placard\Types
 * @phpstan-import-type KeyStatus from \Placard\Types
 * @phpstan-import-type SdkKey from \Placard\Types
 * @phpstan-import-type SdkKeyCreate from \Placard\Types
 * @phpstan-import-type SdkKeyCreated from \Placard\Types
 * @phpstan-import-type SdkKeyKind from \Placard\Types
 * @phpstan-import-type SdkKeyPage from \Placard\Types
 */
class SdkKeysOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List SDK keys: the items of all pages, each page requested when it is needed.
     *
     * @param array{property_id?: string, environment?: Environment, status?: KeyStatus, q?: string, limit?: int, cursor?: string, kind?: SdkKeyKind} $query
     * @return \Generator<int, SdkKey>
     */
    public function list(array $query = []): \Generator
    {
        return $this->transport->items('/v1/sdk-keys', $query);
    }

    /**
     * List SDK keys: one page.
     *
     * @param array{property_id?: string, environment?: Environment, status?: KeyStatus, q?: string, limit?: int, cursor?: string, kind?: SdkKeyKind} $query
     * @return SdkKeyPage
     */
    public function listPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/sdk-keys', query: $query, repeatable: true));
    }

    /**
     * Create an SDK key.
     *
     * @param SdkKeyCreate $body
     * @return SdkKeyCreated
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/sdk-keys', body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Read an SDK key.
     *
     * @return SdkKey
     */
    public function get(string $keyId): array
    {
        return $this->transport->request(new Call('GET', '/v1/sdk-keys/' . rawurlencode($keyId), repeatable: true));
    }

    /**
     * Change an SDK key.
     *
     * @param KeyPatch $body
     * @return SdkKey
     */
    public function update(string $keyId, array $body, int $version): array
    {
        return $this->transport->request(new Call('PATCH', '/v1/sdk-keys/' . rawurlencode($keyId), body: $body, version: $version));
    }

    /**
     * Rotate an SDK key.
     *
     * @return SdkKeyCreated
     */
    public function rotate(string $keyId, ?string $idempotencyKey = null, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/sdk-keys/' . rawurlencode($keyId) . '/rotate', version: $version, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Revoke an SDK key.
     *
     * @return SdkKey
     */
    public function revoke(string $keyId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/sdk-keys/' . rawurlencode($keyId) . '/revoke', version: $version));
    }
}
