package placard.android

import android.content.Context
import android.net.ConnectivityManager
import android.net.Network
import android.net.NetworkCapabilities
import android.net.NetworkRequest

/** Reports when the device is online again. */
internal object Connectivity {
    /** [onOnline] runs on a background thread. Without the permission, which the library's manifest has, it never does. */
    fun watch(app: Context, onOnline: () -> Unit) {
        // Registering asks another process, which the main thread does not wait for.
        Thread({ Placard.guarded { register(app, onOnline) } }, "placard-connectivity").start()
    }

    private fun register(app: Context, onOnline: () -> Unit) {
        val manager = app.getSystemService(Context.CONNECTIVITY_SERVICE) as? ConnectivityManager ?: return
        val internet = NetworkRequest.Builder().addCapability(NetworkCapabilities.NET_CAPABILITY_INTERNET).build()
        manager.registerNetworkCallback(
            internet,
            object : ConnectivityManager.NetworkCallback() {
                override fun onAvailable(network: Network): Unit = Placard.guarded(onOnline)
            },
        )
    }
}
