<?php

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Placard\\')) {
        require __DIR__ . '/../src/' . str_replace('\\', '/', substr($class, strlen('Placard\\'))) . '.php';
    }
});
