package placard.core

/**
 * One showing of an ad, which uses its token: at most one impression, one of each quality signal, and none after the
 * token's life. For your own rendering of an ad's content; views of this library do this by themselves.
 *
 * May be used from any thread, and never throws.
 */
public class AdSession internal constructor(private val client: PlacardClient, public val ad: Ad) {
    private val servedMs = client.nowMs()
    private val sent = HashSet<AdEvent>()

    /** Whether the ad was served so long ago that its token counts no more: request another one. */
    public val isExpired: Boolean
        get() = ad.ttlSeconds > 0 && client.nowMs() - servedMs > ad.ttlSeconds * 1000

    /** Call this when the ad can be seen. Returns whether it is the first call, and in time. */
    public fun recordImpression(): Boolean {
        if (!record(AdEvent.IMPRESSION)) return false
        client.count(ad, AdEvent.IMPRESSION)
        ad.impressionTrackers.forEach(client::loadTracker)
        return true
    }

    /**
     * Call this when the ad is clicked, then open the URL that this returns; the edge counts the click there. Null where
     * the ad has no destination: then there is no click.
     */
    public fun recordClick(): String? {
        if (!ad.hasDestination || !ad.hasWebLink) return null
        client.count(ad, AdEvent.CLICK)
        ad.clickTrackers.forEach(client::loadTracker)
        return ad.clickUrl
    }

    /** Reports a quality signal, once. Returns whether it is the first call, and in time. */
    public fun record(event: AdEvent): Boolean {
        val isFirst = synchronized(sent) { !isExpired && sent.add(event) }
        if (isFirst) client.track(ad.trackToken, event)
        return isFirst
    }
}
