<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of CredentialKind; others are added over time. */
final class CredentialKind
{
    public const PUBLISHABLE_KEY = 'publishable_key';
    public const SECRET_KEY = 'secret_key';
    public const INTEGRATION_KEY = 'integration_key';
    public const ACCESS_TOKEN = 'access_token';
}
