<?php

declare(strict_types=1);

namespace Placard;

use Placard\Operations\EventsOperations;

/**
 * `list` and `listPage` are the feed as it is; `follow` is for a program that handles every event.
 *
 * @phpstan-import-type Event from Types
 */
final class Events extends EventsOperations
{
    /**
     * Every event, oldest first, without end. A cursor is valid only with the filters it was created with.
     *
     * The cursor is saved after the last event of a page was handled, so a reader that is stopped within a page reads that
     * page again: handle each event by its `id`, at least once. Throws `ExpiredException` if the cursor is older than the
     * retention.
     *
     * @param array<string, mixed> $filters those of `list`
     * @param bool $fromNow begins at the newest event where the store is empty, else at the oldest kept
     * @return \Generator<int, Event>
     */
    public function follow(
        CursorStore $cursors,
        array $filters = [],
        bool $fromNow = false,
        float $pollS = 2.0,
        int $limit = 100,
    ): \Generator {
        $cursor = $cursors->load();
        if ($cursor === null && $fromNow) {
            $cursor = $this->listPage([...$filters, 'limit' => 1])['next_cursor'];
            if ($cursor !== null) {
                $cursors->save($cursor);
            }
        }
        while (true) {
            $page = $this->listPage([...$filters, 'limit' => $limit, 'cursor' => $cursor ?? 'earliest']);
            foreach ($page['data'] as $event) {
                yield $event;
            }
            if ($page['next_cursor'] !== null && $page['next_cursor'] !== $cursor) {
                $cursor = $page['next_cursor'];
                $cursors->save($cursor);
            }
            if (!$page['has_more']) {
                $this->transport->sleep($pollS);
            }
        }
    }
}
