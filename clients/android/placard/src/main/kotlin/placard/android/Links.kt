package placard.android

import android.content.ActivityNotFoundException
import android.content.Context
import android.content.Intent
import android.net.Uri

/** Opens URLs of ads outside the app. */
internal object Links {
    /** False where [url] is none of the web, or no app can show it. */
    fun open(context: Context, url: String): Boolean {
        if (!url.startsWith("http:") && !url.startsWith("https:")) return false
        val intent = Intent(Intent.ACTION_VIEW, Uri.parse(url))
            .addCategory(Intent.CATEGORY_BROWSABLE)
            .addFlags(Intent.FLAG_ACTIVITY_NEW_TASK)
        return try {
            context.startActivity(intent)
            true
        } catch (_: ActivityNotFoundException) {
            false
        } catch (_: SecurityException) {
            false
        }
    }
}
