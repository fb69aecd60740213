<?php

declare(strict_types=1);

namespace Placard;

/**
 * Options of a client. Pauses between attempts are `retryBaseS × 2^n × (0.5 + random)`, n from 0, and at least
 * `Retry-After`: jitter spreads clients out, and half of the pause is certain.
 *
 * `timeoutS` is for a whole attempt: by default 3 s at the edge, 30 s for management. The closures are for tests: a number
 * from 0 to 1, a pause in seconds, and a clock in seconds.
 */
final class Options
{
    /**
     * @param (\Closure(): float)|null $random
     * @param (\Closure(float): void)|null $sleep
     * @param (\Closure(): float)|null $clock
     */
    public function __construct(
        public readonly ?float $timeoutS = null,
        public readonly int $maxRetries = 3,
        public readonly float $retryBaseS = 0.5,
        public readonly ?\Closure $random = null,
        public readonly ?\Closure $sleep = null,
        public readonly ?\Closure $clock = null,
    ) {
    }
}
