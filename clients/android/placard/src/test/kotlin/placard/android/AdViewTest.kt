package placard.android

import android.content.Context
import android.os.Looper
import android.view.View
import android.view.ViewGroup
import android.webkit.RenderProcessGoneDetail
import android.webkit.WebView
import android.widget.Button
import android.widget.FrameLayout
import android.widget.TextView
import java.time.Duration
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowMediaPlayer
import org.robolectric.shadows.util.DataSource
import placard.core.Ad
import placard.core.Callback
import placard.core.Consent
import placard.core.Log
import placard.core.Options
import placard.core.ScriptedEdge
import placard.core.ServeRequest

/** What a view of this platform does beyond the cases that all libraries share. */
@RunWith(RobolectricTestRunner::class)
@Config(sdk = [34], shadows = [FinishingWebView::class])
public class AdViewTest {
    private val activity = openActivity()
    private val root = FrameLayout(activity.get()).also(activity.get()::setContentView)
    private val faults = mutableListOf<String>()
    private lateinit var edge: ScriptedEdge

    @After
    public fun close() {
        Log.listener = null
        Placard.client?.close()
        activity.close()
    }

    private fun edge(serve: String, settings: Options.Builder.() -> Unit = {}) {
        val answers = mapOf("features" to listOf("features"), "serve" to listOf(serve), "track" to listOf("counted"))
        Log.listener = Callback { faults.add(it.stackTraceToString()) }
        edge = ScriptedEdge(answers, { 0 }, { PIXEL })
        Placard.initialize(
            activity.get(),
            Options.Builder("pk_test_0123456789abcdefghijABCDEFGHIJ000000", "https://edge.example")
                .transport(edge)
                .apply(settings),
        )
    }

    private fun show(view: AdView = AdView(activity.get())): AdView {
        view.slotId = "banner"
        root.addView(view)
        return view
    }

    private fun until(condition: () -> Boolean) {
        var turns = 0
        while (!condition()) {
            check(turns++ < 2000) { "${events()} ${texts()} $faults" }
            shadowOf(Looper.getMainLooper()).idleFor(Duration.ofMillis(50))
            Thread.sleep(1)
        }
    }

    private fun requests(path: String) = synchronized(edge) { edge.requests.filter { it["path"] == path } }

    private fun events() = requests("/v1/track").map { (it["body"] as Map<*, *>)["event"] }

    private fun find(matches: (View) -> Boolean) = ViewCasesTest.find(root, matches)

    private fun texts(): List<String> {
        val found = mutableListOf<String>()
        find { view -> (view as? TextView)?.let { found.add(it.text.toString()) }.let { false } }
        return found
    }

    private fun prefer(vararg values: Pair<String, Any>) {
        val context: Context = activity.get()
        val editor = context.getSharedPreferences(context.packageName + "_preferences", Context.MODE_PRIVATE).edit()
        for ((name, value) in values) if (value is Int) editor.putInt(name, value) else editor.putString(name, "$value")
        editor.commit()
    }

    @Test
    public fun theConsentPlatformsPreferencesGoWithEveryRequest() {
        prefer(
            "IABTCF_gdprApplies" to 1, "IABTCF_TCString" to "CPtc", "IABTCF_PurposeConsents" to "1011",
            "IABGPP_HDR_GppString" to "DBgpp", "IABGPP_GppSID" to "7_8", "IABUSPrivacy_String" to "1YNN",
        )
        edge("banner") { consent(Consent.Builder().coppa(false).usPrivacy("1YYN").build()) }
        val view = show()
        until { events().isNotEmpty() }
        prefer("IABTCF_PurposeConsents" to "0000", "IABTCF_TCString" to "CPother")
        view.reload()
        until { requests("/v1/serve").size == 2 }

        val sent = mapOf(
            "slot" to "banner", "gdpr" to "1", "gdpr_consent" to "CPtc", "gpp" to "DBgpp", "gpp_sid" to "7,8",
            "us_privacy" to "1YYN", "coppa" to "0", "seen" to "none",
        )
        val (first, second) = requests("/v1/serve").map { it["query"] }
        assertEquals(sent, first)
        assertEquals(sent - "seen" + ("gdpr_consent" to "CPother"), second)
    }

