<?php

declare(strict_types=1);

namespace Placard\Errors;

/**
 * The errors of all calls:
 *
 *     PlacardException
 *     ├── NetworkException                 no response
 *     │   └── RequestTimeoutException      none in time
 *     └── ApiException                     a response that is no success
 *         ├── InvalidResponseException     not one of Placard's: a proxy's page, say
 *         ├── AuthenticationException      401: missing_key, invalid_key
 *         ├── PermissionDeniedException    403: key_revoked, wrong_environment, insufficient_scope
 *         ├── NotFoundException            404: slot_not_found
 *         ├── ConflictException            409, 412, 428: invalid_state, already_exists, version_conflict
 *         ├── ExpiredException             410: token_expired, cursor_expired
 *         ├── RateLimitedException         429
 *         ├── ServerException              5xx
 *         └── InvalidRequestException      other 4xx: validation_failed, invalid_json, token_invalid
 *
 * `errorCode` is the stable name of what happened; codes are added over time.
 */
class PlacardException extends \RuntimeException
{
    public function __construct(public readonly string $errorCode, string $message)
    {
        parent::__construct($message);
    }
}
