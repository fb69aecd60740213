package placard.compose

import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.viewinterop.AndroidView
import placard.android.AdListener
import placard.android.AdView
import placard.core.ServeRequest

/**
 * An ad of the slot with this key or id; see [AdView]. Another [slotId] or [format] is another ad. In a lazy list, give
 * the item a key, so that it keeps its ad.
 */
@Composable
public fun Ad(slotId: String, modifier: Modifier = Modifier, format: String? = null, listener: AdListener? = null) {
    Ad(modifier, listener) { view ->
        view.format = format
        view.slotId = slotId
    }
}

/** As above, with a whole [request]: keep it in `remember`, for another one is another ad. */
@Composable
public fun Ad(request: ServeRequest, modifier: Modifier = Modifier, listener: AdListener? = null) {
    Ad(modifier, listener) { view -> view.request = request }
}

@Composable
private fun Ad(modifier: Modifier, listener: AdListener?, configure: (AdView) -> Unit) {
    AndroidView(
        factory = { context -> AdView(context) },
        modifier = modifier,
        onReset = null,
        onRelease = { view -> view.listener = null },
        update = { view ->
            view.listener = listener
            configure(view)
        },
    )
}
