package placard.core

import java.io.File
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.coroutines.resume
import kotlin.coroutines.suspendCoroutine

/**
 * Ads of one publishable key at one edge. Building it only stores [options]; threads, files and requests begin with the
 * first call. Its methods return at once, may be called on any thread, and never throw.
 */
public class PlacardClient internal constructor(private val options: Options, private val scheduler: Scheduler) {
    public constructor(options: Options) : this(options, ThreadScheduler())

    private val connection = Connection(options, scheduler)
    private val folder = options.folder?.let { File(it, if (options.isTest) "test" else "live") }
    private val seen = SeenCounts(folder, scheduler)
    private val events = EventSender(EventQueue(folder, scheduler), connection, scheduler)
    private val optOutFile = folder?.let { File(it, "opted-out") }
    private val isOpen = AtomicBoolean()

    // Of the client's own thread.
    private var featuresEndMs = Long.MIN_VALUE
    private var waiting: MutableList<() -> Unit>? = null
    private var mayCount = false
    private var hasOptedOut = false

    /** Requests an ad. This counts nothing: show the ad, then report its impression by [session] or [track]. */
    public fun serve(request: ServeRequest, callback: Callback<ServeOutcome>): Unit = runOpen {
        withFeatures {
            val stop = connection.features.stopReason()
            if (stop != null) {
                deliver(callback, ServeOutcome.NoFill(stop))
            } else {
                val consent = consent()
                mayCount = consent.mayCount(connection.features.presumesConsent)
                events.isOnDisk = consent.mayQueueOnDisk()
                connection.get("serve" + request.query(consent, seen.parameter(mayCount))) { answer ->
                    if (answer.error == null) events.connectionWorks()
                    deliver(callback, outcome(answer))
                }
            }
        }
    }

    /** As [serve] with a callback. */
    public suspend fun awaitServe(request: ServeRequest): ServeOutcome =
        suspendCoroutine { waiting -> serve(request) { waiting.resume(it) } }

    /**
     * Reports an event of the ad with this [token]. It is stored first, and sent until the edge has counted or refused it;
     * [callback] receives the outcome of the first attempts.
     */
    @JvmOverloads
    public fun track(
        token: String,
        event: AdEvent,
        conversion: Conversion? = null,
        callback: Callback<TrackOutcome>? = null,
    ): Unit = runOpen {
        val body = LinkedHashMap<String, Any?>()
        body["token"] = token
        body["event"] = event.wire
        conversion?.valueCents?.let { body["value_cents"] = it }
        conversion?.currency?.let { body["currency"] = it }
        conversion?.orderId?.let { body["order_id"] = it }
        events.send(body) { outcome -> if (callback != null) deliver(callback, outcome) }
    }

    /** As [track] with a callback. */
    public suspend fun awaitTrack(token: String, event: AdEvent, conversion: Conversion? = null): TrackOutcome =
        suspendCoroutine { waiting -> track(token, event, conversion) { waiting.resume(it) } }

    /** Begins the showing of an [ad] that you render yourself. */
    public fun session(ad: Ad): AdSession = AdSession(this, ad)

    /**
     * The user's own refusal of personalised ads, as `Sec-GPC` is in browsers: every request then asks for contextual ads
     * only, and counts on this device are deleted. Kept in the folder of [options] until it is set to false.
     */
    public fun setOptedOut(isOptedOut: Boolean): Unit = runOpen {
        hasOptedOut = isOptedOut
        if (isOptedOut) {
            seen.parameter(mayCount = false)
            optOutFile?.parentFile?.mkdirs()
            optOutFile?.createNewFile()
        } else {
            optOutFile?.delete()
        }
    }

    /** Sends queued events now; call it when the device is online again. */
    public fun flush(): Unit = runOpen { events.connectionWorks() }

    /** Ends all calls without a result. Unsent events stay on the disk. */
    public fun close() {
        scheduler.run { events.close() }
        scheduler.run { scheduler.close() }
    }

    /** Loads a URL of an advertiser: a picture of an ad. [done] runs on a background thread, with null where it failed. */
    public fun load(url: String, done: Callback<ByteArray?>): Unit = connection.load(url) { response ->
        done.onResult(response?.takeIf { it.status == 200 }?.body)
    }

    /** Seconds in view after which the slot requests another ad; null: never, or not known yet. Any thread. */
    public fun refreshSeconds(slot: String): Long? = connection.features.refreshSeconds(slot)

    internal fun nowMs(): Long = scheduler.nowMs()

    internal fun loadTracker(url: String): Unit = scheduler.run { connection.load(url) }

    internal fun count(ad: Ad, event: AdEvent): Unit = runOpen { if (mayCount) seen.count(ad, event) }

    private fun runOpen(task: () -> Unit): Unit = scheduler.run {
        if (isOpen.compareAndSet(false, true)) {
            hasOptedOut = optOutFile?.exists() ?: false
            events.open()
        }
        task()
    }

    /** Requests the features where they are not known. Without them, an ad is requested all the same. */
    private fun withFeatures(task: () -> Unit) {
        waiting?.let { return it.plusAssign(task) }
        val nowMs = scheduler.nowMs()
        if (featuresEndMs != Long.MIN_VALUE && nowMs < featuresEndMs) return task()
        val tasks = mutableListOf(task)
        waiting = tasks
        connection.get("features", maxRetries = 0) { answer ->
            // What was known stays until something newer comes.
            val received = answer.body?.let { Features(it) }
            received?.let { connection.features = it }
            featuresEndMs = nowMs + (received?.ttlSeconds ?: FEATURES_AGAIN_S) * 1000
            waiting = null
            tasks.forEach { it() }
        }
    }

    private fun consent(): Consent {
        val given = try {
            options.consent.consent()
        } catch (fault: Exception) {
            Log.report(fault)
            Consent.REFUSED
        }
        return if (hasOptedOut) Consent.REFUSED.orElse(given) else given
    }

    private fun outcome(answer: Answer): ServeOutcome = when {
        answer.error != null -> ServeOutcome.Failed(answer.error)
        answer.body == null -> ServeOutcome.NoFill(answer.reason)
        else -> try {
            ServeOutcome.Filled(Ad(answer.body))
        } catch (fault: IllegalArgumentException) {
            ServeOutcome.Failed(PlacardError("invalid_response", fault.message.orEmpty(), 200))
        }
    }

    private fun <T> deliver(callback: Callback<T>, result: T): Unit = options.executor.execute {
        try {
            callback.onResult(result)
        } catch (fault: Exception) {
            Log.report(fault)
        }
    }

    public companion object {
        /** Version of this library. */
        public const val VERSION: String = Features.VERSION

        /** How soon features are requested again that were not available. */
        private const val FEATURES_AGAIN_S = 30L
    }
}
