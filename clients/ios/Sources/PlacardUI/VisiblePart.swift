#if canImport(UIKit) && canImport(WebKit)
    import UIKit

    /// How much of a view is in view. Views that cover it are not noticed.
    @MainActor
    enum VisiblePart {
        /// Fainter than this nobody sees it.
        private static let minAlpha: CGFloat = 0.1

        /// 0 to 1; 0 where the view's window is not in front.
        static func of(_ view: UIView) -> Double {
            let area = view.bounds.width * view.bounds.height
            guard area > 0, let window = view.window, window.windowScene?.activationState == .foregroundActive else {
                return 0
            }
            var visible = view.bounds
            var part: UIView = view
            while true {
                if part.isHidden || part.alpha < minAlpha { return 0 }
                guard let parent = part.superview else { break }
                visible = part.convert(visible, to: parent)
                if parent.clipsToBounds || parent === window { visible = visible.intersection(parent.bounds) }
                if visible.isNull || visible.isEmpty { return 0 }
                part = parent
            }
            // A transform changes lengths on the way; the part is of the view as it appears.
            let whole = view.convert(view.bounds, to: window)
            let appearing = whole.width * whole.height
            return appearing > 0 ? min(Double(visible.width * visible.height / appearing), 1) : 0
        }
    }
#endif
