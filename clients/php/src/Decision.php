<?php

declare(strict_types=1);

namespace Placard;

/**
 * `ad` null: no fill, which is no error; show nothing. `noFillReason` and `decisionId` of a no-fill are there for test
 * keys, and for secret keys with `debug`.
 *
 * @phpstan-import-type ServedAd from Types
 */
final class Decision
{
    /** @param ServedAd|null $ad */
    public function __construct(
        public readonly ?array $ad,
        public readonly ?string $noFillReason,
        public readonly ?string $decisionId,
    ) {
    }
}
