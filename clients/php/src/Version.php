<?php

declare(strict_types=1);

namespace Placard;

/** The version of this library, which each request names. */
final class Version
{
    public const NUMBER = '0.2.0';
}
