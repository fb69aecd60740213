<?php

declare(strict_types=1);

namespace Placard\Errors;

/** A response that is no success. */
class ApiException extends PlacardException
{
    /**
     * @param list<array{param: string|null, code: string, message: string}> $details each invalid field
     * @param float|null $retryAfterS how long the service asks its client to wait
     */
    final public function __construct(
        string $errorCode,
        string $message,
        public readonly int $status,
        public readonly ?string $requestId = null,
        public readonly ?string $param = null,
        public readonly array $details = [],
        public readonly ?float $retryAfterS = null,
    ) {
        parent::__construct($errorCode, $message);
    }

    /** @param array<string, string> $headers names in lower case */
    public static function fromResponse(int $status, array $headers, mixed $body): self
    {
        $after = $headers['retry-after'] ?? '';
        $retryAfterS = ctype_digit($after) ? (float) $after : null;
        $requestId = $headers['x-request-id'] ?? null;
        $error = is_array($body) ? ($body['error'] ?? null) : null;
        if (!is_array($error) || !is_string($error['code'] ?? null)) {
            // A proxy's 429 is a RateLimitedException: its pause holds too.
            $foreign = $status === 429 ? RateLimitedException::class : InvalidResponseException::class;
            return new $foreign(
                'invalid_response',
                "The response with status $status is not from Placard. Check the address, and proxies on the way.",
                $status,
                $requestId,
                retryAfterS: $retryAfterS,
            );
        }
        $kind = match (true) {
            $status === 401 => AuthenticationException::class,
            $status === 403 => PermissionDeniedException::class,
            $status === 404 => NotFoundException::class,
            in_array($status, [409, 412, 428], true) => ConflictException::class,
            $status === 410 => ExpiredException::class,
            $status === 429 => RateLimitedException::class,
            $status >= 500 => ServerException::class,
            default => InvalidRequestException::class,
        };
        return new $kind(
            $error['code'],
            (string) ($error['message'] ?? ''),
            $status,
            $error['request_id'] ?? $requestId,
            $error['param'] ?? null,
            $error['details'] ?? [],
            $retryAfterS,
        );
    }
}
