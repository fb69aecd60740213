<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type Environment from \Placard\Types
 * @phpstan-import-type IntegrationKey from \Placard\Types
 * @phpstan-import-type IntegrationKeyCreate from \Placard\Types
 * @phpstan-import-type IntegrationKeyCreated from \Placard\Types
 * @phpstan-import-type IntegrationKeyPage from \Placard\Types
 * @phpstan-import-type KeyPatch from \Placard\Types
 * @phpstan-import-type KeyStatus from \Placard\Types
 */
class IntegrationKeysOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List integration keys: the items of all pages, each page requested when it is needed.
     *
     * @param array{property_id?: string, environment?: Environment, status?: KeyStatus, q?: string, limit?: int, cursor?: string} $query
     * @return \Generator<int, IntegrationKey>
     */
    public function list(array $query = []): \Generator
    {
        return $this->transport->items('/v1/integration-keys', $query);
    }

    /**
     * List integration keys: one page.
     *
     * @param array{property_id?: string, environment?: Environment, status?: KeyStatus, q?: string, limit?: int, cursor?: string} $query
     * @return IntegrationKeyPage
     */
    public function listPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/integration-keys', query: $query, repeatable: true));
    }

    /**
     * Create an integration key.
     *
     * @param IntegrationKeyCreate $body
     * @return IntegrationKeyCreated
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/integration-keys', body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Read an integration key.
     *
     * @return IntegrationKey
     */
    public function get(string $keyId): array
    {
        return $this->transport->request(new Call('GET', '/v1/integration-keys/' . rawurlencode($keyId), repeatable: true));
    }

    /**
     * Change an integration key.
     *
     * @param KeyPatch $body
     * @return IntegrationKey
     */
    public function update(string $keyId, array $body, int $version): array
    {
        return $this->transport->request(new Call('PATCH', '/v1/integration-keys/' . rawurlencode($keyId), body: $body, version: $version));
    }

    /**
     * Rotate an integration key.
     *
     * @return IntegrationKeyCreated
     */
    public function rotate(string $keyId, ?string $idempotencyKey = null, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/integration-keys/' . rawurlencode($keyId) . '/rotate', version: $version, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Revoke an integration key.
     *
     * @return IntegrationKey
     */
    public function revoke(string $keyId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/integration-keys/' . rawurlencode($keyId) . '/revoke', version: $version));
    }
}
