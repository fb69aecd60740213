<?php

declare(strict_types=1);

namespace Placard\Errors;

/** No response came. `wasSent` false: the request never left, so nothing happened. */
class NetworkException extends PlacardException
{
    public function __construct(string $message, public readonly bool $wasSent, string $errorCode = 'network')
    {
        parent::__construct($errorCode, $message);
    }
}
