package placard.android

import android.app.Application
import android.content.Context
import android.view.View
import android.view.ViewGroup
import android.widget.TextView
import placard.core.ServeRequest

// The examples of README.md, so that they compile: a test compares the lines.

internal class App : Application() {
    override fun onCreate() {
        super.onCreate()
        Placard.initialize(this, "pk_live_…", "https://edge.placard.example")
    }
}

internal fun show(context: Context, container: ViewGroup) {
    val ad = AdView(context).apply { slotId = "sidebar" }
    ad.listener = object : AdListener() {
        override fun onNoFill(reason: String?) { ad.visibility = View.GONE }
    }
    container.addView(ad)
}

internal fun fill(title: TextView, row: View) {
    Placard.loadNative(ServeRequest.Builder("feed").keywords(listOf("running")).build(), object : NativeAdListener() {
        override fun onLoad(ad: NativeAd) {
            title.text = ad.ad.content.title
            ad.bind(row) // reports impression, view and click of this view
        }
    })
}
