<?php

declare(strict_types=1);

namespace Placard;

/** A file that is replaced as a whole, so that a crash leaves the old cursor or the new one. */
final class CursorFile implements CursorStore
{
    public function __construct(private readonly string $path)
    {
    }

    public function load(): ?string
    {
        if (!is_file($this->path)) {
            return null;
        }
        $text = file_get_contents($this->path);
        if ($text === false) {
            throw new \RuntimeException("The cursor in $this->path cannot be read.");
        }
        return trim($text) ?: null;
    }

    public function save(string $cursor): void
    {
        $new = "$this->path.new";
        $file = fopen($new, 'wb');
        if ($file === false || fwrite($file, $cursor) !== strlen($cursor) || !fsync($file) || !fclose($file)) {
            throw new \RuntimeException("The cursor cannot be written to $new.");
        }
        if (!rename($new, $this->path)) {
            throw new \RuntimeException("The cursor cannot be written to $this->path.");
        }
    }
}
