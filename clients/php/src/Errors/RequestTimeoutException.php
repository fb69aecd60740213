<?php

declare(strict_types=1);

namespace Placard\Errors;

final class RequestTimeoutException extends NetworkException
{
    public function __construct(string $message, bool $wasSent)
    {
        parent::__construct($message, $wasSent, 'timeout');
    }
}
