#if canImport(UIKit) && canImport(WebKit)
    import PlacardCore
    import UIKit

    /// The results of a view's requests, on top of it: nothing of the user, and of the key no more than its kind and end.
    @MainActor
    final class DebugOverlay {
        private var outcome = ""
        private var events: [String] = []

        private(set) lazy var view: UILabel = {
            let label = UILabel()
            label.font = .monospacedSystemFont(ofSize: 10, weight: .regular)
            label.textColor = .white
            label.backgroundColor = UIColor(red: 0.067, green: 0.067, blue: 0.067, alpha: 0.8)
            label.numberOfLines = 0
            label.isAccessibilityElement = false
            label.isUserInteractionEnabled = false
            return label
        }()

        func request(_ slot: String, _ shortKey: String, _ result: ServeOutcome, tookMs: Int) {
            let what =
                switch result {
                case .filled(let ad): "ad \(ad.adID) by \(ad.source)"
                case .noFill(let reason): "no fill: \(reason ?? "test keys receive the reason")"
                case .failed(let error): "\(error)"
                }
            outcome = "\(slot) \(shortKey)\n\(what)\n\(tookMs) ms"
            events = []
        }

        func event(_ event: AdViewEvent) {
            let name =
                switch event {
                case .load: "load"
                case .noFill: "empty"
                case .impression: "impression"
                case .viewable: "viewable"
                case .click: "click"
                case .error(let error): "error \(error.code)"
                }
            events.append(name)
            view.text = "\(outcome) \(events.joined(separator: " "))"
        }
    }
#endif
