#if canImport(UIKit) && canImport(WebKit)
    import PlacardCore
    import UIKit

    /// Receives what happens to an ``AdView``, on the main thread. Each method is optional.
    @MainActor
    public protocol AdViewDelegate: AnyObject {
        /// An ad is shown.
        func adView(_ view: AdView, didLoad ad: Ad)
        /// There is no ad for the slot now; this is not an error. *reason*: for test keys only.
        func adView(_ view: AdView, didFindNoAd reason: String?)
        func adView(_ view: AdView, didRecordImpressionOf ad: Ad)
        /// Enough of the ad was in view for long enough.
        func adView(_ view: AdView, didRecordViewOf ad: Ad)
        func adView(_ view: AdView, didRecordClickOf ad: Ad)
        func adView(_ view: AdView, didFailWith error: PlacardError)
    }

    extension AdViewDelegate {
        public func adView(_ view: AdView, didLoad ad: Ad) {}
        public func adView(_ view: AdView, didFindNoAd reason: String?) {}
        public func adView(_ view: AdView, didRecordImpressionOf ad: Ad) {}
        public func adView(_ view: AdView, didRecordViewOf ad: Ad) {}
        public func adView(_ view: AdView, didRecordClickOf ad: Ad) {}
        public func adView(_ view: AdView, didFailWith error: PlacardError) {}
    }

    /// Shows an ad of one slot. It requests the ad when it is added to a window, and stops all work when it is removed; an
    /// ad that was shown stays through both.
    public final class AdView: UIView {
        /// Key or id of the slot. Another slot is another ad.
        public var slotID: String? { didSet { if slotID != oldValue { changed() } } }
        /// Only ads of this format; nil: any of the slot's.
        public var format: String? { didSet { if format != oldValue { changed() } } }
        /// A whole request, with keywords and key-values; it takes precedence over ``slotID`` and ``format``.
        public var request: ServeRequest? { didSet { if request != oldValue { changed() } } }
        /// Nil: the one of ``Placard/initialize(publishableKey:edgeURL:)``.
        public var client: PlacardClient? { didSet { if client !== oldValue { changed() } } }
        public weak var delegate: (any AdViewDelegate)?
        /// As ``delegate``, in one closure.
        public var onEvent: (@MainActor (AdViewEvent) -> Void)?
        /// Shown until there is an ad, and where there is none.
        public var fallback: UIView? { didSet { stage.replaceFallback(oldValue, with: fallback) } }

        private let presenter = AdPresenter()
        private lazy var stage = AdViewStage(self, presenter)

        /// *slotID*: key or id of the slot.
        public convenience init(slotID: String, format: String? = nil) {
            self.init(frame: .zero)
            self.slotID = slotID
            self.format = format
        }

        public override init(frame: CGRect) {
            super.init(frame: frame)
            presenter.stage = stage
        }

        public required init?(coder: NSCoder) {
            super.init(coder: coder)
            presenter.stage = stage
        }

        /// Requests another ad now, as a placement of its own.
        public func reload() { changed() }

        /// The space is there before anything is requested, so that nothing moves when the ad comes.
        public override var intrinsicContentSize: CGSize {
            CGSize(width: UIView.noIntrinsicMetric, height: max(reservedHeight, stage.contentHeight))
        }

        public override func didMoveToWindow() {
            super.didMoveToWindow()
            if window == nil { presenter.detach() } else { presenter.attach() }
        }

        var currentRequest: ServeRequest? { request ?? slotID.map { ServeRequest(slot: $0, format: format) } }

        func report(_ event: AdViewEvent) {
            switch event {
            case .load(let ad): delegate?.adView(self, didLoad: ad)
            case .noFill(let reason): delegate?.adView(self, didFindNoAd: reason)
            case .impression(let ad): delegate?.adView(self, didRecordImpressionOf: ad)
            case .viewable(let ad): delegate?.adView(self, didRecordViewOf: ad)
            case .click(let ad): delegate?.adView(self, didRecordClickOf: ad)
            case .error(let error): delegate?.adView(self, didFailWith: error)
            }
            onEvent?(event)
        }

        /// What changes in one turn of the main thread is one change.
        private func changed() {
            invalidateIntrinsicContentSize()
            presenter.restart { task in Task { task() } }
        }

        private var reservedHeight: CGFloat {
            switch format {
            case "native": 120
            case "audio": 60
            case "video": 180
            case "email": 200
            default: 250
            }
        }
    }
#endif
