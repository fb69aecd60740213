<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type Environment from \Placard\Types
 * @phpstan-import-type Event from \Placard\Types
 * @phpstan-import-type EventKind from \Placard\Types
 * @phpstan-import-type EventPage from \Placard\Types
 */
class EventsOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Read the events feed: the items of all pages, each page requested when it is needed.
     *
     * @param array{cursor?: string, property_id?: list<string>, kind?: list<EventKind>, valid?: bool, is_test?: bool, environment?: Environment, since?: string, until?: string, limit?: int} $query
     * @return \Generator<int, Event>
     */
    public function list(array $query = []): \Generator
    {
        return $this->transport->items('/v1/integration/events', $query);
    }

    /**
     * Read the events feed: one page.
     *
     * @param array{cursor?: string, property_id?: list<string>, kind?: list<EventKind>, valid?: bool, is_test?: bool, environment?: Environment, since?: string, until?: string, limit?: int} $query
     * @return EventPage
     */
    public function listPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/integration/events', query: $query, repeatable: true));
    }
}
