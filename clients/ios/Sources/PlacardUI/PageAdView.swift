#if canImport(UIKit) && canImport(WebKit)
    import PlacardCore
    import UIKit
    import WebKit

    /// Markup of an advertiser in a web view that reaches nothing of the app: an origin of its own, no bridge, no storage
    /// that stays, no cookies of the app, no windows, no camera, microphone or motion, and no navigation. What the user
    /// follows opens outside the app.
    final class PageAdView: UIView, RenderedAd, WKNavigationDelegate, WKUIDelegate {
        private let page: String
        private let showing: Showing
        private let web: WKWebView
        private var done: (@MainActor ((any RenderedAd)?) -> Void)?
        /// While the page loads nobody else holds this view: the web view's reference to its delegate is weak.
        private var loading: PageAdView?
        let isBusy = false

        init(_ page: String, isWholeLink: Bool, _ showing: Showing) {
            self.page = page
            self.showing = showing
            web = WKWebView(frame: .zero, configuration: Self.locked())
            super.init(frame: .zero)
            web.navigationDelegate = self
            web.uiDelegate = self
            web.allowsLinkPreview = false
            web.isOpaque = false
            web.backgroundColor = .clear
            web.scrollView.isScrollEnabled = false
            web.accessibilityLabel = Words.ofDevice.advertisement
            web.pin(into: self)
            let ad = showing.ad
            prefer(width: ad.content.width ?? ad.width, height: ad.content.height ?? ad.height)
            if isWholeLink { LinkView(showing, spoken: nil).pin(into: self) }
        }

        @available(*, unavailable)
        required init?(coder: NSCoder) { nil }

        func load(_ done: @escaping @MainActor ((any RenderedAd)?) -> Void) {
            self.done = done
            loading = self
            // Without an address of its own the page's origin is opaque.
            web.loadHTMLString(page, baseURL: nil)
        }

        func pause() { web.pauseAllMediaPlayback(completionHandler: nil) }

        func end() {
            web.stopLoading()
            web.navigationDelegate = nil
            web.uiDelegate = nil
            web.removeFromSuperview()
        }

        private static func locked() -> WKWebViewConfiguration {
            let configuration = WKWebViewConfiguration()
            configuration.websiteDataStore = .nonPersistent()
            configuration.preferences.javaScriptCanOpenWindowsAutomatically = false
            configuration.mediaTypesRequiringUserActionForPlayback = .all
            configuration.allowsInlineMediaPlayback = true
            configuration.allowsPictureInPictureMediaPlayback = false
            configuration.allowsAirPlayForMediaPlayback = false
            configuration.dataDetectorTypes = []
            return configuration
        }

        private func finish(isLoaded: Bool) {
            let done = done
            self.done = nil
            loading = nil
            done?(isLoaded ? self : nil)
        }

        private func follow(_ url: URL?, byUser: Bool) {
            switch Presentation.follow(url?.absoluteString ?? "", of: showing.ad, byUser: byUser) {
            case .click(let followed): showing.click(followed)
            case .open(let followed): URL(string: followed).map(Links.open)
            case .nothing: break
            }
        }

        func webView(
            _ webView: WKWebView, decidePolicyFor action: WKNavigationAction,
            decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
        ) {
            // Frames inside the page load what the page says; the page itself is loaded once.
            let isFrame = action.targetFrame?.isMainFrame == false
            let isOwn = action.request.url?.absoluteString == "about:blank" && action.navigationType == .other
            if isOwn || isFrame && action.navigationType != .linkActivated { return decisionHandler(.allow) }
            decisionHandler(.cancel)
            follow(action.request.url, byUser: action.navigationType == .linkActivated)
        }

        /// A window that the page opens: WebKit asks for it after a touch only.
        func webView(
            _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
            for action: WKNavigationAction, windowFeatures: WKWindowFeatures
        ) -> WKWebView? {
            follow(action.request.url, byUser: true)
            return nil
        }

        func webView(
            _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
            initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
            decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
        ) { decisionHandler(.deny) }

        func webView(
            _ webView: WKWebView, requestDeviceOrientationAndMotionPermissionFor origin: WKSecurityOrigin,
            initiatedByFrame frame: WKFrameInfo,
            decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
        ) { decisionHandler(.deny) }

        func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { finish(isLoaded: true) }

        func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
            finish(isLoaded: false)
        }

        func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
        ) { finish(isLoaded: false) }

        /// A page that crashes its process leaves an empty place.
        func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
            finish(isLoaded: false)
            webView.removeFromSuperview()
        }
    }
#endif
