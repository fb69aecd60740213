package placard.core

/**
 * What the user agreed to, sent with every serve request. Null fields are unknown and not sent.
 *
 * @property gdpr whether GDPR applies
 * @property gdprConsent a TCF consent string, version 2
 * @property gpp a GPP string
 * @property gppSid ids of the applicable GPP sections, separated by commas
 * @property usPrivacy a US Privacy String
 * @property coppa whether the app is directed at children: nothing is personalised, nothing stored on the device
 * @property lgpd LGPD: consented or refused; or null with [lgpdConsent], a TC string
 * @property nonPersonalized whether nothing may be personalised
 * @property storage whether counts of capped ads may be stored on the device; not sent. Null: derived from the others.
 *   False also keeps the queue of events in memory.
 */
public class Consent private constructor(
    public val gdpr: Boolean?,
    public val gdprConsent: String?,
    public val gpp: String?,
    public val gppSid: String?,
    public val usPrivacy: String?,
    public val coppa: Boolean?,
    public val lgpd: Boolean?,
    public val lgpdConsent: String?,
    public val nonPersonalized: Boolean?,
    public val storage: Boolean?,
) {
    /** Each field of these values, or of [other] where it is null here. */
    public fun orElse(other: Consent): Consent = Consent(
        gdpr ?: other.gdpr,
        gdprConsent ?: other.gdprConsent,
        gpp ?: other.gpp,
        gppSid ?: other.gppSid,
        usPrivacy ?: other.usPrivacy,
        coppa ?: other.coppa,
        if (lgpdConsent != null) null else lgpd ?: other.lgpd,
        lgpdConsent ?: if (lgpd == null) other.lgpdConsent else null,
        nonPersonalized ?: other.nonPersonalized,
        storage ?: other.storage,
    )

    /** Parameters of a serve request: `true` is `1`, `false` is `0`. */
    internal fun parameters(): Map<String, String?> = mapOf(
        "gdpr" to wire(gdpr),
        "gdpr_consent" to gdprConsent,
        "gpp" to gpp,
        "gpp_sid" to gppSid,
        "us_privacy" to usPrivacy,
        "coppa" to wire(coppa),
        "lgpd" to (lgpdConsent ?: wire(lgpd)),
        "npa" to wire(nonPersonalized),
    )

    /** [presumed]: the property's policy for users without a consent signal. */
    internal fun mayCount(presumed: Boolean): Boolean {
        if (coppa == true) return false
        return storage ?: (lgpd == true || presumed && parameters().values.all { it == null })
    }

    /** Events carry no identifier; they are stored unless storage is refused. */
    internal fun mayQueueOnDisk(): Boolean = coppa != true && storage != false

    public class Builder {
        private var gdpr: Boolean? = null
        private var gdprConsent: String? = null
        private var gpp: String? = null
        private var gppSid: String? = null
        private var usPrivacy: String? = null
        private var coppa: Boolean? = null
        private var lgpd: Boolean? = null
        private var lgpdConsent: String? = null
        private var nonPersonalized: Boolean? = null
        private var storage: Boolean? = null

        public fun gdpr(applies: Boolean?): Builder = apply { gdpr = applies }

        public fun gdprConsent(tcString: String?): Builder = apply { gdprConsent = tcString }

        public fun gpp(gppString: String?): Builder = apply { gpp = gppString }

        public fun gppSid(sectionIds: String?): Builder = apply { gppSid = sectionIds }

        public fun usPrivacy(usPrivacyString: String?): Builder = apply { usPrivacy = usPrivacyString }

        public fun coppa(isForChildren: Boolean?): Builder = apply { coppa = isForChildren }

        public fun lgpd(hasConsented: Boolean?): Builder = apply { lgpd = hasConsented }

        public fun lgpdConsent(tcString: String?): Builder = apply { lgpdConsent = tcString }

        public fun nonPersonalized(isDemanded: Boolean?): Builder = apply { nonPersonalized = isDemanded }

        public fun storage(isAllowed: Boolean?): Builder = apply { storage = isAllowed }

        public fun build(): Consent = Consent(
            gdpr, gdprConsent, gpp, gppSid, usPrivacy, coppa, lgpd, lgpdConsent, nonPersonalized, storage,
        )
    }

    public companion object {
        /** Nothing is known. */
        @JvmField public val UNKNOWN: Consent = Builder().build()

        /** Nothing may be personalised or stored: what holds where consent cannot be read. */
        internal val REFUSED: Consent = Builder().nonPersonalized(true).storage(false).build()

        private fun wire(value: Boolean?): String? = value?.let { if (it) "1" else "0" }
    }
}

/** Returns the present consent. Called on the library's thread before every serve request. */
public fun interface ConsentSource {
    public fun consent(): Consent
}
