<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type PropertyCreate from \Placard\Types
 * @phpstan-import-type PropertyKind from \Placard\Types
 * @phpstan-import-type PropertyPatch from \Placard\Types
 * @phpstan-import-type PropertyStatus from \Placard\Types
 * @phpstan-import-type PublisherProperty from \Placard\Types
 * @phpstan-import-type PublisherPropertyPage from \Placard\Types
 * @phpstan-import-type VerificationResult from \Placard\Types
 * @phpstan-import-type VerificationStart from \Placard\Types
 * @phpstan-import-type VerificationStarted from \Placard\Types
 */
class PropertiesOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List properties: the items of all pages, each page requested when it is needed.
     *
     * @param array{status?: PropertyStatus, kind?: PropertyKind, domain?: string, q?: string, limit?: int, cursor?: string} $query
     * @return \Generator<int, PublisherProperty>
     */
    public function list(array $query = []): \Generator
    {
        return $this->transport->items('/v1/properties', $query);
    }

    /**
     * List properties: one page.
     *
     * @param array{status?: PropertyStatus, kind?: PropertyKind, domain?: string, q?: string, limit?: int, cursor?: string} $query
     * @return PublisherPropertyPage
     */
    public function listPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/properties', query: $query, repeatable: true));
    }

    /**
     * Create a property.
     *
     * @param PropertyCreate $body
     * @return PublisherProperty
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/properties', body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Read a property.
     *
     * @return PublisherProperty
     */
    public function get(string $propertyId): array
    {
        return $this->transport->request(new Call('GET', '/v1/properties/' . rawurlencode($propertyId), repeatable: true));
    }

    /**
     * Change a property.
     *
     * @param PropertyPatch $body
     * @return PublisherProperty
     */
    public function update(string $propertyId, array $body, int $version): array
    {
        return $this->transport->request(new Call('PATCH', '/v1/properties/' . rawurlencode($propertyId), body: $body, version: $version));
    }

    /**
     * Start domain verification.
     *
     * @param VerificationStart $body
     * @return VerificationStarted
     */
    public function startVerification(string $propertyId, array $body, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/properties/' . rawurlencode($propertyId) . '/verification', body: $body, version: $version));
    }

    /**
     * Check domain verification.
     *
     * @return VerificationResult
     */
    public function verify(string $propertyId, ?int $version = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/properties/' . rawurlencode($propertyId) . '/verify', version: $version));
    }
}
