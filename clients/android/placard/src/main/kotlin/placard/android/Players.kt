package placard.android

import android.media.MediaPlayer
import android.net.Uri
import android.os.Handler
import android.os.Looper
import android.view.Gravity
import android.view.View
import android.widget.Button
import android.widget.FrameLayout
import android.widget.LinearLayout
import android.widget.TextView
import android.widget.VideoView
import placard.core.AdEvent
import placard.core.Playback

/**
 * An ad that the user plays, by the platform's player: nothing is loaded before that. A button plays and pauses; quartiles
 * are reported while it plays; a companion picture, or a text, leads to the advertiser.
 */
internal abstract class PlayedAd(protected val renderer: Renderer, root: LinearLayout) : Rendered(root) {
    private val playback = Playback()
    private val handler = Handler(Looper.getMainLooper())
    private val button = Button(renderer.context)
    private val skip = Button(renderer.context)
    private val look = Runnable { Placard.guarded(::sample) }
    private var isOver = false
    protected var isPlaying = false
        private set

    override val isBusy: Boolean get() = isPlaying

    /** In milliseconds; 0 where it is unknown. */
    protected abstract val positionMs: Int
    protected abstract val durationMs: Int

    protected abstract fun start()

    protected abstract fun stop()

    init {
        root.orientation = LinearLayout.VERTICAL
        root.layoutParams = FrameLayout.LayoutParams(
            FrameLayout.LayoutParams.MATCH_PARENT,
            FrameLayout.LayoutParams.WRAP_CONTENT,
        )
        button.text = renderer.words.play
        button.setOnClickListener { Placard.guarded { if (isPlaying) pause() else play() } }
        skip.text = renderer.words.skip
        skip.visibility = View.GONE
        skip.setOnClickListener { Placard.guarded { end(playback.skip()) } }
        val controls = LinearLayout(renderer.context)
        controls.addView(button)
        controls.addView(skip)
        root.addView(controls)
        root.addView(more())
    }

    private fun more(): View {
        val companion = renderer.ad.content.companion
        val url = companion?.imageUrl
        if (companion != null && url != null) {
            val picture = PictureView(renderer.context, companion.width, companion.height)
            Pictures.load(renderer.client, url, picture) { isLoaded -> if (!isLoaded) picture.visibility = View.GONE }
            renderer.link(picture, companion.alt)
            return picture
        }
        return TextView(renderer.context).apply {
            text = renderer.words.more
            setTextColor(textColour(context))
            minHeight = renderer.px(48)
            gravity = Gravity.CENTER_VERTICAL
            if (renderer.ad.hasDestination) renderer.link(this, renderer.words.more) else visibility = View.GONE
        }
    }

    private fun play() {
        if (isOver) return
        isPlaying = true
        button.text = renderer.words.pause
        start()
        handler.post(look)
    }

    override fun pause() {
        if (!isPlaying) return
        isPlaying = false
        handler.removeCallbacks(look)
        button.text = renderer.words.play
        stop()
    }

    override fun destroy() {
        pause()
        handler.removeCallbacksAndMessages(null)
    }

    protected fun completed(): Unit = end(playback.complete())

    protected fun failed(): Unit = end(playback.fail())

    private fun end(events: List<AdEvent>) {
        events.forEach(renderer.onEvent)
        pause()
        isOver = true
        button.isEnabled = false
        skip.visibility = View.GONE
    }

    private fun sample() {
        if (!isPlaying) return
        val position = positionMs.toLong()
        // A player that is still loading has played nothing yet.
        if (position > 0) playback.advance(position, durationMs.toLong()).forEach(renderer.onEvent)
        val skipMs = renderer.ad.content.skipOffsetMs
        if (skipMs != null && position >= skipMs) skip.visibility = View.VISIBLE
        handler.postDelayed(look, SAMPLE_MS)
    }

    private companion object {
        private const val SAMPLE_MS = 250L
    }
}

internal class VideoAd(renderer: Renderer) : PlayedAd(renderer, LinearLayout(renderer.context)) {
    private val player = VideoView(renderer.context)
    private var isLoaded = false

    init {
        val content = renderer.ad.content
        val width = content.width ?: renderer.ad.width
        val height = content.height ?: renderer.ad.height
        val size = LinearLayout.LayoutParams(
            width?.let(renderer::px) ?: LinearLayout.LayoutParams.MATCH_PARENT,
            height?.let(renderer::px) ?: renderer.px(USUAL_HEIGHT_DP),
        )
        player.contentDescription = content.title ?: renderer.words.advertisement
        (view as LinearLayout).addView(player, 0, size)
        player.setOnCompletionListener { Placard.guarded(::completed) }
        player.setOnErrorListener { _, _, _ ->
            Placard.guarded(::failed)
            true
        }
    }

    override val positionMs: Int get() = player.currentPosition
    override val durationMs: Int get() = player.duration

    override fun start() {
        val url = renderer.ad.content.media.firstOrNull()?.url ?: return failed()
        if (!isLoaded) player.setVideoURI(Uri.parse(url))
        isLoaded = true
        player.start()
    }

    override fun stop(): Unit = player.pause()

    override fun destroy() {
        super.destroy()
        player.stopPlayback()
    }

    private companion object {
        private const val USUAL_HEIGHT_DP = 180
    }
}

internal class AudioAd(renderer: Renderer) : PlayedAd(renderer, LinearLayout(renderer.context)) {
    private var player: MediaPlayer? = null
    private var isPrepared = false

    override val positionMs: Int get() = player?.takeIf { isPrepared }?.currentPosition ?: 0
    override val durationMs: Int get() = player?.takeIf { isPrepared }?.duration ?: 0

    override fun start() {
        if (player != null) {
            if (isPrepared) player?.start()
            return
        }
        val url = renderer.ad.content.media.firstOrNull()?.url ?: return failed()
        player = MediaPlayer().apply {
            setOnPreparedListener {
                isPrepared = true
                if (this@AudioAd.isPlaying) it.start()
            }
            setOnCompletionListener { Placard.guarded(::completed) }
            setOnErrorListener { _, _, _ ->
                isPrepared = false
                Placard.guarded(::failed)
                true
            }
            setDataSource(url)
            prepareAsync()
        }
    }

    override fun stop() {
        if (isPrepared) player?.pause()
    }

    override fun destroy() {
        super.destroy()
        isPrepared = false
        player?.release()
        player = null
    }
}
