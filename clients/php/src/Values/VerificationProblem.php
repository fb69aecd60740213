<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of VerificationProblem; others are added over time. */
final class VerificationProblem
{
    public const RECORD_MISSING = 'record_missing';
    public const RECORD_DIFFERS = 'record_differs';
    public const NAME_SERVERS_FAIL = 'name_servers_fail';
    public const RESOLVERS_DISAGREE = 'resolvers_disagree';
    public const RESOLVER_SILENT = 'resolver_silent';
    public const TAG_MISSING = 'tag_missing';
    public const TAG_DIFFERS = 'tag_differs';
    public const PAGE_NOT_OK = 'page_not_ok';
    public const PAGE_UNREACHABLE = 'page_unreachable';
    public const PAGE_REFUSED = 'page_refused';
    public const PAGE_ELSEWHERE = 'page_elsewhere';
    public const HELD_BY_ANOTHER = 'held_by_another';
}
