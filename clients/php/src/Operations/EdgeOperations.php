<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type ClickVerification from \Placard\Types
 * @phpstan-import-type ClickVerified from \Placard\Types
 * @phpstan-import-type ConversionAccepted from \Placard\Types
 * @phpstan-import-type ConversionBody from \Placard\Types
 * @phpstan-import-type EmailPrepareBody from \Placard\Types
 * @phpstan-import-type EmailPrepared from \Placard\Types
 * @phpstan-import-type StitchBody from \Placard\Types
 * @phpstan-import-type Stitched from \Placard\Types
 */
class EdgeOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Report a conversion from your server.
     *
     * @param ConversionBody $body
     * @return ConversionAccepted
     */
    public function reportConversion(array $body, ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/conversions', body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * Prepare the ads of a mailing.
     *
     * @param EmailPrepareBody $body
     * @return EmailPrepared
     */
    public function prepareEmail(array $body): array
    {
        return $this->transport->request(new Call('POST', '/v1/email/prepare', body: $body, repeatable: true));
    }

    /**
     * Put ads into audio content.
     *
     * @param StitchBody $body
     * @return Stitched
     */
    public function stitchAudio(array $body): array
    {
        return $this->transport->request(new Call('POST', '/v1/audio/stitch', body: $body, repeatable: true));
    }

    /**
     * Verify a click id.
     *
     * @param ClickVerification $body
     * @return ClickVerified
     */
    public function verifyClick(array $body): array
    {
        return $this->transport->request(new Call('POST', '/v1/clicks/verify', body: $body, repeatable: true));
    }
}
