<?php

declare(strict_types=1);

namespace Placard;

use Placard\Internal\Call;
use Placard\Internal\Transport;
use Placard\Operations\EdgeOperations;

/**
 * Ads for visitors, and what happens to them.
 *
 * @phpstan-import-type SlotAnswer from Types
 * @phpstan-import-type TrackRequest from Types
 * @phpstan-import-type TrackResult from Types
 */
final class EdgeClient extends EdgeOperations
{
    /**
     * @param string $key a secret key (`sk_`), or a publishable key (`pk_`) of a property with server rendering
     * @param string $edgeUrl the edge of the key's environment
     */
    public function __construct(#[\SensitiveParameter] string $key, string $edgeUrl, Options $options = new Options())
    {
        parent::__construct(new Transport($edgeUrl, $key, ['pk_', 'sk_'], 3.0, $options));
    }

    /**
     * The ad for a visitor in a slot, which is a key or an id. The visitor's consent is sent every time.
     *
     * @param list<string> $keywords
     * @param array<string, string|list<string>> $keyValues
     * @param string|null $surface what the ad is shown on
     * @param string|null $testScenario test keys only
     */
    public function serve(
        string $slot,
        Visitor $visitor = new Visitor(),
        ?string $format = null,
        ?int $width = null,
        ?int $height = null,
        array $keywords = [],
        array $keyValues = [],
        ?string $surface = null,
        ?string $url = null,
        ?string $previewAd = null,
        bool $debug = false,
        ?string $testScenario = null,
    ): Decision {
        $terms = [
            'format' => $format,
            'w' => $width,
            'h' => $height,
            'keywords' => $keywords ?: null,
            'surface' => $surface,
            'url' => $url,
            'preview_ad' => $previewAd,
            'debug' => $debug ? '1' : null,
            'test_scenario' => $testScenario,
        ];
        $answer = $this->transport->send($this->serveCall([$slot], $visitor, $terms, $keyValues));
        return new Decision(
            $answer->body,
            $answer->headers['x-no-fill-reason'] ?? null,
            $answer->body['decision_id'] ?? $answer->headers['x-decision-id'] ?? null,
        );
    }

    /**
     * For two to ten slots of one page, in their order; no advertiser comes twice unless there is no other.
     *
     * @param list<string> $slots
     * @param list<string> $keywords
     * @param array<string, string|list<string>> $keyValues
     * @return list<SlotAnswer>
     */
    public function serveSlots(
        array $slots,
        Visitor $visitor = new Visitor(),
        array $keywords = [],
        array $keyValues = [],
        ?string $surface = null,
        ?string $url = null,
        bool $debug = false,
    ): array {
        if (count($slots) < 2) {
            throw new \InvalidArgumentException('serveSlots takes two slots or more. Use serve for one.');
        }
        $terms = [
            'keywords' => $keywords ?: null,
            'surface' => $surface,
            'url' => $url,
            'debug' => $debug ? '1' : null,
        ];
        return $this->transport->request($this->serveCall($slots, $visitor, $terms, $keyValues))['data'];
    }

    /**
     * Reports an event of the ad with this `track_token`. It counts once, however often it is sent. The visitor is who did
     * it; the traffic filter judges by their address and user agent.
     */
    public function track(
        string $token,
        string $event,
        Visitor $visitor = new Visitor(),
        ?int $valueCents = null,
        ?string $currency = null,
        ?string $orderId = null,
    ): void {
        $body = [
            'token' => $token,
            'event' => $event,
            'ip' => $visitor->ip,
            'ua' => $visitor->ua,
            'value_cents' => $valueCents,
            'currency' => $currency,
            'order_id' => $orderId,
        ];
        $given = array_filter($body, static fn (mixed $value): bool => $value !== null);
        $this->transport->request(new Call('POST', '/v1/track', body: $given, repeatable: true));
    }

    /**
     * Up to 50 events at once; one result for each, in their order. A refused event throws nothing.
     *
     * @param list<TrackRequest> $events
     * @return list<TrackResult>
     */
    public function trackBatch(array $events): array
    {
        $call = new Call('POST', '/v1/track/batch', body: ['events' => $events], repeatable: true);
        return $this->transport->request($call)['results'];
    }

    /**
     * @param list<string> $slots
     * @param array<string, mixed> $terms
     * @param array<string, string|list<string>> $keyValues
     */
    private function serveCall(array $slots, Visitor $visitor, array $terms, array $keyValues): Call
    {
        $person = ['ip' => $visitor->ip, 'ua' => $visitor->ua, 'uid' => $visitor->uid, 'lang' => $visitor->lang];
        $person['segments'] = $visitor->segments ?: null;
        $pairs = [Call::queryText(['slot' => $slots, ...$terms, ...$person, ...$visitor->consent->toQuery()])];
        foreach ($keyValues as $name => $values) {
            foreach ((array) $values as $value) {
                $pairs[] = rawurlencode("kv.$name") . '=' . rawurlencode($value);
            }
        }
        $headers = $visitor->consent->gpc ? ['Sec-GPC: 1'] : [];
        return new Call('GET', '/v1/serve', query: implode('&', $pairs), headers: $headers, repeatable: true);
    }
}
