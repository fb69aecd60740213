#if canImport(UIKit) && canImport(WebKit)
    import PlacardCore
    import UIKit

    /// Result of ``Placard/loadNative(_:)``.
    public enum NativeOutcome: Sendable {
        case loaded(NativeAd)
        /// There is no ad for the slot now; this is not an error.
        case noFill(reason: String?)
        case failed(PlacardError)
    }

    /// An ad for views of your own: fill them from ``ad``, then call ``bind(_:onEvent:)``, which reports impression, view
    /// and click.
    @MainActor
    public final class NativeAd {
        public let ad: Ad
        private let client: PlacardClient
        private let session: AdSession
        private var link: UIView?
        private var sampling: Task<Void, Never>?

        init(_ ad: Ad, _ client: PlacardClient) {
            self.ad = ad
            self.client = client
            session = AdSession(ad, of: client)
        }

        /// Its token has expired: request another ad.
        public var isExpired: Bool { session.isExpired }

        /// Measures *view*, which shows this ad, and covers it with a transparent link, until ``unbind()``. The impression
        /// is reported when a part of it is in view, once, whatever view it is bound to. *onEvent* also receives
        /// impression, view and click.
        public func bind(_ view: UIView, onEvent: (@MainActor (AdViewEvent) -> Void)? = nil) {
            unbind()
            if ad.hasDestination {
                let showing = Showing(session: session) { [weak self] _ in self?.click(onEvent) }
                let link = LinkView(showing, spoken: ad.content.title)
                link.pin(into: view)
                self.link = link
            }
            var clock = ViewClock(ad.viewability)
            sampling = Task { [weak self, weak view] in
                while !Task.isCancelled, let self, let view, self.sample(view, &clock, onEvent) {
                    try? await Task.sleep(nanoseconds: 100_000_000)
                }
            }
        }

        public func unbind() {
            sampling?.cancel()
            sampling = nil
            link?.removeFromSuperview()
            link = nil
        }

        /// Loads and decodes a picture of the ad. Nil where that failed.
        public func loadPicture(_ url: String) async -> UIImage? { await Pictures.load(url, client) }

        /// Returns whether to go on.
        private func sample(
            _ view: UIView, _ clock: inout ViewClock, _ onEvent: (@MainActor (AdViewEvent) -> Void)?
        ) -> Bool {
            let ratio = VisiblePart.of(view)
            if ratio > 0, session.recordImpression() { onEvent?(.impression(ad)) }
            let area = Double(view.bounds.width * view.bounds.height)
            if clock.sample(nowMs: MonotonicClock.nowMs(), ratio: ratio, area: area) {
                if session.record(.viewable) { onEvent?(.viewable(ad)) }
                return false
            }
            return !session.isExpired
        }

        private func click(_ onEvent: (@MainActor (AdViewEvent) -> Void)?) {
            guard let url = session.recordClick() else { return }
            Links.open(url)
            onEvent?(.click(ad))
        }
    }
#endif
