import Foundation

/// One showing of an ad, which uses its token: at most one impression, one of each quality signal, and none after the
/// token's life. For your own rendering of an ad's content; views of this library do this by themselves.
@MainActor
public final class AdSession {
    public let ad: Ad
    private let backend: any AdBackend
    private let servedMs: Int
    private var sent: Set<AdEvent> = []

    /// Begins the showing of an ad that *client* served.
    public convenience init(_ ad: Ad, of client: PlacardClient) { self.init(ad, client) }

    package init(_ ad: Ad, _ backend: any AdBackend) {
        self.ad = ad
        self.backend = backend
        servedMs = backend.nowMs()
    }

    /// Whether the ad was served so long ago that its token counts no more: request another one.
    public var isExpired: Bool { ad.ttlSeconds > 0 && backend.nowMs() - servedMs > ad.ttlSeconds * 1000 }

    /// Call this when the ad can be seen. Returns whether it is the first call, and in time.
    @discardableResult
    public func recordImpression() -> Bool {
        if !record(.impression) { return false }
        backend.count(ad, .impression)
        for url in ad.impressionTrackers { backend.loadTracker(url) }
        return true
    }

    /// Call this when the ad is clicked, then open the URL that this returns; the edge counts the click there. Nil where
    /// the ad has no destination: then there is no click.
    @discardableResult
    public func recordClick() -> URL? {
        guard ad.hasDestination, ad.hasWebLink, let url = URL(string: ad.clickURL) else { return nil }
        backend.count(ad, .click)
        for url in ad.clickTrackers { backend.loadTracker(url) }
        return url
    }

    /// Reports a quality signal, once. Returns whether it is the first call, and in time.
    @discardableResult
    public func record(_ event: AdEvent) -> Bool {
        if isExpired || !sent.insert(event).inserted { return false }
        backend.report(ad.trackToken, event)
        return true
    }
}
