package placard.core

/** What counts as in view. Areas in square density-independent pixels, which are a page's CSS pixels. */
public object Viewable {
    internal const val USUAL_RATIO = 0.5
    internal const val USUAL_MS = 1000L

    /** Above this an ad is large, more than 970×250, and less of it must be in view (Media Rating Council). */
    private const val LARGE_AREA = 242_000.0
    private const val LARGE_RATIO = 0.3

    /** The part, from 0 to 1, of an ad of this [area] that must be in view where [ratio] is usual. */
    public fun requiredRatio(ratio: Double, area: Double): Double = if (area > LARGE_AREA) LARGE_RATIO else ratio
}

/**
 * Measures when an ad becomes viewable: enough of it in view for long enough without a break. It is given samples; a
 * sample holds until the next one. Ten samples a second are what the Media Rating Council asks for.
 */
public class ViewClock(private val viewability: Viewability) {
    private var sinceMs: Long? = null
    private var isDone = false

    /**
     * True once, with the sample at which the ad has become viewable. [nowMs]: of a clock that never goes back.
     * [ratio]: the part of the ad in view, 0 to 1, and 0 where its window is not in front. [area]: of the whole ad.
     */
    public fun sample(nowMs: Long, ratio: Double, area: Double): Boolean {
        if (isDone) return false
        if (area <= 0 || ratio < Viewable.requiredRatio(viewability.ratio, area)) {
            sinceMs = null
            return false
        }
        val startMs = sinceMs ?: nowMs.also { sinceMs = it }
        isDone = nowMs - startMs >= viewability.durationMs
        return isDone
    }
}

/** Measures when a slot requests another ad: half of it in view for [seconds] in total, and 30 at least. */
public class RefreshClock(seconds: Long) {
    private var leftMs = maxOf(seconds, MIN_SECONDS) * 1000
    private var lastMs: Long? = null

    /** True from the sample on at which the time is over; arguments as in [ViewClock.sample]. */
    public fun sample(nowMs: Long, ratio: Double, area: Double): Boolean {
        val isInView = area > 0 && ratio >= Viewable.requiredRatio(Viewable.USUAL_RATIO, area)
        lastMs?.let { leftMs -= nowMs - it }
        lastMs = if (isInView) nowMs else null
        return isInView && leftMs <= 0
    }

    private companion object {
        private const val MIN_SECONDS = 30L
    }
}

/** Turns the progress of a player into events, each of them once. */
public class Playback {
    private var reached = 0
    private var isOver = false

    /** Events that are due at [positionMs] of [durationMs]; a duration of 0 or less is unknown. */
    public fun advance(positionMs: Long, durationMs: Long): List<AdEvent> {
        if (isOver) return emptyList()
        val quarters = if (durationMs > 0) (positionMs * 4 / durationMs).toInt() else 0
        val due = QUARTILES.subList(minOf(reached, QUARTILES.size), (quarters + 1).coerceIn(reached, QUARTILES.size))
        reached += due.size
        return due.toList()
    }

    /** The end was reached by playing. */
    public fun complete(): List<AdEvent> = finish(QUARTILES.drop(reached) + AdEvent.COMPLETE)

    public fun skip(): List<AdEvent> = finish(listOf(AdEvent.SKIP))

    public fun fail(): List<AdEvent> = finish(listOf(AdEvent.ERROR))

    private fun finish(events: List<AdEvent>): List<AdEvent> {
        if (isOver) return emptyList()
        isOver = true
        return events
    }

    private companion object {
        private val QUARTILES =
            listOf(AdEvent.START, AdEvent.FIRST_QUARTILE, AdEvent.MIDPOINT, AdEvent.THIRD_QUARTILE)
    }
}
