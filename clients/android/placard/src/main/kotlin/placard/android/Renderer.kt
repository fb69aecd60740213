package placard.android

import android.content.Context
import android.view.View
import placard.core.Ad
import placard.core.AdEvent
import placard.core.AdSession
import placard.core.PlacardClient

/** An ad as a view. */
internal open class Rendered(val view: View) {
    /** While it plays, no other ad takes its place. */
    open val isBusy: Boolean get() = false

    /** It is out of the user's sight. */
    open fun pause() {}

    open fun destroy() {}
}

/** Makes views of an ad. [onClick]: with the URL that was followed, or null for the ad's own. */
internal class Renderer(
    val context: Context,
    val session: AdSession,
    val client: PlacardClient,
    private val onClick: (AdSession, String?) -> Unit,
    val onEvent: (AdEvent) -> Unit,
) {
    val ad: Ad = session.ad
    val words: Words = Words.of(context.resources.configuration.locale())
    val density: Float = context.resources.displayMetrics.density

    /**
     * [done] runs on the main thread, with null where a picture could not be loaded. Throws [IllegalArgumentException]
     * where the ad cannot be shown.
     */
    fun render(done: (Rendered?) -> Unit) {
        require(ad.hasWebLink) { "The ad's click URL is not a URL of the web." }
        when {
            ad.content.imageUrl != null -> picture(ad.content.imageUrl!!, done)
            ad.format == "html" -> HtmlAd(this).load(done)
            ad.format == "native" -> done(Rendered(NativeAdView(this)))
            ad.format == "audio" -> done(AudioAd(this))
            ad.format == "video" -> done(VideoAd(this))
            else -> throw IllegalArgumentException("This version cannot show the format ${ad.format}.")
        }
    }

    private fun picture(url: String, done: (Rendered?) -> Unit) {
        val content = ad.content
        val view = PictureView(context, content.width ?: ad.width, content.height ?: ad.height)
        link(view, content.alt)
        Pictures.load(client, url, view) { isLoaded -> done(if (isLoaded) Rendered(view) else null) }
    }

    /** Makes [view] lead to the advertiser, where the ad leads anywhere. [description]: what a screen reader reads. */
    fun link(view: View, description: String?) {
        view.contentDescription = description?.ifEmpty { null } ?: words.advertisement
        if (!ad.hasDestination) return
        view.isFocusable = true
        view.setOnClickListener { Placard.guarded { click(null) } }
    }

    fun click(url: String?): Unit = onClick(session, url)

    fun px(dp: Int): Int = (dp * density).toInt()
}
