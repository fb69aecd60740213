package placard.android

import android.app.Activity
import android.os.Looper
import android.view.View
import android.view.ViewGroup
import android.webkit.WebView
import android.widget.FrameLayout
import java.time.Duration
import java.util.Collections
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.ParameterizedRobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.annotation.Config
import placard.core.Ad
import placard.core.Callback
import placard.core.ContractCases
import placard.core.ContractCases.fields
import placard.core.Log
import placard.core.Options
import placard.core.PlacardError
import placard.core.ScriptedEdge

/** Each conformance case of a view, by the real view on Android's own classes, before an edge that responds by script. */
@RunWith(ParameterizedRobolectricTestRunner::class)
@Config(sdk = [34], shadows = [FinishingWebView::class])
public class ViewCasesTest(@Suppress("unused") private val name: String, private val case: Map<String, Any?>) {
    private val given = fields(case["given"])
    private val callbacks = mutableListOf<String>()
    private val faults: MutableList<String> = Collections.synchronizedList(mutableListOf())
    private val edge = ScriptedEdge(fields(case["answers"]), { 0 }, { PIXEL })
    private lateinit var activity: ActivityController<Activity>
    private lateinit var root: FrameLayout
    private lateinit var view: AdView

    @Before
    public fun open() {
        activity = openActivity()
        root = FrameLayout(activity.get())
        view = AdView(activity.get())
        activity.get().setContentView(root)
        Log.listener = Callback { faults.add(it.stackTraceToString()) }
    }

    @After
    public fun close() {
        Log.listener = null
        Placard.client?.close()
        activity.close()
    }

    @Test
    public fun holds() {
        initialize()
        view.listener = listener()
        for (step in (case["do"] as List<*>).map(::fields)) perform(step)

        val expect = fields(case["expect"])
        val wanted = (expect["requests"] as List<*>).map(::fields).filter { "/v1/frame/" !in it["url"].toString() }
        settle { callbacks.size >= (expect["callbacks"] as List<*>).size && requests().size >= wanted.size }
        val loose = (case["any_order"] as Long? ?: 0).toInt()
        assertEquals(emptyList<String>(), faults)
        assertEquals(expect["callbacks"], callbacks)
        assertEquals(ordered(wanted, loose), ordered(requests(), loose))
    }

    private fun initialize() {
        val options = Options.Builder(given["publisher_key"] as String, given["edge_url"] as String)
            .consent(ScriptedEdge.consentOf(fields(given["consent"])))
            .transport { request, timeoutMs ->
                check(Looper.myLooper() != Looper.getMainLooper()) { "A request on the main thread." }
                edge.exchange(request, timeoutMs)
            }
        Placard.initialize(activity.get(), options)
    }

    private fun perform(step: Map<String, Any?>) {
        when (step["call"]) {
            "show" -> {
                view.slotId = fields(step["request"])["slot"] as String
                root.addView(view)
                }
            "wait_for" -> settle { step["callback"] in callbacks }
            "wait" -> shadowOf(Looper.getMainLooper()).idleFor(Duration.ofMillis(step["ms"] as Long))
            "reinsert" -> {
                root.removeView(view)
                root.addView(view)
            }
            "click" -> click(step["inside"] == true)
            else -> error("${step["call"]} is unknown.")
        }
    }

    private fun click(inside: Boolean) {
        if (inside) {
            val web = checkNotNull(find(view) { it is WebView }) as WebView
            val page = shadowOf(web).lastLoadDataWithBaseURL.data
            val url = page.substringAfter("href=\"").substringBefore('"')
            web.webViewClient.shouldOverrideUrlLoading(web, Navigation(url))
        } else {
            find(view) { it.hasOnClickListeners() && it.contentDescription != null }?.performClick()
        }
        shadowOf(activity.get()).nextStartedActivity?.let {
            synchronized(edge) { edge.requests.add(mapOf("method" to "GET", "url" to it.dataString)) }
        }
    }

    /** Lets time pass on the main thread while background threads work. */
    private fun settle(condition: () -> Boolean) {
        // The clock of this thread is the test's own: the background's turns are counted.
        var turns = 0
        while (!condition()) {
            check(turns++ < MAX_TURNS) { "$callbacks ${requests()} $faults" }
            shadowOf(Looper.getMainLooper()).idleFor(Duration.ofMillis(50))
            Thread.sleep(1)
        }
    }

    private fun requests(): List<Map<String, Any?>> = synchronized(edge) {
        edge.requests.filter { !it["url"].toString().startsWith("https://brand.example/") }
            .map { request -> request.filterKeys { it !in setOf("at_ms", "query") } }
    }

    private fun ordered(requests: List<Map<String, Any?>>, loose: Int): List<Any> {
        val plain = requests.map { it.toSortedMap().toString() }
        val fixed = plain.dropLast(loose).toMutableList()
        // The impression and its tracker are on their way together.
        for (at in 0 until fixed.lastIndex) if ("seen.gif" in fixed[at] && "impression" in fixed[at + 1]) fixed.swap(at)
        return fixed + plain.takeLast(loose).sorted()
    }

    private fun MutableList<String>.swap(at: Int) {
        add(at, removeAt(at + 1))
    }

    private fun listener() = object : AdListener() {
        override fun onLoad(ad: Ad): Unit = add("load")

        override fun onNoFill(reason: String?): Unit = add("empty")

        override fun onImpression(ad: Ad): Unit = add("impression")

        override fun onViewable(ad: Ad): Unit = add("viewable")

        override fun onClick(ad: Ad): Unit = add("click")

        override fun onError(error: PlacardError): Unit = add("error")

        private fun add(name: String) {
            callbacks.add(name)
        }
    }

    public companion object {
        private const val MAX_TURNS = 2000

        @JvmStatic
        @ParameterizedRobolectricTestRunner.Parameters(name = "{0}")
        public fun cases(): List<Array<Any>> = ContractCases.of("views")

        internal fun find(view: View, matches: (View) -> Boolean): View? {
            if (matches(view)) return view
            if (view !is ViewGroup) return null
            return (0 until view.childCount).firstNotNullOfOrNull { find(view.getChildAt(it), matches) }
        }
    }
}
