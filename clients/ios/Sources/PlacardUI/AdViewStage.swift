#if canImport(UIKit) && canImport(WebKit)
    import PlacardCore
    import UIKit

    /// The place in an ``AdView`` where ads appear, as its presenter uses it.
    @MainActor
    final class AdViewStage: AdStage {
        private static let sampleNs: UInt64 = 100_000_000
        /// Weak: the app may drop the view while it handles an event of it.
        private weak var view: AdView?
        private let presenter: AdPresenter
        private let overlay = DebugOverlay()
        private var shown: UIView?
        private var label: UIView?
        private var sampling: Task<Void, Never>?

        init(_ view: AdView, _ presenter: AdPresenter) {
            self.view = view
            self.presenter = presenter
        }

        /// 0 where no ad is shown.
        var contentHeight: CGFloat {
            guard let shown, let view else { return 0 }
            let width = view.bounds.width > 0 ? view.bounds.width : UIView.layoutFittingCompressedSize.width
            let size = CGSize(width: width, height: UIView.layoutFittingCompressedSize.height)
            return shown.systemLayoutSizeFitting(size).height
        }

        var request: ServeRequest? { view?.currentRequest }
        var backend: (any AdBackend)? { client }
        var isInUse: Bool { shown.map { Self.isInUse($0) } ?? false }
        var isAttached: Bool { view?.window != nil }

        private var client: PlacardClient? { view?.client ?? Placard.client }
        private var isDebug: Bool { client?.options.isDebug == true }

        func render(
            _ showing: Showing, _ done: @escaping @MainActor ((any RenderedAd)?) -> Void
        ) throws(PlacardError) {
            guard let client else { return done(nil) }
            switch try Presentation.of(showing.ad) {
            case .picture(let picture):
                let made = PictureAdView(picture, showing)
                Task {
                    made.image = await Pictures.load(picture.url, client)
                    done(made.image == nil ? nil : made)
                }
            case .page(let page, let isWholeLink): PageAdView(page, isWholeLink: isWholeLink, showing).load(done)
            case .native: done(NativeAdView(showing, client))
            case .audio(let medium): done(PlayedAdView(medium, isVideo: false, showing, client))
            case .video(let medium): done(PlayedAdView(medium, isVideo: true, showing, client))
            }
        }

        func put(_ rendered: any RenderedAd, _ ad: Ad) {
            guard let ad = rendered as? UIView, let view else { return }
            view.fallback?.isHidden = true
            shown = ad
            add(ad)
            NSLayoutConstraint.activate([
                ad.topAnchor.constraint(equalTo: view.topAnchor),
                ad.centerXAnchor.constraint(equalTo: view.centerXAnchor),
                ad.widthAnchor.constraint(lessThanOrEqualTo: view.widthAnchor),
                ad.bottomAnchor.constraint(lessThanOrEqualTo: view.bottomAnchor),
            ])
            mark(ad, in: view)
        }

        func clear() {
            for part in [shown, label, overlay.view] { part?.removeFromSuperview() }
            shown = nil
            label = nil
            view?.fallback?.isHidden = false
            view?.invalidateIntrinsicContentSize()
        }

        func open(_ url: URL) { Links.open(url) }

        func report(_ event: AdViewEvent) {
            if isDebug {
                overlay.event(event)
                showOverlay()
            }
            view?.report(event)
        }

        func requested(_ slot: String, _ outcome: ServeOutcome, tookMs: Int) {
            overlay.request(slot, client?.options.shortKey ?? "", outcome, tookMs: tookMs)
        }

        func startSampling() {
            stopSampling()
            // The loop holds nothing, so that a view that is dropped ends it.
            sampling = Task { [weak self] in
                while !Task.isCancelled, self?.sample() == true {
                    try? await Task.sleep(nanoseconds: Self.sampleNs)
                }
            }
        }

        func stopSampling() {
            sampling?.cancel()
            sampling = nil
        }

        func replaceFallback(_ old: UIView?, with new: UIView?) {
            old?.removeFromSuperview()
            guard let new, let view else { return }
            add(new)
            new.isHidden = shown != nil
            NSLayoutConstraint.activate([
                new.topAnchor.constraint(equalTo: view.topAnchor),
                new.leadingAnchor.constraint(equalTo: view.leadingAnchor),
                new.trailingAnchor.constraint(equalTo: view.trailingAnchor),
            ])
        }

        private func sample() -> Bool {
            guard let view else { return false }
            let measured: UIView = shown ?? view
            let area = measured.bounds.width * measured.bounds.height
            return presenter.sample(
                nowMs: MonotonicClock.nowMs(), ratio: VisiblePart.of(measured), area: Double(area))
        }

        /// Says that the ad is one; in the test environment, that it is a test.
        private func mark(_ ad: UIView, in view: AdView) {
            let label = AdLabel.make(isTest: client?.options.isTest == true)
            self.label = label
            add(label)
            NSLayoutConstraint.activate([
                label.topAnchor.constraint(equalTo: ad.topAnchor),
                label.trailingAnchor.constraint(equalTo: ad.trailingAnchor),
            ])
            view.invalidateIntrinsicContentSize()
        }

        private func showOverlay() {
            guard let view else { return }
            if overlay.view.superview != nil { return view.bringSubviewToFront(overlay.view) }
            add(overlay.view)
            NSLayoutConstraint.activate([
                overlay.view.leadingAnchor.constraint(equalTo: view.leadingAnchor),
                overlay.view.trailingAnchor.constraint(equalTo: view.trailingAnchor),
                overlay.view.bottomAnchor.constraint(equalTo: view.bottomAnchor),
            ])
        }

        private func add(_ part: UIView) {
            part.translatesAutoresizingMaskIntoConstraints = false
            view?.addSubview(part)
        }

        private static func isInUse(_ part: UIView) -> Bool {
            if part.isFirstResponder || (part as? UIControl)?.isTracking == true { return true }
            return part.subviews.contains { isInUse($0) }
        }
    }
#endif
