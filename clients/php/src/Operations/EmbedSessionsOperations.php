<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type EmbedSessionCreate from \Placard\Types
 * @phpstan-import-type EmbedSessionCreated from \Placard\Types
 */
class EmbedSessionsOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Create an embed session.
     *
     * @param EmbedSessionCreate $body
     * @return EmbedSessionCreated
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/embed/sessions', body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }
}
