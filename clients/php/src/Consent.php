<?php

declare(strict_types=1);

namespace Placard;

/**
 * The visitor's choices as your page or app has them; null: no signal. Without any, nothing is personalised unless the
 * property's consent policy says so.
 */
final class Consent
{
    /**
     * @param string|null $gppSid section ids, comma-separated
     * @param bool|string|null $lgpd true, false, or a TC string
     * @param bool|null $npa true: do not personalise
     * @param bool $gpc Global Privacy Control: the visitor's `Sec-GPC: 1`
     */
    public function __construct(
        public readonly ?bool $gdpr = null,
        public readonly ?string $gdprConsent = null,
        public readonly ?string $gpp = null,
        public readonly ?string $gppSid = null,
        public readonly ?string $usPrivacy = null,
        public readonly ?bool $coppa = null,
        public readonly bool|string|null $lgpd = null,
        public readonly ?bool $npa = null,
        public readonly bool $gpc = false,
    ) {
    }

    /** @return array<string, string|null> */
    public function toQuery(): array
    {
        $flag = static fn (bool|string|null $value): ?string => is_bool($value) ? (string) (int) $value : $value;
        return [
            'gdpr' => $flag($this->gdpr),
            'gdpr_consent' => $this->gdprConsent,
            'gpp' => $this->gpp,
            'gpp_sid' => $this->gppSid,
            'us_privacy' => $this->usPrivacy,
            'coppa' => $flag($this->coppa),
            'lgpd' => $flag($this->lgpd),
            'npa' => $flag($this->npa),
        ];
    }
}
