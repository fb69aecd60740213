// The declarations of UIKit that PlacardUI uses, for machines without it. Names, labels, types and isolation are those of
// iOS 18's. Views form a tree, have the frames that a test sets, and pass on taps; nothing is laid out or drawn.

@_exported import Foundation
@_exported import FoundationNetworking

@MainActor open class UIResponder: NSObject {
    nonisolated public override init() {}
    open var isFirstResponder: Bool { false }
}

public struct UILayoutPriority: Sendable {
    public static let required = UILayoutPriority()
    public static let defaultHigh = UILayoutPriority()
}

@MainActor public class NSLayoutConstraint: NSObject {
    public enum Axis: Int, Sendable {
        case horizontal, vertical
    }

    public var priority = UILayoutPriority.required
    public var isActive = false
    public class func activate(_ constraints: [NSLayoutConstraint]) {}
}

@MainActor public class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    public func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint { NSLayoutConstraint() }
    public func constraint(lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
    public func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
}

@MainActor public class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}
@MainActor public class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}
@MainActor public class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    public func constraint(equalToConstant c: CGFloat) -> NSLayoutConstraint { NSLayoutConstraint() }
    public func constraint(greaterThanOrEqualToConstant c: CGFloat) -> NSLayoutConstraint { NSLayoutConstraint() }
    public func constraint(equalTo anchor: NSLayoutDimension, multiplier m: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
}

public struct UIAccessibilityTraits: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let link = UIAccessibilityTraits(rawValue: 1)
    public static let staticText = UIAccessibilityTraits(rawValue: 2)
}

@MainActor open class CALayer: NSObject {
    nonisolated public override init() {}
    open var frame = CGRect.zero
    open func addSublayer(_ layer: CALayer) {}
}

@MainActor open class UIView: UIResponder {
    public class var noIntrinsicMetric: CGFloat { -1 }
    public class var layoutFittingCompressedSize: CGSize { .zero }
    public init(frame: CGRect) { self.frame = frame }
    public required init?(coder: NSCoder) { frame = .zero }
    open var frame: CGRect
    open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
    open var alpha: CGFloat = 1
    open var isHidden = false
    open var isOpaque = true
    open var clipsToBounds = false
    open var backgroundColor: UIColor?
    open var isUserInteractionEnabled = true
    open var translatesAutoresizingMaskIntoConstraints = true
    open private(set) weak var superview: UIView?
    open private(set) var subviews: [UIView] = []
    open var window: UIWindow? { superview?.window }
    open var layer = CALayer()
    open var intrinsicContentSize: CGSize { CGSize(width: Self.noIntrinsicMetric, height: Self.noIntrinsicMetric) }
    open var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    open var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    open var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    open var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    open var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    open var widthAnchor: NSLayoutDimension { NSLayoutDimension() }
    open var heightAnchor: NSLayoutDimension { NSLayoutDimension() }
    open func didMoveToWindow() {}
    open func layoutSubviews() {}
    open func invalidateIntrinsicContentSize() {}
    open func setContentHuggingPriority(_ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis) {}
    open func systemLayoutSizeFitting(_ targetSize: CGSize) -> CGSize { .zero }
    open var isAccessibilityElement = false
    open var accessibilityLabel: String?
    open var accessibilityTraits: UIAccessibilityTraits = []
    open func accessibilityActivate() -> Bool { false }

    /// Fills this view with *view*, unless that has a frame: the nearest to its constraints that needs no layout.
    open func addSubview(_ view: UIView) {
        let before = view.window
        view.superview?.subviews.removeAll { $0 === view }
        view.superview = self
        subviews.append(view)
        if view.frame == .zero { view.frame = bounds }
        if window !== before { view.moved() }
    }

    open func removeFromSuperview() {
        let before = window
        superview?.subviews.removeAll { $0 === self }
        superview = nil
        if before != nil { moved() }
    }

    open func bringSubviewToFront(_ view: UIView) {
        subviews.removeAll { $0 === view }
        subviews.append(view)
    }

    /// Without transforms.
    open func convert(_ rect: CGRect, to view: UIView?) -> CGRect {
        var moved = rect
        var part: UIView? = self
        while let current = part, current !== view {
            moved.origin.x += current.frame.origin.x
            moved.origin.y += current.frame.origin.y
            part = current.superview
        }
        return moved
    }

    private func moved() {
        didMoveToWindow()
        for view in subviews { view.moved() }
    }
}

