package androidx.compose.ui.viewinterop

import android.content.Context
import android.view.View
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier

/** The signature of androidx.compose.ui 1.4 and newer, for the compiler alone: the app brings the function. */
@Suppress("UNUSED_PARAMETER")
@Composable
public fun <T : View> AndroidView(
    factory: (Context) -> T,
    modifier: Modifier = Modifier,
    onReset: ((T) -> Unit)? = null,
    onRelease: (T) -> Unit = {},
    update: (T) -> Unit = {},
): Unit = throw UnsupportedOperationException("A stub for the compiler.")
