<?php

declare(strict_types=1);

namespace Placard\Internal;

use Placard\Errors\ApiException;
use Placard\Errors\NetworkException;
use Placard\Errors\PlacardException;
use Placard\Errors\RateLimitedException;
use Placard\Errors\RequestTimeoutException;
use Placard\Options;
use Placard\Version;

/**
 * Sends calls over a connection that is kept, and sends them again where that can help. There is one for each key: after a
 * 429, no request is sent with it before the service's pause is over.
 */
final class Transport
{
    /** A client does not wait longer than this; it throws the error instead. */
    private const LONGEST_PAUSE_S = 60.0;

    private readonly string $url;
    /** @var list<string> */
    private readonly array $headers;
    private readonly int $timeoutMs;
    private readonly \CurlHandle $curl;
    private float $pausedUntil = 0.0;
    private ?PlacardException $refusal = null;

    /** @param list<string> $kinds what a key may begin with */
    public function __construct(
        string $url,
        #[\SensitiveParameter] string $key,
        array $kinds,
        float $usualTimeoutS,
        private readonly Options $options,
    ) {
        if (!in_array(substr($key, 0, 3), $kinds, true)) {
            throw new \InvalidArgumentException('The key must begin with one of ' . implode(', ', $kinds) . '.');
        }
        $client = 'php/' . Version::NUMBER;
        $this->url = rtrim($url, '/');
        $this->headers = [
            str_starts_with($key, 'pk_') ? "X-Service-Key: $key" : "Authorization: Bearer $key",
            "X-Placard-Client: $client",
            "User-Agent: placard-$client",
            'Accept: application/json',
            'Expect:',
        ];
        $this->timeoutMs = (int) round(($options->timeoutS ?? $usualTimeoutS) * 1000);
        $this->curl = curl_init();
    }

    /** @throws PlacardException */
    public function send(Call $call): Answer
    {
        $headers = [...$this->headers, ...$call->headerLines()];
        for ($retried = 0; ; $retried++) {
            $this->awaitPause();
            try {
                return $this->sendOnce($call, $headers);
            } catch (PlacardException $failure) {
                $pause = $this->pauseAfter($failure, $retried, $call->repeatable);
                if ($pause === null) {
                    throw $failure;
                }
                $this->sleep($pause);
            }
        }
    }

    /** The body of the response. */
    public function request(Call $call): mixed
    {
        return $this->send($call)->body;
    }

    /**
     * The items of all pages. A page is requested when the one before is used up.
     *
     * @param array<string, mixed> $query
     */
    public function items(string $path, array $query): \Generator
    {
        do {
            $page = $this->request(new Call('GET', $path, query: $query, repeatable: true));
            foreach ($page['data'] as $item) {
                yield $item;
            }
            $query['cursor'] = $page['next_cursor'];
        } while ($page['has_more']);
    }

    public function sleep(float $seconds): void
    {
        $this->options->sleep === null ? usleep((int) round($seconds * 1e6)) : ($this->options->sleep)($seconds);
    }

    /** @param list<string> $lines */
    private function sendOnce(Call $call, array $lines): Answer
    {
        $headers = [];
        curl_reset($this->curl);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $this->url . $call->target(),
            CURLOPT_CUSTOMREQUEST => $call->method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => $this->timeoutMs,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_, string $line) use (&$headers): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        $content = $call->content() ?? ($call->method === 'POST' ? '' : null);
        if ($content !== null) {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, $content);
        }
        $text = curl_exec($this->curl);
        if (!is_string($text)) {
            throw $this->networkError(curl_errno($this->curl), curl_error($this->curl));
        }
        $status = curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE);
        $body = json_decode($text, true);
        if ($status < 200 || $status > 299 || ($text !== '' && $body === null)) {
            $failure = ApiException::fromResponse($status, $headers, $body);
            $this->keepPause($failure);
            throw $failure;
        }
        return new Answer($headers, $body);
    }

    private function networkError(int $code, string $reason): NetworkException
    {
        $unsent = [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY];
        $wasSent = !in_array($code, $unsent, true);
        if ($code === CURLE_OPERATION_TIMEDOUT) {
            $wasSent = curl_getinfo($this->curl, CURLINFO_REQUEST_SIZE) > 0;
            return new RequestTimeoutException("$this->url did not respond in time.", $wasSent);
        }
        return new NetworkException("No response from $this->url: $reason", $wasSent);
    }

    /**
     * The pause before the next attempt; null if there is none. Calls that are not repeatable are sent again only if they
     * were not executed: they did not leave, or were refused before any work.
     */
    private function pauseAfter(PlacardException $failure, int $retried, bool $repeatable): ?float
    {
        $again = match (true) {
            $retried >= $this->options->maxRetries => false,
            $failure instanceof NetworkException => $repeatable || !$failure->wasSent,
            !$failure instanceof ApiException => false,
            $failure->status === 429 => true,
            in_array($failure->errorCode, ['unavailable', 'idempotency_in_progress'], true) => true,
            default => $repeatable && $failure->status >= 500,
        };
        $random = $this->options->random === null ? mt_rand() / mt_getrandmax() : ($this->options->random)();
        $own = $this->options->retryBaseS * 2 ** $retried * (0.5 + $random);
        $asked = $failure instanceof ApiException ? ($failure->retryAfterS ?? 0.0) : 0.0;
        $pause = max($own, $asked);
        return $again && $pause <= self::LONGEST_PAUSE_S ? $pause : null;
    }

    private function keepPause(ApiException $failure): void
    {
        if ($failure instanceof RateLimitedException) {
            $this->pausedUntil = $this->now() + ($failure->retryAfterS ?? 0.0);
            $this->refusal = $failure;
        }
    }

    private function awaitPause(): void
    {
        while ($this->refusal !== null) {
            $left = $this->pausedUntil - $this->now();
            if ($left > self::LONGEST_PAUSE_S) {
                throw $this->refusal;
            }
            if ($left <= 0) {
                $this->refusal = null;
                return;
            }
            $this->sleep($left);
        }
    }

    private function now(): float
    {
        return $this->options->clock === null ? hrtime(true) / 1e9 : ($this->options->clock)();
    }
}
