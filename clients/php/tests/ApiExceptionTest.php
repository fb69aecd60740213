<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;
use Placard\Errors\ApiException;
use Placard\Errors\ConflictException;
use Placard\Errors\InvalidResponseException;
use Placard\Errors\RateLimitedException;
use Placard\Errors\ServerException;

final class ApiExceptionTest extends TestCase
{
    public function testTheFamilyFollowsFromTheStatus(): void
    {
        $body = ['error' => ['code' => 'some_code', 'message' => 'Wait.', 'request_id' => 'r1']];
        $limited = ApiException::fromResponse(429, ['retry-after' => '7'], $body);

        self::assertInstanceOf(RateLimitedException::class, $limited);
        self::assertSame(['some_code', 'r1', 7.0], [$limited->errorCode, $limited->requestId, $limited->retryAfterS]);
        self::assertInstanceOf(ConflictException::class, ApiException::fromResponse(412, [], $body));
        self::assertInstanceOf(ServerException::class, ApiException::fromResponse(503, [], $body));
    }

    public function testAResponseOfAProxyIsNotOneOfPlacard(): void
    {
        $failure = ApiException::fromResponse(502, ['x-request-id' => 'r2'], null);

        self::assertInstanceOf(InvalidResponseException::class, $failure);
        self::assertSame('r2', $failure->requestId);
    }

    public function testA429OfAProxyIsStillALimit(): void
    {
        $failure = ApiException::fromResponse(429, ['retry-after' => '20'], null);

        self::assertInstanceOf(RateLimitedException::class, $failure);
        self::assertSame(['invalid_response', 20.0], [$failure->errorCode, $failure->retryAfterS]);
    }
}
