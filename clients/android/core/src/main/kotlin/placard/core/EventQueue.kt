package placard.core

import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import java.io.RandomAccessFile
import java.nio.channels.FileLock
import java.nio.channels.OverlappingFileLockException

/** An event that is not counted yet. [body]: its JSON for the edge. [atMs]: when it happened, since the epoch. */
internal class QueuedEvent(val id: Long, val atMs: Long, val body: Map<String, Any?>) {
    /** A request for it is on its way, so that a batch leaves it out. */
    var isInFlight = false
}

/**
 * Events until the edge has counted them, in memory and, while allowed, in a file that survives the process: a line of JSON
 * for each event added, and one for each removed. At most [MAX_EVENTS], none older than [MAX_AGE_MS]; the oldest are
 * dropped. Used on the client's own thread only; where the disk fails, memory remains.
 *
 * The file belongs to the first client that opens it: others, also of other processes, use memory only.
 */
internal class EventQueue(folder: File?, private val scheduler: Scheduler) {
    private var file = folder?.let { File(it, "events.jsonl") }
    private val events = LinkedHashMap<Long, QueuedEvent>()

    /** Above all of earlier processes. */
    private var nextId = scheduler.wallMs() * 1000
    private var lines = 0
    private var lock: FileLock? = null

    /** Whether events are stored on the disk. False deletes the file. */
    var isOnDisk = false
        set(isAllowed) {
            // The client that had the file may be closed by now.
            if (isAllowed && lock == null) return open()
            if (isAllowed == field) return
            field = isAllowed
            if (isAllowed) rewrite() else file?.delete()
        }

    /** Reads what an earlier process left. */
    fun open() {
        try {
            acquire()
            if (lock == null) return
            read()
            isOnDisk = true
        } catch (fault: IOException) {
            Log.report(fault)
        }
    }

    fun add(body: Map<String, Any?>): QueuedEvent {
        val event = QueuedEvent(nextId++, scheduler.wallMs(), body)
        events[event.id] = event
        while (events.size > MAX_EVENTS) remove(events.values.first { it !== event })
        append(mapOf("id" to event.id, "at" to event.atMs, "event" to body))
        return event
    }

    fun remove(event: QueuedEvent) {
        if (events.remove(event.id) != null) append(mapOf("done" to event.id))
    }

    /** The oldest of those that are not on their way, as many as fit one request. */
    fun batch(max: Int): List<QueuedEvent> {
        val oldestMs = scheduler.wallMs() - MAX_AGE_MS
        events.values.filter { it.atMs < oldestMs }.forEach(::remove)
        var bytes = 0
        return events.values.filter { !it.isInFlight }.take(max).takeWhile {
            bytes += Json.write(it.body).length + 1
            bytes <= MAX_BATCH_BYTES
        }
    }

    val size: Int get() = events.size

    fun close() {
        try {
            lock?.channel()?.close()
        } catch (_: IOException) {
            // Nothing is left to be closed.
        }
        lock = null
        file = null
    }

    private fun acquire() {
        val folder = file?.parentFile ?: return
        folder.mkdirs()
        val channel = RandomAccessFile(File(folder, "events.lock"), "rw").channel
        lock = try {
            channel.tryLock()
        } catch (_: OverlappingFileLockException) {
            null
        }
        if (lock == null) channel.close()
    }

    private fun read() {
        val file = file?.takeIf(File::exists) ?: return
        file.forEachLine { line ->
            val entry = try {
                Json.parse(line)
            } catch (_: IllegalArgumentException) {
                // The process ended while it wrote this line.
                null
            }
            entry.long("done")?.let(events::remove)
            val id = entry.long("id") ?: return@forEachLine
            val body = entry.member("event") as? Map<*, *> ?: return@forEachLine
            events[id] = QueuedEvent(id, entry.long("at") ?: 0, body.entries.associate { it.key.toString() to it.value })
            nextId = maxOf(nextId, id + 1)
        }
    }

    private fun append(entry: Map<String, Any?>) {
        val file = file
        if (!isOnDisk || file == null) return
        try {
            if (lines >= 2 * MAX_EVENTS) return rewrite()
            FileOutputStream(file, true).use { it.write((Json.write(entry) + "\n").toByteArray()) }
            lines++
        } catch (_: IOException) {
            // No room: the event stays in memory.
        }
    }

    private fun rewrite() {
        val text = events.values.joinToString("") {
            Json.write(mapOf("id" to it.id, "at" to it.atMs, "event" to it.body)) + "\n"
        }
        try {
            file?.replaceText(text)
            lines = events.size
        } catch (_: IOException) {
            // The file as it was is still right, but for what was done since.
        }
    }

    companion object {
        const val MAX_EVENTS = 500

        /** No token of a visit lives longer: `token_ttl_seconds` is at most a day, and the edge allows 30 s more. */
        const val MAX_AGE_MS = 86_430_000L

        /** The edge accepts 16 KiB. */
        private const val MAX_BATCH_BYTES = 16_000
    }
}
