// The declarations of WebKit that PlacardUI uses; for machines without it. A page that is loaded is there at
// once, and nothing of it runs.

import UIKit

@MainActor open class WKNavigation: NSObject {}
@MainActor open class WKSecurityOrigin: NSObject {}
@MainActor open class WKWindowFeatures: NSObject {}

@MainActor open class WKFrameInfo: NSObject {
    public let isMainFrame: Bool
    public init(isMainFrame: Bool) { self.isMainFrame = isMainFrame }
}

public enum WKNavigationType: Int, Sendable {
    case linkActivated, formSubmitted, backForward, reload, formResubmitted
    case other = -1
}

public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel, allow, download
}

public enum WKPermissionDecision: Int, Sendable {
    case prompt, grant, deny
}

public enum WKMediaCaptureType: Int, Sendable {
    case camera, microphone, cameraAndMicrophone
}

@MainActor open class WKNavigationAction: NSObject {
    public let targetFrame: WKFrameInfo?
    public let navigationType: WKNavigationType
    public let request: URLRequest
    public init(_ url: URL, _ type: WKNavigationType, isMainFrame: Bool = true) {
        targetFrame = WKFrameInfo(isMainFrame: isMainFrame)
        navigationType = type
        request = URLRequest(url: url)
    }
}

@MainActor open class WKWebsiteDataStore: NSObject {
    open class func nonPersistent() -> WKWebsiteDataStore { WKWebsiteDataStore(isPersistent: false) }
    public let isPersistent: Bool
    public init(isPersistent: Bool = true) { self.isPersistent = isPersistent }
}

@MainActor open class WKPreferences: NSObject {
    open var javaScriptCanOpenWindowsAutomatically = false
}

public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let all = WKAudiovisualMediaTypes(rawValue: .max)
}

public struct WKDataDetectorTypes: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

@MainActor open class WKWebViewConfiguration: NSObject {
    public override init() {}
    open var websiteDataStore = WKWebsiteDataStore()
    open var preferences = WKPreferences()
    open var mediaTypesRequiringUserActionForPlayback: WKAudiovisualMediaTypes = []
    open var allowsInlineMediaPlayback = false
    open var allowsPictureInPictureMediaPlayback = true
    open var allowsAirPlayForMediaPlayback = true
    open var dataDetectorTypes: WKDataDetectorTypes = []
}

@MainActor open class WKWebView: UIView {
    public let configuration: WKWebViewConfiguration
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.configuration = configuration
        super.init(frame: frame)
    }
    public required init?(coder: NSCoder) { nil }
    open weak var navigationDelegate: (any WKNavigationDelegate)?
    open weak var uiDelegate: (any WKUIDelegate)?
    open var allowsLinkPreview = true
    open var scrollView = UIScrollView(frame: .zero)
    /// The page that was loaded, for tests.
    public private(set) var page: String?
    @discardableResult open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? {
        page = string
        Task { navigationDelegate?.webView(self, didFinish: WKNavigation()) }
        return nil
    }
    open func stopLoading() {}
    open func pauseAllMediaPlayback(completionHandler: (@MainActor @Sendable () -> Void)? = nil) {}
}

@MainActor public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void)
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error)
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error)
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}

@MainActor public protocol WKUIDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView?
    func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void)
    func webView(
        _ webView: WKWebView, requestDeviceOrientationAndMotionPermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void)
}
