package placard.android

import android.annotation.SuppressLint
import android.os.Build
import android.os.SystemClock
import android.view.MotionEvent
import android.view.View
import android.view.ViewGroup
import android.webkit.CookieManager
import android.webkit.RenderProcessGoneDetail
import android.webkit.WebResourceRequest
import android.webkit.WebSettings
import android.webkit.WebView
import android.webkit.WebViewClient
import android.widget.FrameLayout
import placard.core.Log

/**
 * Markup of an advertiser in a web view that reaches nothing of the app: an origin of its own, no files, no content
 * providers, no storage, no location, no bridge, no third-party cookies, no unencrypted parts, and no navigation. What the
 * user follows opens outside the app.
 */
@SuppressLint("SetJavaScriptEnabled", "ClickableViewAccessibility")
internal class HtmlAd(private val renderer: Renderer) {
    private val ad = renderer.ad
    private val web = WebView(renderer.context)
    private var touchedMs = Long.MIN_VALUE
    private var done: ((Rendered?) -> Unit)? = null

    /** The markup has no link of its own: then all of it is one. */
    private val isWholeLink = ad.hasDestination && CLICK_MACRO !in ad.content.html.orEmpty()

    fun load(done: (Rendered?) -> Unit) {
        this.done = done
        lock(web.settings)
        CookieManager.getInstance().setAcceptThirdPartyCookies(web, false)
        web.webViewClient = Client()
        web.isVerticalScrollBarEnabled = false
        web.isHorizontalScrollBarEnabled = false
        web.setBackgroundColor(0)
        web.contentDescription = renderer.words.advertisement
        web.setOnTouchListener { _, event ->
            if (event.action == MotionEvent.ACTION_UP) touchedMs = SystemClock.uptimeMillis()
            false
        }
        size()
        web.loadDataWithBaseURL(null, page(ad.content.html.orEmpty()), "text/html", "utf-8", null)
    }

    /** Before it stands anywhere, so that its page is laid out for the room that it will have. */
    private fun size() {
        val width = renderer.px(ad.content.width ?: ad.width ?: return)
        val height = renderer.px(ad.content.height ?: ad.height ?: return)
        web.measure(exactly(width), exactly(height))
        web.layout(0, 0, width, height)
    }

    private fun exactly(pixels: Int) = View.MeasureSpec.makeMeasureSpec(pixels, View.MeasureSpec.EXACTLY)

    /** The size is the ad's own: the page may neither scale nor scroll. */
    private fun page(html: String): String =
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">" +
            "<style>body{margin:0;overflow:hidden}</style>" + html.replace(CLICK_MACRO, ad.clickUrl)

    private fun lock(settings: WebSettings) {
        settings.javaScriptEnabled = true
        settings.allowFileAccess = false
        settings.allowContentAccess = false
        @Suppress("DEPRECATION")
        settings.allowFileAccessFromFileURLs = false
        @Suppress("DEPRECATION")
        settings.allowUniversalAccessFromFileURLs = false
        settings.domStorageEnabled = false
        settings.setGeolocationEnabled(false)
        settings.javaScriptCanOpenWindowsAutomatically = false
        settings.setSupportMultipleWindows(false)
        settings.mediaPlaybackRequiresUserGesture = true
        settings.mixedContentMode = WebSettings.MIXED_CONTENT_NEVER_ALLOW
        settings.cacheMode = WebSettings.LOAD_DEFAULT
    }

    private fun finish(isLoaded: Boolean) {
        val done = done ?: return
        this.done = null
        if (isLoaded) done(Shown(frame())) else done(null)
    }

    private fun frame(): FrameLayout {
        val width = ad.content.width ?: ad.width
        val height = ad.content.height ?: ad.height
        val frame = FrameLayout(renderer.context)
        frame.layoutParams = FrameLayout.LayoutParams(
            width?.let(renderer::px) ?: FrameLayout.LayoutParams.MATCH_PARENT,
            height?.let(renderer::px) ?: FrameLayout.LayoutParams.WRAP_CONTENT,
        )
        frame.addView(web)
        if (isWholeLink) View(renderer.context).let { over ->
            renderer.link(over, null)
            frame.addView(over)
        }
        return frame
    }

    /** Returns true: the web view stays where it is. */
    private fun follow(url: String, hasGesture: Boolean): Boolean {
        if (!hasGesture) return true
        Placard.guarded {
            if (url.startsWith(ad.clickUrl)) renderer.click(url) else Links.open(renderer.context, url)
        }
        return true
    }

    private inner class Client : WebViewClient() {
        override fun onPageFinished(view: WebView, url: String?): Unit = Placard.guarded { finish(true) }

        @SinceApi(24)
        override fun shouldOverrideUrlLoading(view: WebView, request: WebResourceRequest): Boolean =
            follow(request.url.toString(), request.hasGesture())

        /** Before Android 7, which does not say whether it was the user. */
        @Deprecated("Replaced in Android 7")
        override fun shouldOverrideUrlLoading(view: WebView, url: String): Boolean =
            follow(url, SystemClock.uptimeMillis() - touchedMs in 0..GESTURE_MS)

        /** Without this, a page that crashes its process ends the app. */
        @SinceApi(26)
        override fun onRenderProcessGone(view: WebView, detail: RenderProcessGoneDetail): Boolean {
            Placard.guarded {
                finish(false)
                (view.parent as? ViewGroup)?.removeView(view)
                view.destroy()
            }
            return true
        }
    }

    private inner class Shown(frame: FrameLayout) : Rendered(frame) {
        override fun pause(): Unit = web.onPause()

        override fun destroy(): Unit = try {
            web.stopLoading()
            web.destroy()
        } catch (fault: RuntimeException) {
            Log.report(fault)
        }
    }

    private companion object {
        private const val CLICK_MACRO = "{click_url}"

        /** After a touch, a navigation counts as the user's. */
        private const val GESTURE_MS = 1000L
    }
}
