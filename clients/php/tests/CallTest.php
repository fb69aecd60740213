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

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function bodies(): iterable
    {
        yield 'nothing' => [[], '{}'];
        yield 'empty maps and lists' => [
            ['metadata' => [], 'targeting' => [], 'property_ids' => []],
            '{"metadata":{},"targeting":{},"property_ids":[]}',
        ];
        yield 'a map with the key 0' => [['metadata' => ['0' => 'x']], '{"metadata":{"0":"x"}}'];
        yield 'a field that is a list elsewhere' => [
            ['targeting' => ['segments' => ['any' => ['a']]]],
            '{"targeting":{"segments":{"any":["a"]}}}',
        ];
        yield 'maps in a list' => [['recipients' => [['ref' => 'r', 'kv' => []]]], '{"recipients":[{"ref":"r","kv":{}}]}'];
        yield 'keys of the caller named as fields' => [
            ['kv' => ['content' => ['a'], 'metadata' => []]],
            '{"kv":{"content":["a"],"metadata":[]}}',
        ];
    }

    /**
     * @dataProvider bodies
     * @param array<string, mixed> $body
     */
    public function testTheFieldsThatAreMapsAreObjects(array $body, string $expected): void
    {
        self::assertSame($expected, (new Call('POST', '/v1/campaigns', body: $body))->content());
    }

    public function testACallWithoutABodyHasNoContent(): void
    {
        self::assertNull((new Call('POST', '/v1/campaigns/c/pause'))->content());
    }
}
