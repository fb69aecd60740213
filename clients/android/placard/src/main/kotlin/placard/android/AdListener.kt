package placard.android

import placard.core.Ad
import placard.core.PlacardError

/** Results of an [AdView], on the main thread. Each method does nothing unless it is overridden. */
public abstract class AdListener {
    /** An ad is shown. */
    public open fun onLoad(ad: Ad) {}

    /** There is no ad for the slot now; this is not an error. [reason]: for test keys only. */
    public open fun onNoFill(reason: String?) {}

    public open fun onImpression(ad: Ad) {}

    /** Enough of the ad was in view for long enough. */
    public open fun onViewable(ad: Ad) {}

    public open fun onClick(ad: Ad) {}

    public open fun onError(error: PlacardError) {}
}
