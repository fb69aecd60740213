package placard.android

import android.annotation.SuppressLint
import android.content.Context
import android.content.res.Configuration
import android.graphics.Color
import android.graphics.Typeface
import android.widget.ImageView
import android.widget.LinearLayout
import android.widget.TextView

/** A native ad in the app's own colours: icon, title and sponsor in a row, then picture, text and call to action. */
@SuppressLint("ViewConstructor")
internal class NativeAdView(private val renderer: Renderer) : LinearLayout(renderer.context) {
    init {
        val content = renderer.ad.content
        orientation = VERTICAL
        val side = renderer.px(8)
        setPadding(side, side, side, side)
        val heading = LinearLayout(context).apply { orientation = HORIZONTAL }
        content.icon?.let { heading.addView(picture(it), LayoutParams(renderer.px(32), renderer.px(32))) }
        val names = LinearLayout(context).apply { orientation = VERTICAL }
        line(names, content.title, 16f, isBold = true)
        line(names, content.sponsoredBy, 12f, isBold = false)
        heading.addView(names)
        addView(heading)
        content.image?.let { addView(picture(it).apply { adjustViewBounds = true }) }
        line(this, content.body, 14f, isBold = false)
        line(this, content.cta, 14f, isBold = true)
        val spoken = listOfNotNull(content.title, content.body, content.cta, content.sponsoredBy).joinToString(". ")
        renderer.link(this, spoken)
    }

    private fun picture(url: String) = ImageView(context).also { view ->
        view.importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO
        Pictures.load(renderer.client, url, view) { isLoaded -> if (!isLoaded) view.visibility = GONE }
    }

    private fun line(into: LinearLayout, text: String?, size: Float, isBold: Boolean) {
        if (text.isNullOrEmpty()) return
        into.addView(
            TextView(context).apply {
                this.text = text
                textSize = size
                setTextColor(textColour(context))
                if (isBold) setTypeface(typeface, Typeface.BOLD)
            },
        )
    }
}

/** The theme's own, so that it follows light and dark mode. */
internal fun textColour(context: Context): Int {
    val found = context.obtainStyledAttributes(intArrayOf(android.R.attr.textColorPrimary))
    try {
        val night = context.resources.configuration.uiMode and Configuration.UI_MODE_NIGHT_MASK
        val usual = if (night == Configuration.UI_MODE_NIGHT_YES) Color.WHITE else Color.BLACK
        return found.getColor(0, usual)
    } finally {
        found.recycle()
    }
}
