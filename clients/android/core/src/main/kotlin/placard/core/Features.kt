package placard.core

/** What the edge says about a property, from `/v1/features`. [json]: its parsed body, or null before it is known. */
internal class Features(json: Any?) {
    /** Time for one response, in milliseconds. */
    val timeoutMs: Long = json.member("tracking").long("timeout_ms") ?: 3000
    val maxRetries: Int = json.member("tracking").member("retry").int("max") ?: 3

    /** Pause before the first retry, in milliseconds. */
    val retryBaseMs: Long = json.member("tracking").member("retry").long("base_ms") ?: 500
    val presumesConsent: Boolean = json.member("consent").text("default") == "personalized"
    val ttlSeconds: Long? = json.long("ttl_seconds")
    private val isStopped = json.member("sdk").flag("kill_switch") ?: false
    private val minVersion = json.member("sdk").member("min").text(LIBRARY)
    private val refreshSeconds = HashMap<String, Long>()

    init {
        for (slot in json.list("slots")) {
            val seconds = slot.long("refresh_seconds") ?: continue
            slot.text("key")?.let { refreshSeconds[it] = seconds }
            slot.text("id")?.let { refreshSeconds[it] = seconds }
        }
    }

    /** Why no ads may be requested; null where they may. */
    fun stopReason(): String? = when {
        isStopped -> "kill_switch"
        minVersion != null && isBelow(VERSION, minVersion) -> "outdated"
        else -> null
    }

    /** Seconds in view after which the slot of this key or id requests another ad; null: never. */
    fun refreshSeconds(slot: String): Long? = refreshSeconds[slot]

    companion object {
        const val LIBRARY = "android"
        const val VERSION = "0.2.0"

        fun isBelow(version: String, other: String): Boolean {
            val ours = numbers(version)
            val theirs = numbers(other)
            for (index in 0 until maxOf(ours.size, theirs.size)) {
                val difference = (ours.getOrNull(index) ?: 0) - (theirs.getOrNull(index) ?: 0)
                if (difference != 0) return difference < 0
            }
            return false
        }

        private fun numbers(version: String) = version.split('.', '-').map { it.toIntOrNull() ?: 0 }
    }
}
