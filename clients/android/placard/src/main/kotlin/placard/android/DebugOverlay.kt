package placard.android

import android.content.Context
import android.graphics.Color
import android.graphics.Typeface
import android.view.Gravity
import android.view.View
import android.widget.FrameLayout
import android.widget.TextView
import placard.core.ServeOutcome

/** The results of a view's requests, on top of it: nothing of the user, and of the key no more than its kind and end. */
internal class DebugOverlay(context: Context) {
    private val events = mutableListOf<String>()
    private var outcome = ""

    val view: TextView by lazy(LazyThreadSafetyMode.NONE) {
        TextView(context).apply {
            textSize = 10f
            typeface = Typeface.MONOSPACE
            setTextColor(Color.WHITE)
            setBackgroundColor(BACKGROUND)
            importantForAccessibility = View.IMPORTANT_FOR_ACCESSIBILITY_NO
            layoutParams = FrameLayout.LayoutParams(
                FrameLayout.LayoutParams.MATCH_PARENT,
                FrameLayout.LayoutParams.WRAP_CONTENT,
                Gravity.BOTTOM,
            )
        }
    }

    fun request(slot: String, result: ServeOutcome, tookMs: Long) {
        val what = when (result) {
            is ServeOutcome.Filled -> "ad ${result.ad.adId} by ${result.ad.source}"
            is ServeOutcome.NoFill -> "no fill: ${result.reason ?: "test keys receive the reason"}"
            is ServeOutcome.Failed -> result.error.toString()
        }
        outcome = "$slot ${Placard.options?.shortKey.orEmpty()}\n$what\n$tookMs ms"
        events.clear()
    }

    fun event(name: String) {
        if (Placard.options?.isDebug != true) return
        events += name
        view.text = "$outcome ${events.joinToString(" ")}"
    }

    private companion object {
        private const val BACKGROUND = 0xCC111111.toInt()
    }
}
