<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;
use Placard\Internal\Call;

final class CallTest extends TestCase
{
    public function testAQueryLeavesOutNullAndJoinsLists(): void
    {
        $query = ['status' => null, 'valid' => false, 'metrics' => ['clicks', 'ctr'], 'q' => 'a b&c'];
        $call = new Call('GET', '/v1/campaigns', query: $query);

        self::assertSame('/v1/campaigns?valid=false&metrics=clicks%2Cctr&q=a%20b%26c', $call->target());
    }

    public function testACallThatCreatesHasTheGivenKeyOrOneOfItsOwn(): void
    {
        $given = new Call('POST', '/v1/ads', creates: true, idempotencyKey: 'order-7');
        $made = new Call('POST', '/v1/ads', creates: true);

        self::assertSame(['Idempotency-Key: order-7'], $given->headerLines());
        self::assertMatchesRegularExpression('/^Idempotency-Key: [0-9a-f]{32}$/', $made->headerLines()[0]);
    }
}
