package placard.android

import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.widget.ImageView
import placard.core.PlacardClient

/** Loads and decodes pictures on background threads. */
internal object Pictures {
    /** Wider or higher pictures are halved until they fit: no screen shows more of an ad. */
    private const val MAX_PIXELS = 2048

    /** [done] runs on the main thread: false where the picture could not be loaded. */
    fun load(client: PlacardClient, url: String, into: ImageView, done: (Boolean) -> Unit) {
        client.load(url) { bytes ->
            val picture = bytes?.let(::decode)
            MainThread.execute {
                Placard.guarded {
                    if (picture != null) into.setImageBitmap(picture)
                    done(picture != null)
                }
            }
        }
    }

    private fun decode(bytes: ByteArray): Bitmap? {
        val options = BitmapFactory.Options().apply { inJustDecodeBounds = true }
        BitmapFactory.decodeByteArray(bytes, 0, bytes.size, options)
        if (options.outWidth <= 0 || options.outHeight <= 0) return null
        var scale = 1
        while (maxOf(options.outWidth, options.outHeight) / scale > MAX_PIXELS) scale *= 2
        return BitmapFactory.decodeByteArray(bytes, 0, bytes.size, BitmapFactory.Options().apply { inSampleSize = scale })
    }
}
