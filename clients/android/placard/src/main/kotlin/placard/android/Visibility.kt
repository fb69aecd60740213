package placard.android

import android.graphics.Rect
import android.os.Handler
import android.os.Looper
import android.os.SystemClock
import android.view.View

/**
 * Samples how much of a view is in view: ten times a second, and once where its window is hidden. Views that cover it are not
 * noticed. [onSample] receives the time in milliseconds, the part in view (0 to 1), and the area of the whole in square
 * density-independent pixels; it returns whether to go on.
 */
internal class Visibility(private val target: () -> View, private val onSample: (Long, Double, Double) -> Boolean) :
    Runnable {
    private val handler = Handler(Looper.getMainLooper())
    private val visible = Rect()

    fun start() {
        stop()
        handler.post(this)
    }

    fun stop(): Unit = handler.removeCallbacks(this)

    override fun run(): Unit = Placard.guarded {
        val view = target()
        val density = view.resources.displayMetrics.density
        val area = view.width.toDouble() * view.height
        val inView = if (area > 0 && isInFront(view) && view.getGlobalVisibleRect(visible)) {
            visible.width().toDouble() * visible.height() / area
        } else {
            0.0
        }
        if (onSample(SystemClock.uptimeMillis(), minOf(inView, 1.0), area / (density * density))) {
            handler.postDelayed(this, if (view.windowVisibility == View.VISIBLE) INTERVAL_MS else HIDDEN_INTERVAL_MS)
        }
    }

    private fun isInFront(view: View): Boolean {
        if (view.windowVisibility != View.VISIBLE || !view.isShown) return false
        var shown: View? = view
        while (shown != null) {
            if (shown.alpha < MIN_ALPHA) return false
            shown = shown.parent as? View
        }
        return true
    }

    private companion object {
        private const val INTERVAL_MS = 100L
        private const val HIDDEN_INTERVAL_MS = 1000L

        /** Fainter than this nobody sees it. */
        private const val MIN_ALPHA = 0.1f
    }
}
