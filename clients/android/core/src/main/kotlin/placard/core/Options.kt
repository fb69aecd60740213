package placard.core

import java.io.File
import java.util.concurrent.Executor

/** Settings of a client. Build them with [Builder]. */
public class Options private constructor(builder: Builder) {
    internal val publisherKey: String = builder.publisherKey

    /** Without a slash at its end. */
    internal val edgeUrl: String = builder.edgeUrl.trimEnd('/')
    public val consent: ConsentSource = builder.consent
    public val folder: File? = builder.folder
    internal val executor: Executor = builder.executor
    internal val transport: Transport = builder.transport
    internal val userAgent: String? = builder.userAgent
    public val languages: String? = builder.languages

    /** Whether views show the result of each request. */
    public val isDebug: Boolean = builder.isDebug

    /** Whether the key is one of the test environment. */
    public val isTest: Boolean = publisherKey.startsWith("pk_test_")

    /** Kind and last four characters of the key, fit for logs: `pk_test_…A1b2`. */
    public val shortKey: String = publisherKey.take(8) + "…" + publisherKey.drop(8).takeLast(4)

    /**
     * @property publisherKey a publishable key, `pk_test_…` or `pk_live_…`
     * @property edgeUrl base URL of the edge of the key's environment, such as `https://edge.example`
     */
    public class Builder(internal val publisherKey: String, internal val edgeUrl: String) {
        internal var consent = ConsentSource { Consent.UNKNOWN }
        internal var folder: File? = null
        internal var executor: Executor = DirectExecutor
        internal var transport: Transport = UrlConnectionTransport()
        internal var userAgent: String? = null
        internal var languages: String? = null
        internal var isDebug = false

        /** Consent that does not change. */
        public fun consent(consent: Consent): Builder = consentSource { consent }

        /** Where it throws, nothing is personalised or stored. */
        public fun consentSource(source: ConsentSource): Builder = apply { consent = source }

        /** Where unsent events and counts of capped ads are stored. Without it, they end with the process. */
        public fun folder(folder: File?): Builder = apply { this.folder = folder }

        /** Runs callbacks. By default they run on the library's own thread; views use the main thread. */
        public fun callbackExecutor(executor: Executor): Builder = apply { this.executor = executor }

        public fun transport(transport: Transport): Builder = apply { this.transport = transport }

        /** Overrides the platform's `User-Agent`. */
        public fun userAgent(userAgent: String?): Builder = apply { this.userAgent = userAgent }

        /** The device's languages in the format of `Accept-Language`. */
        public fun languages(languages: String?): Builder = apply { this.languages = languages }

        /** Shows the result of each request on top of each ad. Never for a release. */
        public fun debug(isDebug: Boolean): Builder = apply { this.isDebug = isDebug }

        public fun build(): Options = Options(this)
    }
}
