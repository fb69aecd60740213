package placard.core

/**
 * Sends each event at once, and those that could not be sent together, by `/v1/track/batch`: when another request shows
 * that the edge can be reached, else after 30 s, doubled up to 15 minutes. Used on the client's own thread only.
 */
internal class EventSender(
    private val queue: EventQueue,
    private val connection: Connection,
    private val scheduler: Scheduler,
) {
    private var isSending = false
    private var isTimerSet = false
    private var failures = 0

    /** Of the next batch: halved where the edge refuses one as a whole, to find the event that is wrong. */
    private var maxEvents = MAX_BATCH

    var isOnDisk: Boolean
        get() = queue.isOnDisk
        set(isAllowed) {
            queue.isOnDisk = isAllowed
        }

    fun open() {
        queue.open()
        if (queue.size > 0) flush()
    }

    fun send(body: Map<String, Any?>, done: (TrackOutcome) -> Unit) {
        val event = queue.add(body)
        event.isInFlight = true
        connection.post("track", body) { answer ->
            event.isInFlight = false
            val error = answer.error
            if (error == null || !isTransient(error)) queue.remove(event)
            done(
                when {
                    error == null -> TrackOutcome.Counted
                    isTransient(error) -> TrackOutcome.Queued
                    else -> TrackOutcome.Failed(error)
                },
            )
            if (error == null) connectionWorks() else if (isTransient(error)) flushLater()
        }
    }

    fun connectionWorks() {
        failures = 0
        flush()
    }

    fun close(): Unit = queue.close()

    private fun flush() {
        if (isSending) return
        val batch = queue.batch(maxEvents)
        if (batch.isEmpty()) return
        isSending = true
        batch.forEach { it.isInFlight = true }
        connection.post("track/batch", mapOf("events" to batch.map { it.body }), maxRetries = 0) { answer ->
            isSending = false
            batch.forEach { it.isInFlight = false }
            finish(batch, answer)
        }
    }

    private fun finish(batch: List<QueuedEvent>, answer: Answer) {
        val error = answer.error
        if (error == null) {
            val results = answer.body.list("results")
            val isUnsettled = { index: Int -> Connection.isRetryable(results.getOrNull(index).int("status")) }
            batch.forEachIndexed { index, event -> if (!isUnsettled(index)) queue.remove(event) }
            maxEvents = MAX_BATCH
            if (batch.indices.any(isUnsettled)) return flushLater()
            failures = 0
            flush()
        } else if (isTransient(error) || error.status in KEY_REFUSED) {
            // With a key that is refused now, they wait for the app's next version, which brings another.
            flushLater()
        } else if (batch.size == 1) {
            queue.remove(batch.single())
            flush()
        } else {
            maxEvents = maxOf(1, batch.size / 2)
            flush()
        }
    }

    private fun flushLater() {
        if (isTimerSet) return
        isTimerSet = true
        val pauseMs = minOf(FIRST_PAUSE_MS shl minOf(failures++, MAX_DOUBLINGS), MAX_PAUSE_MS)
        scheduler.runAfter((pauseMs * (0.5 + scheduler.random())).toLong()) {
            isTimerSet = false
            flush()
        }
    }

    private companion object {
        /** The edge accepts as many. */
        private const val MAX_BATCH = 50
        private const val FIRST_PAUSE_MS = 30_000L
        private const val MAX_PAUSE_MS = 900_000L
        private const val MAX_DOUBLINGS = 10
        private val KEY_REFUSED = setOf(401, 403)

        /** A response that is not an edge's is that of a network one has to sign in to. */
        private fun isTransient(error: PlacardError) =
            Connection.isRetryable(error.status) || error.code == "invalid_response"
    }
}
