package placard.android

import android.app.Activity
import android.net.Uri
import android.os.Handler
import android.os.Looper
import android.view.ViewParent
import android.webkit.WebResourceRequest
import android.webkit.WebView
import java.util.Base64
import org.robolectric.Robolectric
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.annotation.Implementation
import org.robolectric.annotation.Implements
import org.robolectric.annotation.RealObject
import org.robolectric.shadows.ShadowWebView
import org.robolectric.util.ReflectionHelpers

/** One pixel. */
internal val PIXEL: ByteArray = Base64.getDecoder().decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQckkDAAFYAM11wf4aAAAAAElFTkSuQmCC")

/** An activity in front of its user, which has not happened to those of Robolectric until the window manager reports it. */
internal fun openActivity(): ActivityController<Activity> {
    val opened = Robolectric.buildActivity(Activity::class.java).setup()
    val window: ViewParent = opened.get().window.decorView.parent
    val isVisible = ReflectionHelpers.ClassParameter.from(Boolean::class.javaPrimitiveType, true)
    ReflectionHelpers.callInstanceMethod<Unit>(window, "handleAppVisibility", isVisible)
    shadowOf(Looper.getMainLooper()).idle()
    return opened
}

/** Robolectric has no browser: this one finishes each page at once. */
@Implements(WebView::class)
public class FinishingWebView : ShadowWebView() {
    @RealObject
    private lateinit var web: WebView

    @Implementation
    override fun loadDataWithBaseURL(base: String?, data: String?, mime: String?, encoding: String?, history: String?) {
        super.loadDataWithBaseURL(base, data, mime, encoding, history)
        Handler(Looper.getMainLooper()).post { webViewClient?.onPageFinished(web, "about:blank") }
    }
}

/** A link that the user followed, or a script, without [isUsers]. */
internal class Navigation(private val url: String, private val isUsers: Boolean = true) : WebResourceRequest {
    override fun getUrl(): Uri = Uri.parse(url)

    override fun isForMainFrame(): Boolean = true

    override fun isRedirect(): Boolean = false

    override fun hasGesture(): Boolean = isUsers

    override fun getMethod(): String = "GET"

    override fun getRequestHeaders(): Map<String, String> = emptyMap()
}
