<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;
use Placard\CursorFile;

final class CursorFileTest extends TestCase
{
    private string $path;

    protected function setUp(): void
    {
        $this->path = tempnam(sys_get_temp_dir(), 'placard');
        unlink($this->path);
    }

    protected function tearDown(): void
    {
        unlink($this->path);
    }

    public function testACursorIsTheOneSavedLast(): void
    {
        $file = new CursorFile($this->path);
        $before = $file->load();
        $file->save('first');
        $file->save('second');

        self::assertNull($before);
        self::assertSame('second', (new CursorFile($this->path))->load());
        self::assertFileDoesNotExist("$this->path.new");
    }
}
