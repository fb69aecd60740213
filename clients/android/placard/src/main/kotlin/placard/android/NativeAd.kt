package placard.android

import android.view.View
import android.widget.ImageView
import placard.core.Ad
import placard.core.AdEvent
import placard.core.AdSession
import placard.core.PlacardClient
import placard.core.PlacardError
import placard.core.ServeOutcome
import placard.core.ServeRequest
import placard.core.ViewClock

/** Results of [Placard.loadNative], on the main thread. Each method does nothing unless it is overridden. */
public abstract class NativeAdListener {
    public open fun onLoad(ad: NativeAd) {}

    /** There is no ad for the slot now; this is not an error. */
    public open fun onNoFill(reason: String?) {}

    public open fun onError(error: PlacardError) {}
}

/**
 * An ad for views of your own: fill them from [ad], then call [bind], which reports impression, view and click. To be used
 * on the main thread.
 */
public class NativeAd internal constructor(private val client: PlacardClient, public val ad: Ad) {
    private val session: AdSession = client.session(ad)
    private var visibility: Visibility? = null
    private var bound: View? = null

    /** Its token has expired: request another ad. */
    public val isExpired: Boolean
        get() = session.isExpired

    /**
     * Measures and links [view], which shows this ad, until [unbind]. The impression is reported when a part of it is in
     * view, once, whatever view it is bound to. [listener] also receives impression, view and click.
     */
    @JvmOverloads
    public fun bind(view: View, listener: AdListener? = null): Unit = Placard.guarded {
        unbind()
        bound = view
        val clock = ViewClock(ad.viewability)
        if (ad.hasDestination) view.setOnClickListener { Placard.guarded { click(view, listener) } }
        visibility = Visibility({ view }) { nowMs, ratio, area ->
            if (ratio > 0 && session.recordImpression()) listener?.onImpression(ad)
            val isViewed = clock.sample(nowMs, ratio, area)
            if (isViewed && session.record(AdEvent.VIEWABLE)) listener?.onViewable(ad)
            !isViewed && !session.isExpired
        }.also { it.start() }
    }

    public fun unbind() {
        visibility?.stop()
        visibility = null
        bound?.setOnClickListener(null)
        bound = null
    }

    /** Loads a picture of the ad into [view], off the main thread. */
    public fun loadPicture(url: String, view: ImageView): Unit = Placard.guarded { Pictures.load(client, url, view) {} }

    private fun click(view: View, listener: AdListener?) {
        val url = session.recordClick() ?: return
        Links.open(view.context, url)
        listener?.onClick(ad)
    }

    internal companion object {
        fun load(client: PlacardClient?, request: ServeRequest, listener: NativeAdListener) {
            if (client == null) {
                return listener.onError(PlacardError("invalid_request", "Call Placard.initialize() first."))
            }
            client.serve(request) { outcome ->
                when (outcome) {
                    is ServeOutcome.Filled -> listener.onLoad(NativeAd(client, outcome.ad))
                    is ServeOutcome.NoFill -> listener.onNoFill(outcome.reason)
                    is ServeOutcome.Failed -> listener.onError(outcome.error)
                }
            }
        }
    }
}
