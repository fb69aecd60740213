<?php

declare(strict_types=1);

namespace Placard;

/** Keeps the position of a reader of events: a row of your database, a key of your cache. */
interface CursorStore
{
    /** The cursor saved last; null before the first. */
    public function load(): ?string;

    /** Called when every event before the cursor has been handled. */
    public function save(string $cursor): void;
}
