<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type Caller from \Placard\Types
 * @phpstan-import-type Environment from \Placard\Types
 * @phpstan-import-type IntegrationStatus from \Placard\Types
 */
class CallerOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Identify the caller.
     *
     * @return Caller
     */
    public function get(): array
    {
        return $this->transport->request(new Call('GET', '/v1/me', repeatable: true));
    }

    /**
     * Read the integration status.
     *
     * @param array{property_id?: string, environment?: Environment} $query
     * @return IntegrationStatus
     */
    public function status(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/integration/status', query: $query, repeatable: true));
    }
}
