package placard.core

/**
 * Why a call failed.
 *
 * @property code the edge's own, or `network`, `timeout`, `invalid_response`, `invalid_request`, `render`
 * @property status HTTP status, if the edge responded
 * @property requestId quote it to support
 */
public class PlacardError @JvmOverloads constructor(
    public val code: String,
    public val message: String,
    public val status: Int? = null,
    public val requestId: String? = null,
) {
    override fun toString(): String = "$code: $message" + (requestId?.let { " ($it)" } ?: "")
}

/** Result of a serve request. */
public sealed class ServeOutcome {
    public class Filled internal constructor(public val ad: Ad) : ServeOutcome()

    /**
     * There is no ad for the slot now; this is not an error. [reason]: sent to test keys, and set where no request was
     * made (`kill_switch`, `outdated`).
     */
    public class NoFill internal constructor(public val reason: String?) : ServeOutcome()

    public class Failed internal constructor(public val error: PlacardError) : ServeOutcome()
}

/** Result of reporting an event. */
public sealed class TrackOutcome {
    /** Counted, now or before. */
    public object Counted : TrackOutcome()

    /** The edge could not be reached. The event is queued and sent later. */
    public object Queued : TrackOutcome()

    /** The edge refused the event; it is not sent again. */
    public class Failed internal constructor(public val error: PlacardError) : TrackOutcome()
}

/** Receives one result. */
public fun interface Callback<in T> {
    public fun onResult(result: T)
}

/** What a token may be sent for. */
public enum class AdEvent(internal val wire: String) {
    IMPRESSION("impression"),
    CLICK("click"),
    CONVERSION("conversion"),
    VIEWABLE("viewable"),
    START("start"),
    FIRST_QUARTILE("first_quartile"),
    MIDPOINT("midpoint"),
    THIRD_QUARTILE("third_quartile"),
    COMPLETE("complete"),
    SKIP("skip"),
    ERROR("error"),
}

/** Value of a conversion. [currency]: ISO 4217 code. [orderId]: each order counts once. */
public class Conversion @JvmOverloads constructor(
    public val valueCents: Long? = null,
    public val currency: String? = null,
    public val orderId: String? = null,
)
