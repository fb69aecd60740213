<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type DecisionExplanation from \Placard\Types
 * @phpstan-import-type DecisionQuestion from \Placard\Types
 */
class DecisionsOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Explain a decision.
     *
     * @param DecisionQuestion $body
     * @return DecisionExplanation
     */
    public function explain(array $body): array
    {
        return $this->transport->request(new Call('POST', '/v1/decisions/explain', body: $body, repeatable: true));
    }
}
