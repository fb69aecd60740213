#if canImport(UIKit) && canImport(WebKit)
    import PlacardCore
    import UIKit

    /// A native ad in the app's own colours, light or dark, and in the user's text size: icon, title and sponsor in a row,
    /// then picture, text and call to action.
    final class NativeAdView: LinkView, RenderedAd {
        let isBusy = false

        init(_ showing: Showing, _ client: PlacardClient) {
            let content = showing.ad.content
            let spoken = [content.title, content.body, content.cta, content.sponsoredBy].compactMap { $0 }
            super.init(showing, spoken: spoken.joined(separator: ". "))
            let names = Self.stack(
                .vertical,
                [
                    Self.line(content.title, .headline), Self.line(content.sponsoredBy, .caption1),
                ])
            let heading = Self.stack(.horizontal, [content.icon.map { Self.icon($0, client) }, names])
            let rows = Self.stack(
                .vertical,
                [
                    heading, content.image.map { Self.image($0, client) }, Self.line(content.body, .body),
                    Self.line(content.cta, .headline),
                ])
            rows.isUserInteractionEnabled = false
            rows.pin(into: self, inset: 8)
        }

        func pause() {}

        func end() {}

        private static func stack(_ axis: NSLayoutConstraint.Axis, _ parts: [UIView?]) -> UIStackView {
            let stack = UIStackView(arrangedSubviews: parts.compactMap { $0 })
            stack.axis = axis
            stack.spacing = 4
            return stack
        }

        private static func line(_ text: String?, _ style: UIFont.TextStyle) -> UIView? {
            guard let text, !text.isEmpty else { return nil }
            let label = UILabel()
            label.text = text
            label.font = .preferredFont(forTextStyle: style)
            label.adjustsFontForContentSizeCategory = true
            label.numberOfLines = 0
            label.textColor = .label
            return label
        }

        private static func icon(_ url: String, _ client: PlacardClient) -> UIView {
            let view = image(url, client)
            NSLayoutConstraint.activate([
                view.widthAnchor.constraint(equalToConstant: 32), view.heightAnchor.constraint(equalToConstant: 32),
            ])
            return view
        }

        private static func image(_ url: String, _ client: PlacardClient) -> UIImageView {
            let view = UIImageView()
            view.contentMode = .scaleAspectFit
            Task {
                view.image = await Pictures.load(url, client)
                view.isHidden = view.image == nil
            }
            return view
        }
    }
#endif
