<?php

declare(strict_types=1);

namespace Placard;

/**
 * The person who sees the ad, made once for each request that your server receives. `ip` and `ua` are theirs, not your
 * server's: without them all visitors are where your server is, and the traffic filter judges your server.
 */
final class Visitor
{
    /**
     * @param string|null $uid your own opaque id of them, for frequency caps
     * @param string|null $lang as in `Accept-Language`
     * @param list<string> $segments
     */
    public function __construct(
        public readonly ?string $ip = null,
        public readonly ?string $ua = null,
        public readonly ?string $uid = null,
        public readonly ?string $lang = null,
        public readonly array $segments = [],
        public readonly Consent $consent = new Consent(),
    ) {
    }
}
