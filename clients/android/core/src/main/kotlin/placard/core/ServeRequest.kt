package placard.core

import java.net.URLEncoder

/** What is requested for a slot. Build it with [Builder]; only the slot is required. */
public class ServeRequest private constructor(builder: Builder) {
    /** Key or id of the slot. */
    public val slot: String = builder.slot
    internal val format: String? = builder.format
    internal val width: Int? = builder.width
    internal val height: Int? = builder.height
    internal val keywords: List<String> = builder.keywords
    internal val keyValues: Map<String, List<String>> = LinkedHashMap(builder.keyValues)
    internal val uid: String? = builder.uid
    internal val languages: String? = builder.languages

    /** Begins with `?`. [seen]: this device's counts; null where it has none to send. */
    internal fun query(consent: Consent, seen: String?): String {
        val query = StringBuilder()
        fun put(name: String, value: String?) {
            if (value.isNullOrEmpty()) return
            query.append(if (query.isEmpty()) '?' else '&').append(encoded(name)).append('=').append(encoded(value))
        }
        put("slot", slot)
        put("format", format)
        put("w", width?.toString())
        put("h", height?.toString())
        put("keywords", keywords.joinToString(","))
        put("uid", uid)
        put("lang", languages)
        for ((name, value) in consent.parameters()) put(name, value)
        put("seen", seen)
        for ((name, values) in keyValues) for (value in values) put("kv.$name", value)
        return query.toString()
    }

    public class Builder(internal val slot: String) {
        internal var format: String? = null
        internal var width: Int? = null
        internal var height: Int? = null
        internal var keywords: List<String> = emptyList()
        internal val keyValues = LinkedHashMap<String, List<String>>()
        internal var uid: String? = null
        internal var languages: String? = null

        /** Only an ad of this format. */
        public fun format(format: String?): Builder = apply { this.format = format }

        /** Available space in density-independent pixels; null: any. */
        public fun size(width: Int?, height: Int?): Builder = apply {
            this.width = width
            this.height = height
        }

        public fun keywords(keywords: List<String>): Builder = apply { this.keywords = keywords.toList() }

        /** Matched against key-values in targeting. Replaces earlier values of [name]. */
        public fun keyValue(name: String, vararg values: String): Builder = apply { keyValues[name] = values.toList() }

        /** Your own opaque id of the user; used with consent only. */
        public fun uid(uid: String?): Builder = apply { this.uid = uid }

        /** In the format of `Accept-Language`; takes precedence over the device's languages. */
        public fun languages(languages: String?): Builder = apply { this.languages = languages }

        public fun build(): ServeRequest = ServeRequest(this)
    }

    private companion object {
        private fun encoded(text: String): String = URLEncoder.encode(text, "UTF-8")
    }
}
