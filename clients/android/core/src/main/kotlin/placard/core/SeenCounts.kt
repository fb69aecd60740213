package placard.core

import java.io.File
import java.io.IOException

/**
 * How often this device met capped ads: a name, and for each event the time at which it leaves its window, in
 * milliseconds since the epoch. Sent as `seen`, so that caps need no identity. Used on the client's own thread only.
 */
internal class SeenCounts(folder: File?, private val scheduler: Scheduler) {
    private val file = folder?.let { File(it, "seen.json") }
    private var ends: LinkedHashMap<String, List<Long>>? = null

    /** `NAME.COUNT`, separated by commas; `none` where nothing was counted; null where nothing may be: then all is deleted. */
    fun parameter(mayCount: Boolean): String? {
        if (!mayCount) {
            file?.delete()
            ends = LinkedHashMap()
            return null
        }
        return current().entries.joinToString(",") { (name, ends) -> "$name.${ends.size}" }.ifEmpty { "none" }
    }

    fun count(ad: Ad, event: AdEvent) {
        val caps = ad.caps.filter { it.event == event.wire }
        if (caps.isEmpty()) return
        val current = current()
        for (cap in caps) {
            val before = current.remove(cap.name).orEmpty()
            current[cap.name] = before + (scheduler.wallMs() + cap.windowSeconds * 1000)
        }
        write(current)
    }

    /** Those still in their window, of the names met last. */
    private fun current(): LinkedHashMap<String, List<Long>> {
        val nowMs = scheduler.wallMs()
        val found = LinkedHashMap<String, List<Long>>()
        for ((name, times) in ends ?: read()) times.filter { it > nowMs }.let { if (it.isNotEmpty()) found[name] = it }
        while (found.size > MAX_NAMES) found.remove(found.keys.first())
        ends = found
        return found
    }

    private fun read(): Map<String, List<Long>> = try {
        val kept = file?.takeIf(File::exists)?.let { Json.parse(it.readText()) } as? Map<*, *> ?: emptyMap<String, Any?>()
        kept.entries.associate { (name, times) -> name.toString() to (times as List<*>).filterIsInstance<Long>() }
    } catch (_: IOException) {
        emptyMap()
    } catch (_: RuntimeException) {
        // The file is damaged: counting begins anew.
        emptyMap()
    }

    private fun write(current: Map<String, List<Long>>) {
        try {
            file?.parentFile?.mkdirs()
            file?.replaceText(Json.write(current))
        } catch (_: IOException) {
            // No room: the next request reports less than was seen.
        }
    }

    private companion object {
        private const val MAX_NAMES = 64
    }
}

/** Replaces the file at once: after a crash it has the old text or the new. Throws [IOException]. */
internal fun File.replaceText(text: String) {
    val other = File(parentFile, "$name.new")
    other.writeText(text)
    if (!other.renameTo(this)) throw IOException("$other cannot be renamed.")
}