    @Test
    public fun whoOptedOutStaysSo() {
        edge("banner") { consent(Consent.Builder().lgpd(true).build()) }
        Placard.setOptedOut(true)
        show()
        until { requests("/v1/serve").size == 1 }
        edge("banner") { consent(Consent.Builder().lgpd(true).build()) }
        show()
        until { requests("/v1/serve").size == 1 }

        assertEquals(mapOf("slot" to "banner", "npa" to "1", "lgpd" to "1"), requests("/v1/serve").single()["query"])
    }

    @Test
    public fun anAdOfTheTestEnvironmentSaysSo() {
        edge("banner") { debug(true) }
        show()
        until { "Test ad" in texts() }
        until { texts().any { "pk_test_…0000" in it && "load impression" in it } }

        assertFalse(texts().any { "0123456789" in it })
    }

    @Test
    public fun viewsOfTheLayoutStandWhereThereIsNoAd() {
        edge("no_fill")
        val fallback = TextView(activity.get())
        val reasons = mutableListOf<String?>()
        val view = AdView(activity.get()).apply { addView(fallback) }
        view.listener = object : AdListener() {
            override fun onNoFill(reason: String?) {
                reasons.add(reason)
            }
        }
        show(view)
        until { reasons.size == 1 }
        assertEquals(View.VISIBLE, fallback.visibility)

        edge("banner")
        view.reload()
        until { events().isNotEmpty() }
        assertEquals(View.GONE, fallback.visibility)
    }

    @Test
    public fun whatTheAppThrowsDoesNotComeBackToIt() {
        edge("banner")
        val view = AdView(activity.get())
        view.listener = object : AdListener() {
            override fun onLoad(ad: Ad): Unit = throw IllegalStateException("the app's")
        }
        show(view)
        until { "impression" in events() }

        assertTrue(faults.single().startsWith("java.lang.IllegalStateException: the app's"))
    }

    @Test
    public fun htmlMayNeitherNavigateNorEndTheApp() {
        edge("html")
        show()
        until { events().isNotEmpty() }
        val web = find { it is WebView } as WebView

        assertTrue(web.webViewClient.shouldOverrideUrlLoading(web, Navigation("https://bad.example/", isUsers = false)))
        assertTrue(web.webViewClient.shouldOverrideUrlLoading(web, Navigation("intent://scan/#Intent;end")))
        assertNull(shadowOf(activity.get()).nextStartedActivity)
        val settings = web.settings
        assertFalse(settings.allowFileAccess || settings.allowContentAccess || settings.domStorageEnabled)
        assertTrue(web.webViewClient.onRenderProcessGone(web, Gone()))
        assertNull(find { it is WebView })
    }

    @Test
    public fun anAudioAdReportsHowFarItWasPlayed() {
        val source = DataSource.toDataSource("https://brand.example/a.mp4")
        ShadowMediaPlayer.addMediaInfo(source, ShadowMediaPlayer.MediaInfo(5000, 10))
        edge("audio")
        show()
        until { events().isNotEmpty() }
        val button = find { it is Button && it.text == "Play" } as Button
        button.performClick()
        until { "complete" in events() }

        val progress = listOf("start", "first_quartile", "midpoint", "third_quartile", "complete")
        assertEquals(progress, events().filter { it in progress })
        assertFalse(button.isEnabled)
    }

    @Test
    public fun aNativeAdIsMeasuredInTheAppsOwnView() {
        edge("native")
        val loaded = mutableListOf<NativeAd>()
        Placard.loadNative(
            ServeRequest.Builder("banner").build(),
            object : NativeAdListener() {
                override fun onLoad(ad: NativeAd) {
                    loaded.add(ad)
                }
            },
        )
        until { loaded.isNotEmpty() }
        assertEquals("Shoes", loaded.single().ad.content.title)
        assertEquals(emptyList<Any>(), events())

        val row = TextView(activity.get()).apply { layoutParams = ViewGroup.LayoutParams(300, 100) }
        root.addView(row)
        loaded.single().bind(row)
        until { "viewable" in events() }
        row.performClick()

        assertEquals(listOf("impression", "viewable"), events())
        assertEquals(loaded.single().ad.clickUrl, shadowOf(activity.get()).nextStartedActivity.dataString)
    }

    private class Gone : RenderProcessGoneDetail() {
        override fun didCrash(): Boolean = true

        override fun rendererPriorityAtExit(): Int = 0
    }
}