@MainActor open class UIWindow: UIView {
    open override var window: UIWindow? { self }
    open var windowScene: UIWindowScene?
}

@MainActor open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive, foregroundInactive, background
    }

    open var activationState = ActivationState.foregroundActive
}

@MainActor open class UIWindowScene: UIScene {}

@MainActor open class UIAction: NSObject {
    fileprivate let handler: (UIAction) -> Void
    public init(title: String = "", handler: @escaping (UIAction) -> Void) { self.handler = handler }
}

@MainActor open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let touchUpInside = Event(rawValue: 1)
    }

    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal: State = []
    }

    open var isEnabled = true
    open var isTracking: Bool { false }
    private var actions: [UIAction] = []
    open func addAction(_ action: UIAction, for controlEvents: UIControl.Event) { actions.append(action) }
    open func sendActions(for controlEvents: UIControl.Event) { for action in actions { action.handler(action) } }
}

@MainActor open class UIButton: UIControl {
    public enum ButtonType: Int, Sendable {
        case custom, system
    }

    public convenience init(type buttonType: UIButton.ButtonType) { self.init(frame: .zero) }
    private var title: String?
    open func setTitle(_ title: String?, for state: UIControl.State) { self.title = title }
    open func title(for state: UIControl.State) -> String? { title }
}

@MainActor open class UIScrollView: UIView {
    open var isScrollEnabled = true
}

@MainActor open class UIStackView: UIView {
    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        for view in views { addSubview(view) }
    }
    open var axis = NSLayoutConstraint.Axis.horizontal
    open var spacing: CGFloat = 0
    open func addArrangedSubview(_ view: UIView) { addSubview(view) }
}

@MainActor open class UIImageView: UIView {
    public enum Mode: Sendable {
        case scaleAspectFit
    }

    public init() { super.init(frame: .zero) }
    public required init?(coder: NSCoder) { nil }
    open var image: UIImage?
    open var contentMode = Mode.scaleAspectFit
}

@MainActor open class UILabel: UIView {
    public init() { super.init(frame: .zero) }
    public required init?(coder: NSCoder) { nil }
    open var text: String?
    open var font: UIFont!
    open var textColor: UIColor!
    open var numberOfLines = 1
    open var adjustsFontForContentSizeCategory = false
}

open class UIColor: NSObject, @unchecked Sendable {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public class var black: UIColor { UIColor(red: 0, green: 0, blue: 0, alpha: 1) }
    public class var white: UIColor { UIColor(red: 0, green: 0, blue: 0, alpha: 1) }
    public class var clear: UIColor { UIColor(red: 0, green: 0, blue: 0, alpha: 1) }
    public class var label: UIColor { UIColor(red: 0, green: 0, blue: 0, alpha: 1) }
}

open class UIFont: NSObject, @unchecked Sendable {
    public struct TextStyle: Sendable {
        public static let headline = TextStyle()
        public static let body = TextStyle()
        public static let caption1 = TextStyle()
    }

    public struct Weight: Sendable {
        public static let regular = Weight()
    }

    public class func systemFont(ofSize fontSize: CGFloat) -> UIFont { UIFont() }
    public class func monospacedSystemFont(ofSize fontSize: CGFloat, weight: UIFont.Weight) -> UIFont { UIFont() }
    public class func preferredFont(forTextStyle style: UIFont.TextStyle) -> UIFont { UIFont() }
}

open class UIImage: NSObject, @unchecked Sendable {
    public let size: CGSize
    /// Nil where *data* is not `WIDTHxHEIGHT`, which stands for a picture of that size.
    public init?(data: Data) {
        let sides = String(decoding: data, as: UTF8.self).split(separator: "x").compactMap { Double($0) }
        guard sides.count == 2 else { return nil }
        size = CGSize(width: sides[0], height: sides[1])
    }
    private init(size: CGSize) { self.size = size }
    open var scale: CGFloat { 1 }
    open func byPreparingForDisplay() async -> UIImage? { self }
    open func byPreparingThumbnail(ofSize size: CGSize) async -> UIImage? { UIImage(size: size) }
}

@MainActor open class UIApplication: UIResponder {
    public struct OpenExternalURLOptionsKey: Hashable, Sendable {}

    private static let only = UIApplication()
    open class var shared: UIApplication { only }
    /// What was opened, for tests.
    public var opened: [URL] = []
    open func open(
        _ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) { opened.append(url) }
}
