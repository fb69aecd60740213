<?php

declare(strict_types=1);

namespace Placard\Internal;

use Placard\Types;

/** One request. `repeatable`: executing it twice changes nothing more than once does. */
final class Call
{
    /**
     * @param array<string, mixed>|string $query a text is sent as it is
     * @param array<string, mixed>|null $body
     * @param list<string> $headers
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly array|string $query = [],
        public readonly ?array $body = null,
        public readonly array $headers = [],
        public readonly ?int $version = null,
        public readonly bool $creates = false,
        public readonly ?string $idempotencyKey = null,
        public readonly bool $repeatable = false,
    ) {
    }

    public function target(): string
    {
        $text = is_string($this->query) ? $this->query : self::queryText($this->query);
        return $this->path . ($text === '' ? '' : "?$text");
    }

    /** The body as JSON; null without one. */
    public function content(): ?string
    {
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
        return $this->body === null ? null : json_encode((object) self::withObjects($this->body), $flags);
    }

    /** @return list<string> the same for all attempts, so that they are one call to the service */
    public function headerLines(): array
    {
        $lines = $this->headers;
        if ($this->body !== null) {
            $lines[] = 'Content-Type: application/json';
        }
        if ($this->version !== null) {
            $lines[] = "If-Match: $this->version";
        }
        if ($this->creates) {
            $lines[] = 'Idempotency-Key: ' . ($this->idempotencyKey ?? bin2hex(random_bytes(16)));
        }
        return $lines;
    }

    /**
     * An empty PHP array, or one with the keys 0, 1, …, is a JSON list unless it is made an object.
     *
     * @param array<mixed> $value
     * @return array<mixed>
     */
    private static function withObjects(array $value): array
    {
        foreach ($value as $name => $part) {
            if (is_array($part)) {
                $inner = in_array($name, Types::MAPS, true) ? $part : self::withObjects($part);
                $value[$name] = in_array($name, Types::OBJECTS, true) ? (object) $inner : $inner;
            }
        }
        return $value;
    }

    /** @param array<string, mixed> $query null is not sent; lists are comma-separated */
    public static function queryText(array $query): string
    {
        $text = static fn (mixed $value): mixed => match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_array($value) => implode(',', $value),
            default => $value,
        };
        return http_build_query(array_map($text, $query), '', '&', PHP_QUERY_RFC3986);
    }
}
