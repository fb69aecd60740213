#if canImport(UIKit) && canImport(WebKit)
    import PlacardCore
    import UIKit

    /// Opens URLs of ads outside the app.
    @MainActor
    enum Links {
        static func open(_ url: URL) {
            guard url.scheme == "http" || url.scheme == "https" else { return }
            UIApplication.shared.open(url, options: [:], completionHandler: nil)
        }
    }

    /// A part of an ad that leads to the advertiser, where the ad leads anywhere: for touch, keyboard and screen readers.
    class LinkView: UIControl {
        private let followed: @MainActor () -> Void

        /// *spoken*: what a screen reader reads.
        init(_ showing: Showing, spoken: String?) {
            followed = { showing.click(nil) }
            super.init(frame: .zero)
            isAccessibilityElement = true
            accessibilityLabel = spoken.flatMap { $0.isEmpty ? nil : $0 } ?? Words.ofDevice.advertisement
            isEnabled = showing.ad.hasDestination
            if isEnabled {
                accessibilityTraits = .link
                addAction(UIAction { [followed] _ in followed() }, for: .touchUpInside)
            } else {
                accessibilityTraits = .staticText
            }
        }

        @available(*, unavailable)
        required init?(coder: NSCoder) { nil }

        override func accessibilityActivate() -> Bool {
            if isEnabled { followed() }
            return isEnabled
        }

        /// Fills this view with *part*, which takes no touch itself.
        func fill(with part: UIView) {
            part.isUserInteractionEnabled = false
            part.pin(into: self)
        }
    }

    extension UIView {
        /// Adds this view to *parent*, with the same edges, *inset* points within.
        func pin(into parent: UIView, inset: CGFloat = 0) {
            translatesAutoresizingMaskIntoConstraints = false
            parent.addSubview(self)
            NSLayoutConstraint.activate([
                topAnchor.constraint(equalTo: parent.topAnchor, constant: inset),
                leadingAnchor.constraint(equalTo: parent.leadingAnchor, constant: inset),
                trailingAnchor.constraint(equalTo: parent.trailingAnchor, constant: -inset),
                bottomAnchor.constraint(equalTo: parent.bottomAnchor, constant: -inset),
            ])
        }

        /// This size where there is room, else a smaller one of the same shape. Nil or 0: the view's own.
        func prefer(width: Int?, height: Int?) {
            guard let width, let height, width > 0, height > 0 else { return }
            let own = widthAnchor.constraint(equalToConstant: CGFloat(width))
            own.priority = .defaultHigh
            let shape = heightAnchor.constraint(
                equalTo: widthAnchor, multiplier: CGFloat(height) / CGFloat(width))
            NSLayoutConstraint.activate([own, shape])
        }
    }

    extension Words {
        static var ofDevice: Words { .of(Locale.preferredLanguages) }
    }
#endif
