<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Values;

/** These values of ConsentSignal; others are added over time. */
final class ConsentSignal
{
    public const COPPA = 'coppa';
    public const COPPA_UNREADABLE = 'coppa_unreadable';
    public const NPA = 'npa';
    public const NPA_UNREADABLE = 'npa_unreadable';
    public const GPC = 'gpc';
    public const DNT = 'dnt';
    public const GPP_GARBLED = 'gpp_garbled';
    public const GPP_SECTION_MISSING = 'gpp_section_missing';
    public const GPP_SECTION_NOT_READ = 'gpp_section_not_read';
    public const GDPR_NOT_APPLICABLE = 'gdpr_not_applicable';
    public const GDPR_UNREADABLE = 'gdpr_unreadable';
    public const TC_STRING_MISSING = 'tc_string_missing';
    public const TC_STRING_GARBLED = 'tc_string_garbled';
    public const VENDOR_NOT_DISCLOSED = 'vendor_not_disclosed';
    public const VENDOR_NOT_CONSENTED = 'vendor_not_consented';
    public const PURPOSE_1_NOT_ALLOWED = 'purpose_1_not_allowed';
    public const PURPOSE_2_NOT_ALLOWED = 'purpose_2_not_allowed';
    public const PURPOSE_3_NOT_ALLOWED = 'purpose_3_not_allowed';
    public const PURPOSE_4_NOT_ALLOWED = 'purpose_4_not_allowed';
    public const PURPOSE_7_NOT_ALLOWED = 'purpose_7_not_allowed';
    public const PUBLISHER_NOT_CONSENTED = 'publisher_not_consented';
    public const TC_STRING_CONSENTS = 'tc_string_consents';
    public const US_PRIVACY_GARBLED = 'us_privacy_garbled';
    public const US_SECTION_GARBLED = 'us_section_garbled';
    public const US_OPTED_OUT = 'us_opted_out';
    public const US_NOT_NOTIFIED = 'us_not_notified';
    public const US_KNOWN_CHILD = 'us_known_child';
    public const US_PERSONAL_DATA_REFUSED = 'us_personal_data_refused';
    public const US_SERVICE_PROVIDER = 'us_service_provider';
    public const US_NOT_OPTED_OUT = 'us_not_opted_out';
    public const LGPD_REFUSED = 'lgpd_refused';
    public const LGPD_UNREADABLE = 'lgpd_unreadable';
    public const LGPD_CONSENTED = 'lgpd_consented';
    public const PRESUMED = 'presumed';
    public const NO_SIGNAL = 'no_signal';
}
