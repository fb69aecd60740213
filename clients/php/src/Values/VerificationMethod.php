<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of VerificationMethod; others are added over time. */
final class VerificationMethod
{
    public const DNS = 'dns';
    public const HTML_TAG = 'html_tag';
}
