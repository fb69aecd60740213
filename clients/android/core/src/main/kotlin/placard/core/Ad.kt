package placard.core

/** A file of an audio or video ad. [mime] such as `video/mp4`; [durationMs] in milliseconds, where it is known. */
public class Medium internal constructor(public val url: String, public val mime: String, public val durationMs: Long?)

/** How an ad's frequency cap is counted on this device. [name] is opaque, [event] a wire name. */
public class Cap internal constructor(public val name: String, public val event: String, public val windowSeconds: Long)

/** When an ad counts as viewable: [ratio] of it (0 to 1) in view for [durationMs] without a break. */
public class Viewability internal constructor(public val ratio: Double, public val durationMs: Long)

/** What an ad is made of. Which fields are set depends on its format. Sizes in density-independent pixels. */
public class Content internal constructor(json: Any?) {
    public val imageUrl: String? = json.text("image_url")
    public val alt: String? = json.text("alt")
    public val html: String? = json.text("html")
    public val title: String? = json.text("title")
    public val body: String? = json.text("body")
    public val cta: String? = json.text("cta")
    public val sponsoredBy: String? = json.text("sponsored_by")

    /** URL of a small picture beside the title. */
    public val icon: String? = json.text("icon")

    /** URL of a large picture. */
    public val image: String? = json.text("image")
    public val media: List<Medium> = json.list("media").mapNotNull { medium ->
        medium.text("url")?.let { Medium(it, medium.text("mime").orEmpty(), medium.long("duration_ms")) }
    }

    /** The picture shown beside an audio ad. */
    public val companion: Content? = json.member("companion")?.let(::Content)
    public val width: Int? = json.int("width")
    public val height: Int? = json.int("height")

    /** From when a video ad may be skipped, in milliseconds of its playback; null: never. */
    public val skipOffsetMs: Long? = json.long("skip_offset_ms")
}

/**
 * An ad as the edge served it. [json]: the parsed body of a serve response.
 *
 * Throws [IllegalArgumentException] where it lacks a field that cannot be done without.
 */
public class Ad internal constructor(json: Any?) {
    public val decisionId: String = json.text("decision_id").orEmpty()
    public val adId: String = json.text("ad_id").orEmpty()
    public val campaignId: String = json.text("campaign_id").orEmpty()
    public val slotId: String = json.text("slot_id").orEmpty()
    public val propertyId: String = json.text("property_id").orEmpty()

    /** `banner`, `html`, `native`, `audio`, `video` or `email`; others may be added. */
    public val format: String = required(json, "format")

    /** Density-independent pixels; null where the format has no size of its own. */
    public val width: Int? = json.int("width")
    public val height: Int? = json.int("height")
    public val content: Content = Content(json.member("content"))

    /** The ad as markup for a page. Views of this library render [content] instead. */
    public val html: String = json.text("html").orEmpty()

    /** Sent back unchanged, once for each kind of event. */
    public val trackToken: String = required(json, "track_token")
    public val impressionUrl: String = json.text("impression_url").orEmpty()

    /** Opened unchanged when the ad is clicked; the edge counts the click and redirects. */
    public val clickUrl: String = required(json, "click_url")
    public val source: String = json.text("source").orEmpty()
    public val isTest: Boolean = json.flag("is_test") ?: false

    /** Lifetime of [trackToken] in seconds. */
    public val ttlSeconds: Long = json.long("ttl_seconds") ?: 0

    /** False: the ad has no link and no click. */
    public val hasDestination: Boolean = json.flag("has_destination") ?: true
    public val viewability: Viewability = Viewability(
        json.member("viewability").number("ratio") ?: Viewable.USUAL_RATIO,
        json.member("viewability").long("duration_ms") ?: Viewable.USUAL_MS,
    )
    public val caps: List<Cap> = json.list("caps").mapNotNull { cap ->
        val name = cap.text("name") ?: return@mapNotNull null
        Cap(name, cap.text("event").orEmpty(), cap.long("window_seconds") ?: return@mapNotNull null)
    }

    /** The advertiser's own URLs, loaded for each impression and each click. */
    public val impressionTrackers: List<String> = trackers(json, "impression_urls")
    public val clickTrackers: List<String> = trackers(json, "click_urls")

    /** Whether [clickUrl] is a URL of the web. Others are never opened, and the ad is not shown. */
    public val hasWebLink: Boolean = WEB_URL.matches(clickUrl)

    private companion object {
        // Also safe inside an attribute of an html ad.
        private val WEB_URL = Regex("https?:[^\\s\"'<>&]+")

        private fun required(json: Any?, name: String): String =
            requireNotNull(json.text(name)) { "The edge's response has no $name." }

        private fun trackers(json: Any?, name: String): List<String> =
            json.member("tracking").list(name).filterIsInstance<String>().filter { it.startsWith("https:") }
    }
}
