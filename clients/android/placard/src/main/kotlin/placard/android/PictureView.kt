package placard.android

import android.annotation.SuppressLint
import android.content.Context
import android.content.res.Configuration
import android.graphics.Color
import android.os.Build
import android.view.Gravity
import android.view.View.MeasureSpec
import android.widget.FrameLayout
import android.widget.ImageView
import android.widget.TextView
import java.util.Locale

/** A picture of [width] by [height] density-independent pixels, smaller where there is less room; null: its own size. */
@SuppressLint("ViewConstructor", "AppCompatCustomView")
internal class PictureView(context: Context, private val width: Int?, private val height: Int?) : ImageView(context) {
    init {
        adjustViewBounds = true
        scaleType = ScaleType.FIT_CENTER
        layoutParams = FrameLayout.LayoutParams(
            FrameLayout.LayoutParams.WRAP_CONTENT,
            FrameLayout.LayoutParams.WRAP_CONTENT,
            Gravity.CENTER,
        )
    }

    override fun onMeasure(widthSpec: Int, heightSpec: Int) {
        if (width == null || height == null || width <= 0 || height <= 0) return super.onMeasure(widthSpec, heightSpec)
        val density = resources.displayMetrics.density
        val across = minOf(width * density, room(widthSpec), room(heightSpec) * width / height)
        setMeasuredDimension(across.toInt(), (across * height / width).toInt())
    }

    private fun room(spec: Int): Float =
        if (MeasureSpec.getMode(spec) == MeasureSpec.UNSPECIFIED) Float.MAX_VALUE else MeasureSpec.getSize(spec).toFloat()
}

/** Says that an ad is one, in its upper corner; in the test environment, that it is a test. */
internal object Label {
    fun of(context: Context, isTest: Boolean): TextView {
        val words = Words.of(context.resources.configuration.locale())
        return TextView(context).apply {
            text = if (isTest) words.test else words.ad
            textSize = 10f
            setTextColor(if (isTest) Color.WHITE else Color.BLACK)
            setBackgroundColor(if (isTest) TEST_COLOUR else Color.WHITE)
            val side = (4 * resources.displayMetrics.density).toInt()
            setPadding(side, 0, side, 0)
            layoutParams = FrameLayout.LayoutParams(
                FrameLayout.LayoutParams.WRAP_CONTENT,
                FrameLayout.LayoutParams.WRAP_CONTENT,
                Gravity.TOP or Gravity.END,
            )
        }
    }

    /** Dark orange: white on it has a contrast of 5.6. */
    private const val TEST_COLOUR = 0xFFA64500.toInt()
}

internal fun Configuration.locale(): Locale =
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.N) firstLocale(this) else oldLocale(this)

@SinceApi(24)
private fun firstLocale(configuration: Configuration): Locale = configuration.locales[0] ?: Locale.getDefault()

@Suppress("DEPRECATION")
private fun oldLocale(configuration: Configuration): Locale = configuration.locale ?: Locale.getDefault()
