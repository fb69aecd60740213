package placard.android

import android.os.SystemClock
import android.view.View
import android.view.ViewGroup
import placard.core.Ad
import placard.core.AdEvent
import placard.core.AdSession
import placard.core.Log
import placard.core.PlacardClient
import placard.core.PlacardError
import placard.core.RefreshClock
import placard.core.ServeOutcome
import placard.core.ViewClock

/** What an [AdView] does over time: request, show, count, measure, refresh. [box] holds the ad. Main thread only. */
internal class AdPresenter(private val view: AdView, private val box: ViewGroup) {
    private val visibility = Visibility({ shown?.view ?: box }, ::sample)
    private val overlay = DebugOverlay(view.context)
    private var client: PlacardClient? = null

    /** Increases with each change; what was begun in an earlier life is dropped. */
    private var life = 0
    private var session: AdSession? = null
    private var shown: Rendered? = null
    private var viewClock: ViewClock? = null
    private var refreshClock: RefreshClock? = null

    fun attach(): Unit = Placard.guarded {
        if (session == null) show() else measure()
    }

    fun detach(): Unit = Placard.guarded {
        life++
        visibility.stop()
        // What is out of sight has a break in its view.
        sample(SystemClock.uptimeMillis(), 0.0, 0.0)
        shown?.pause()
    }

    fun pause(): Unit = Placard.guarded { shown?.pause() }

    /** What changes in one go counts as one change. */
    fun restart(): Unit = Placard.guarded {
        val ours = ++life
        clear()
        MainThread.execute { Placard.guarded { if (ours == life && view.isAttachedToWindow) show() } }
    }

    private fun show() {
        val request = view.currentRequest() ?: return
        val client = view.client ?: Placard.client
            ?: return fail(PlacardError("invalid_request", "Call Placard.initialize() first, or set a client."))
        this.client = client
        val ours = ++life
        val startMs = SystemClock.uptimeMillis()
        client.serve(request) { outcome ->
            Placard.guarded {
                if (ours == life) finish(outcome, request.slot, SystemClock.uptimeMillis() - startMs)
            }
        }
    }

    private fun finish(outcome: ServeOutcome, slot: String, tookMs: Long) {
        overlay.request(slot, outcome, tookMs)
        when (outcome) {
            is ServeOutcome.Filled -> return render(outcome.ad)
            // A refresh that finds no ad leaves the present one, and is not reported.
            is ServeOutcome.NoFill -> if (session == null) report("empty") { it.onNoFill(outcome.reason) }
            is ServeOutcome.Failed -> if (session == null) fail(outcome.error)
        }
        measure()
    }

    private fun render(ad: Ad) {
        val ours = life
        val client = client ?: return
        val next = client.session(ad)
        try {
            Renderer(view.context, next, client, ::clicked) { event -> next.record(event) }.render { rendered ->
                if (ours != life) return@render
                if (rendered == null) return@render unrendered(next, "The ad's picture could not be loaded.")
                put(next, rendered)
            }
        } catch (fault: IllegalArgumentException) {
            unrendered(next, fault.message.orEmpty())
        } catch (fault: RuntimeException) {
            // Such as a device whose web view is being updated.
            Log.report(fault)
            unrendered(next, fault.toString())
        }
    }

    private fun unrendered(failed: AdSession, message: String) {
        failed.record(AdEvent.ERROR)
        clear()
        fail(PlacardError("render", message))
        measure()
    }

    private fun put(next: AdSession, rendered: Rendered) {
        clear()
        session = next
        shown = rendered
        view.showFallback(false)
        box.addView(rendered.view)
        box.addView(Label.of(view.context, next.ad.isTest))
        if (isDebug()) box.addView(overlay.view)
        report("load") { it.onLoad(next.ad) }
        if (next.recordImpression()) report("impression") { it.onImpression(next.ad) }
        viewClock = ViewClock(next.ad.viewability)
        measure()
    }

    private fun clear() {
        visibility.stop()
        shown?.destroy()
        shown = null
        session = null
        viewClock = null
        refreshClock = null
        box.removeAllViews()
        view.showFallback(true)
    }

    private fun fail(error: PlacardError) {
        report("error ${error.code}") { it.onError(error) }
        if (isDebug() && overlay.view.parent == null) box.addView(overlay.view)
    }

    private fun measure() {
        val slot = view.currentRequest()?.slot
        refreshClock = slot?.let { client?.refreshSeconds(it) }?.let(::RefreshClock)
        visibility.start()
    }

    /** Returns whether samples are still needed. */
    private fun sample(nowMs: Long, ratio: Double, area: Double): Boolean {
        val session = session
        if (session != null && viewClock?.sample(nowMs, ratio, area) == true) {
            viewClock = null
            if (session.record(AdEvent.VIEWABLE)) report("viewable") { it.onViewable(session.ad) }
        }
        if (refreshClock?.sample(nowMs, ratio, area) == true && !isInUse()) {
            refreshClock = null
            show()
        }
        return viewClock != null || refreshClock != null
    }

    private fun isInUse(): Boolean = box.hasFocus() || shown?.isBusy == true || isPressed(box)

    private fun isPressed(inside: View): Boolean =
        inside.isPressed || inside is ViewGroup && (0 until inside.childCount).any { isPressed(inside.getChildAt(it)) }

    /** [url]: where the click leads; null: to the ad's own address. */
    private fun clicked(of: AdSession, url: String?) {
        val target = of.recordClick() ?: return
        Links.open(view.context, url ?: target)
        report("click") { it.onClick(of.ad) }
    }

    private fun report(name: String, call: (AdListener) -> Unit) {
        overlay.event(name)
        try {
            view.listener?.let(call)
        } catch (fault: Exception) {
            // The listener is the app's, and so are its faults.
            Log.report(fault)
        }
    }

    private fun isDebug() = Placard.options?.isDebug == true
}
