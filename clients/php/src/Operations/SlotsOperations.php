<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type Slot from \Placard\Types
 * @phpstan-import-type SlotCreate from \Placard\Types
 * @phpstan-import-type SlotPage from \Placard\Types
 * @phpstan-import-type SlotPatch from \Placard\Types
 * @phpstan-import-type SlotStatus from \Placard\Types
 */
class SlotsOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List slots: the items of all pages, each page requested when it is needed.
     *
     * @param array{property_id?: string, status?: SlotStatus, key?: string, q?: string, limit?: int, cursor?: string} $query
     * @return \Generator<int, Slot>
     */
    public function list(array $query = []): \Generator
    {
        return $this->transport->items('/v1/slots', $query);
    }

    /**
     * List slots: one page.
     *
     * @param array{property_id?: string, status?: SlotStatus, key?: string, q?: string, limit?: int, cursor?: string} $query
     * @return SlotPage
     */
    public function listPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/slots', query: $query, repeatable: true));
    }

    /**
     * Create a slot.
     *
     * @param SlotCreate $body
     * @return Slot
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/slots', body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Read a slot.
     *
     * @return Slot
     */
    public function get(string $slotId): array
    {
        return $this->transport->request(new Call('GET', '/v1/slots/' . rawurlencode($slotId), repeatable: true));
    }

    /**
     * Change a slot.
     *
     * @param SlotPatch $body
     * @return Slot
     */
    public function update(string $slotId, array $body, int $version): array
    {
        return $this->transport->request(new Call('PATCH', '/v1/slots/' . rawurlencode($slotId), body: $body, version: $version));
    }
}
