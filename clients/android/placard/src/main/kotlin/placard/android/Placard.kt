package placard.android

import android.content.Context
import placard.core.Log
import placard.core.Options
import placard.core.PlacardClient
import placard.core.ServeRequest

/** The library of this process. Call [initialize] once, in `Application.onCreate`; it only stores its arguments. */
public object Placard {
    @Volatile
    private var current: PlacardClient? = null

    @Volatile
    internal var options: Options? = null
        private set

    /** The client of [initialize]; null before it. */
    @JvmStatic
    public val client: PlacardClient?
        get() = current

    /**
     * With a publishable key and the base URL of the edge of its environment. Consent is read from the standard
     * preferences of consent platforms (TCF, GPP).
     */
    @JvmStatic
    public fun initialize(context: Context, publisherKey: String, edgeUrl: String): Unit =
        initialize(context, Options.Builder(publisherKey, edgeUrl))

    /**
     * As above, with more settings. Their consent takes precedence over the platform's. Called again, it replaces the
     * settings for ads that are requested from then on.
     */
    @JvmStatic
    public fun initialize(context: Context, options: Options.Builder): Unit = guarded {
        val app = context.applicationContext ?: context
        val made = PlatformOptions(app).complete(options)
        val earlier = current
        this.options = made
        current = PlacardClient(made)
        if (earlier == null) Connectivity.watch(app) { current?.flush() } else earlier.close()
    }

    /**
     * The user's own refusal of personalised ads, for a switch in your app's settings. It is stored on the device, and
     * every request then asks for contextual ads only.
     */
    @JvmStatic
    public fun setOptedOut(isOptedOut: Boolean) {
        current?.setOptedOut(isOptedOut)
    }

    /** Requests an ad for your own views. The [listener] is called on the main thread. */
    @JvmStatic
    public fun loadNative(request: ServeRequest, listener: NativeAdListener): Unit =
        guarded { NativeAd.load(current, request, listener) }

    /** Whatever goes wrong in here must not reach the app. */
    internal inline fun guarded(task: () -> Unit) {
        try {
            task()
        } catch (fault: Exception) {
            Log.report(fault)
        }
    }
}
