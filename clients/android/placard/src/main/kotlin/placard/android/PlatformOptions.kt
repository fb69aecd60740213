package placard.android

import android.content.Context
import android.content.SharedPreferences
import android.os.Build
import android.os.Handler
import android.os.Looper
import java.io.File
import java.util.Locale
import java.util.concurrent.Executor
import placard.core.Consent
import placard.core.ConsentSource
import placard.core.Options

/** What this device adds to an app's options: the main thread, a folder, languages, and consent platforms' preferences. */
internal class PlatformOptions(private val context: Context) {
    fun complete(given: Options.Builder): Options {
        val app = given.build()
        val builder = given
            .callbackExecutor(MainThread)
            .consentSource(PlatformConsent(context, app.consent))
        // By its path: `filesDir` looks at the disk, and this is the main thread.
        if (app.folder == null) builder.folder(File(context.applicationInfo.dataDir, "files/placard"))
        if (app.languages == null) builder.languages(languages())
        return builder.build()
    }

    /** Such as `pt-BR,en`. */
    private fun languages(): String =
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.N) languagesOfList() else Locale.getDefault().toLanguageTag()

    @SinceApi(24)
    private fun languagesOfList(): String = context.resources.configuration.locales.toLanguageTags()
}

/** Runs callbacks where views live. */
internal object MainThread : Executor {
    private val handler = Handler(Looper.getMainLooper())

    override fun execute(task: Runnable) {
        handler.post(task)
    }
}

/**
 * What consent platforms store, by the names of IAB Tech Lab's "CMP API v2.2" (TCF) and "GPP CMP API": read before every
 * request, on the library's thread. What [app] gives takes precedence.
 */
internal class PlatformConsent(private val context: Context, private val app: ConsentSource) : ConsentSource {
    override fun consent(): Consent {
        val stored = context.getSharedPreferences(context.packageName + "_preferences", Context.MODE_PRIVATE)
        return app.consent().orElse(read(stored))
    }

    private fun read(stored: SharedPreferences): Consent {
        val values = stored.all
        val gdpr = when (values["IABTCF_gdprApplies"]) {
            1 -> true
            0 -> false
            else -> null
        }
        val purposes = values["IABTCF_PurposeConsents"] as? String
        return Consent.Builder()
            .gdpr(gdpr)
            .gdprConsent((values["IABTCF_TCString"] as? String)?.ifEmpty { null }?.takeIf { gdpr != false })
            // Purpose 1 is storage on the device.
            .storage(if (gdpr == true) purposes?.startsWith("1") ?: false else if (gdpr == false) true else null)
            .gpp((values["IABGPP_HDR_GppString"] as? String)?.ifEmpty { null })
            .gppSid(sections(values["IABGPP_GppSID"] as? String))
            .usPrivacy((values["IABUSPrivacy_String"] as? String)?.ifEmpty { null })
            .build()
    }

    /** Stored as `7_8`, sent as `7,8`; -1: none applies. */
    private fun sections(stored: String?): String? =
        stored?.split('_', ',')?.filter { (it.toIntOrNull() ?: 0) > 0 }?.joinToString(",")?.ifEmpty { null }
}
