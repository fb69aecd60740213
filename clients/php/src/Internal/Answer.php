<?php

declare(strict_types=1);

namespace Placard\Internal;

/** `body`: the parsed JSON; null where there is none. */
final class Answer
{
    /** @param array<string, string> $headers names in lower case */
    public function __construct(public readonly array $headers, public readonly mixed $body)
    {
    }
}
