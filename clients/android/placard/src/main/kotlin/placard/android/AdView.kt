package placard.android

import android.content.Context
import android.util.AttributeSet
import android.view.View
import android.widget.FrameLayout
import placard.core.PlacardClient
import placard.core.ServeRequest

/**
 * Shows an ad of one slot. It requests the ad when it is attached to a window, and stops all work when it is detached; an
 * ad that was shown stays through both. Views inside it in a layout are shown until there is an ad, and where there is
 * none.
 *
 * In a layout: `<placard.android.AdView placard:slot="sidebar" placard:format="banner" …/>` with
 * `xmlns:placard="https://placard.example/android"`. To be used on the main thread only. Never throws.
 */
public class AdView @JvmOverloads constructor(context: Context, attributes: AttributeSet? = null) :
    FrameLayout(context, attributes) {
    private val box = FrameLayout(context)
    private val presenter = AdPresenter(this, box)

    /** Key or id of the slot. Another slot is another ad. */
    public var slotId: String? = attributes?.getAttributeValue(NAMESPACE, "slot")
        set(slot) {
            if (slot == field) return
            field = slot
            changed()
        }

    /** Only ads of this format; null: any of the slot's. */
    public var format: String? = attributes?.getAttributeValue(NAMESPACE, "format")
        set(format) {
            if (format == field) return
            field = format
            changed()
        }

    /** A whole request, with keywords and key-values; it takes precedence over [slotId] and [format]. */
    public var request: ServeRequest? = null
        set(request) {
            if (request === field) return
            field = request
            changed()
        }

    /** Null: the one of [Placard.initialize]. */
    public var client: PlacardClient? = null
        set(client) {
            if (client === field) return
            field = client
            changed()
        }

    public var listener: AdListener? = null

    init {
        addView(box, LayoutParams(LayoutParams.MATCH_PARENT, LayoutParams.WRAP_CONTENT))
        reserve()
    }

    /** Requests another ad now, as a placement of its own. */
    public fun reload(): Unit = changed()

    internal fun currentRequest(): ServeRequest? =
        request ?: slotId?.let { ServeRequest.Builder(it).format(format).build() }

    /** The views of the layout file, in place of an ad. */
    internal fun showFallback(isShown: Boolean) {
        for (index in 0 until childCount) {
            val child = getChildAt(index)
            if (child !== box) child.visibility = if (isShown) View.VISIBLE else View.GONE
        }
    }

    override fun onAttachedToWindow() {
        super.onAttachedToWindow()
        presenter.attach()
    }

    override fun onDetachedFromWindow() {
        presenter.detach()
        super.onDetachedFromWindow()
    }

    override fun onWindowVisibilityChanged(visibility: Int) {
        super.onWindowVisibilityChanged(visibility)
        // The super class's constructor may call this.
        @Suppress("UNNECESSARY_SAFE_CALL", "SENSELESS_COMPARISON")
        if (presenter != null && visibility != View.VISIBLE) presenter.pause()
    }

    private fun changed() {
        reserve()
        presenter.restart()
    }

    /** The space stands before anything is requested, so that nothing moves when the ad comes. */
    private fun reserve() {
        val height = RESERVED_DP[format] ?: USUAL_DP
        box.minimumHeight = (height * resources.displayMetrics.density).toInt()
    }

    private companion object {
        private const val NAMESPACE = "https://placard.example/android"
        private const val USUAL_DP = 250
        private val RESERVED_DP = mapOf("native" to 120, "audio" to 60, "video" to 180, "email" to 200)
    }
}
