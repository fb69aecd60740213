#if canImport(UIKit) && canImport(WebKit)
    import AVFoundation
    import PlacardCore
    import UIKit
    import WebKit
    import XCTest

    @testable import PlacardUI

    /// What views do beyond the cases that all libraries share.
    final class AdViewTests: XCTestCase {
        private func onMain(_ body: @MainActor @Sendable () async throws -> Void) async rethrows { try await body() }

        func testABannerIsShownCountedAndSeen() async throws {
            try await onMain {
                let screen = try Screen("banner")
                await screen.show(until: "viewable")

                XCTAssertEqual(screen.happened, ["load", "impression", "viewable"])
                XCTAssertNotNil(screen.find(PictureAdView.self)?.image)
                XCTAssertEqual(screen.find(PictureAdView.self)?.accessibilityLabel, "Shoes")
                XCTAssertTrue(screen.texts.contains("Test ad"))
            }
        }

        func testATapOpensTheSignedURL() async throws {
            try await onMain {
                let screen = try Screen("banner")
                await screen.show(until: "impression")
                screen.tap(screen.find(PictureAdView.self))

                XCTAssertEqual(screen.happened.last, "click")
                XCTAssertEqual(
                    UIApplication.shared.opened.map(\.absoluteString),
                    ["https://edge.example/v1/click/AQAA-payload_0.click-tag_3"])
            }
        }

        func testAnAdThatLeadsNowhereIsNoLink() async throws {
            try await onMain {
                let screen = try Screen("unlinked_banner")
                await screen.show(until: "impression")
                let ad = screen.find(PictureAdView.self)
                screen.tap(ad)

                XCTAssertEqual(ad?.accessibilityTraits, .staticText)
                XCTAssertEqual(ad?.accessibilityActivate(), false)
                XCTAssertEqual(UIApplication.shared.opened, [])
            }
        }

        func testAViewThatLeavesAndReturnsCountsOnce() async throws {
            try await onMain {
                let screen = try Screen("banner")
                await screen.show(until: "impression")
                screen.view.removeFromSuperview()
                screen.window.addSubview(screen.view)
                await screen.until { screen.happened.contains("viewable") && screen.edge.events.count == 2 }

                XCTAssertEqual(screen.happened, ["load", "impression", "viewable"])
                XCTAssertEqual(screen.edge.events, ["impression", "viewable"])
            }
        }

        func testTheFallbackStandsWhereThereIsNoAd() async throws {
            try await onMain {
                let screen = try Screen("no_fill")
                let fallback = UIView(frame: .zero)
                screen.view.fallback = fallback
                await screen.show(until: "empty")
                XCTAssertFalse(fallback.isHidden)

                screen.edge.answer("banner")
                screen.view.reload()
                await screen.until { screen.happened.contains("load") }
                XCTAssertTrue(fallback.isHidden)
            }
        }

        func testAnErrorIsReportedWithItsCode() async throws {
            try await onMain {
                let screen = try Screen("slot_not_found") { $0.isDebug = true }
                await screen.show(until: "error slot_not_found")

                let overlay = screen.texts.first { $0.contains("pk_test_…0000") }
                XCTAssertTrue(overlay?.contains("error slot_not_found") == true, "\(screen.texts)")
            }
        }

        func testHTMLMayNotNavigateByItself() async throws {
            try await onMain {
                let screen = try Screen("html")
                await screen.show(until: "impression")
                let web = try XCTUnwrap(screen.find(WKWebView.self))
                let page = try XCTUnwrap(screen.find(PageAdView.self))

                XCTAssertEqual(Self.policy(page, web, "about:blank", .other), .allow)
                XCTAssertEqual(Self.policy(page, web, "https://bad.example/", .other), .cancel)
                XCTAssertEqual(Self.policy(page, web, "https://frame.example/", .other, isMainFrame: false), .allow)
                XCTAssertEqual(UIApplication.shared.opened, [])
                XCTAssertEqual(Self.policy(page, web, "tel:190", .linkActivated), .cancel)
                XCTAssertEqual(UIApplication.shared.opened, [])
                XCTAssertEqual(
                    Self.policy(page, web, "https://edge.example/v1/click/AQAA-payload_0.click-tag_3", .linkActivated),
                    .cancel)
                XCTAssertEqual(screen.happened.last, "click")
                XCTAssertEqual(UIApplication.shared.opened.count, 1)
            }
        }

        func testTheWebViewIsLocked() async throws {
            try await onMain {
                let screen = try Screen("html")
                await screen.show(until: "impression")
                let configuration = try XCTUnwrap(screen.find(WKWebView.self)).configuration

                XCTAssertFalse(configuration.websiteDataStore.isPersistent)
                XCTAssertFalse(configuration.preferences.javaScriptCanOpenWindowsAutomatically)
                XCTAssertEqual(configuration.mediaTypesRequiringUserActionForPlayback, .all)
            }
        }

        func testAPageThatCrashesLeavesTheApp() async throws {
            try await onMain {
                let screen = try Screen("html")
                await screen.show(until: "impression")
                let web = try XCTUnwrap(screen.find(WKWebView.self))
                screen.find(PageAdView.self)?.webViewWebContentProcessDidTerminate(web)

                XCTAssertNil(screen.find(WKWebView.self))
            }
        }

        func testAnAudioAdReportsHowFarItWasPlayed() async throws {
            try await onMain {
                let screen = try Screen("audio")
                await screen.show(until: "impression")
                XCTAssertNil(AVPlayer.last, "Nothing is loaded before a tap.")
                let button = screen.find(UIButton.self) { $0.title(for: .normal) == "Play" }
                screen.tap(button)
                let player = try XCTUnwrap(AVPlayer.last)
                player.time = CMTime(seconds: 11)
                await screen.until { screen.edge.events.contains("midpoint") }
                player.time = CMTime(seconds: 20)
                player.timeControlStatus = .paused
                await screen.until { screen.edge.events.contains("complete") }

                let progress = ["start", "first_quartile", "midpoint", "third_quartile", "complete"]
                XCTAssertEqual(Set(screen.edge.events).intersection(progress).count, 5)
                XCTAssertEqual(button?.isEnabled, false)
            }
        }

        func testANativeAdHasItsTextsAndOneDescription() async throws {
            try await onMain {
                let screen = try Screen("native")
                await screen.show(until: "impression")

                XCTAssertEqual(Set(["Shoes", "Brand", "Light.", "See"]).subtracting(screen.texts), [])
                XCTAssertEqual(screen.find(NativeAdView.self)?.accessibilityLabel, "Shoes. Light.. See. Brand")
            }
        }

        func testANativeAdIsMeasuredInTheAppsOwnView() async throws {
            try await onMain {
                let screen = try Screen("native")
                guard case .loaded(let ad) = await Placard.loadNative(ServeRequest(slot: "feed")) else {
                    return XCTFail("no ad")
                }
                XCTAssertEqual(ad.ad.content.title, "Shoes")
                let row = UIView(frame: CGRect(x: 0, y: 0, width: 300, height: 100))
                screen.window.addSubview(row)
                ad.bind(row)
                await screen.until { screen.edge.events == ["impression", "viewable"] }
                screen.tap(row.subviews.first as? UIControl)

                XCTAssertEqual(UIApplication.shared.opened.map(\.absoluteString), [ad.ad.clickURL])
                ad.unbind()
                XCTAssertEqual(row.subviews, [])
            }
        }

        func testAnAdOutOfSightIsNotSeen() async throws {
            try await onMain {
                let screen = try Screen("banner")
                await screen.show(until: "impression")
                let ad = try XCTUnwrap(screen.find(PictureAdView.self))

                XCTAssertEqual(VisiblePart.of(ad), 1)
                screen.view.frame.origin.y = 650
                XCTAssertEqual(VisiblePart.of(ad), 0.5)
                screen.view.alpha = 0
                XCTAssertEqual(VisiblePart.of(ad), 0)
                screen.view.alpha = 1
                screen.window.windowScene?.activationState = .background
                XCTAssertEqual(VisiblePart.of(ad), 0)
            }
        }

        func testAViewThatTheAppDropsInItsOwnEventEndsQuietly() async throws {
            try await onMain {
                let screen = try Screen("banner")
                let app = App()
                app.view?.onEvent = { event in
                    if case .load = event { app.isLoaded = true }
                    app.view?.removeFromSuperview()
                    app.view = nil
                }
                app.view.map(screen.window.addSubview)
                await screen.until { app.isLoaded && app.dropped == nil }
            }
        }

        /// The owner of a view.
        @MainActor
        private final class App {
            var view: AdView? = AdView(slotID: "banner")
            weak var dropped: AdView?
            var isLoaded = false

            init() { dropped = view }
        }

        @MainActor
        private static func policy(
            _ page: PageAdView, _ web: WKWebView, _ url: String, _ type: WKNavigationType, isMainFrame: Bool = true
        ) -> WKNavigationActionPolicy? {
            var found: WKNavigationActionPolicy?
            let action = WKNavigationAction(URL(string: url)!, type, isMainFrame: isMainFrame)
            page.webView(web, decidePolicyFor: action) { found = $0 }
            return found
        }
    }
#endif
