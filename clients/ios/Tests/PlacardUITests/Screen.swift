#if canImport(UIKit) && canImport(WebKit)
    import Foundation
    import PlacardCore
    import UIKit
    import XCTest

    @testable import PlacardUI

    /// An edge that answers by the names of clients/contract/answers.json, and writes down each request.
    final class NamedEdge: Transport, @unchecked Sendable {
        private let lock = NSLock()
        private let known: JSONValue
        private var serve: String
        private var sent: [HTTPRequest] = []

        init(serve: String) throws {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            let answers = folder.appendingPathComponent("../../../contract/answers.json").standardizedFileURL
            known = try JSONValue.parse(Data(contentsOf: answers))
            self.serve = serve
        }

        func answer(_ name: String) { lock.withLock { serve = name } }

        var requests: [HTTPRequest] { lock.withLock { sent } }

        /// Names of the events that were reported.
        var events: [String] {
            requests.filter { $0.url.hasSuffix("/v1/track") }.compactMap { request in
                request.body.flatMap { try? JSONValue.parse($0) }?["event"]?.text
            }
        }

        func exchange(_ request: HTTPRequest, timeoutMs: Int) async throws(TransportError) -> HTTPResponse {
            XCTAssertFalse(Thread.isMainThread, "A request on the main thread.")
            let name = lock.withLock {
                sent.append(request)
                return serve
            }
            if !request.url.hasPrefix("https://edge.example/") {
                return HTTPResponse(status: 200, headers: [:], body: Data("300x250".utf8))
            }
            if request.url.hasSuffix("/v1/features") { return answered("features") }
            if request.url.contains("/v1/serve") { return answered(name) }
            return HTTPResponse(status: 204, headers: [:], body: Data())
        }

        private func answered(_ name: String) -> HTTPResponse {
            var headers: [String: String] = [:]
            if case .object(let members) = known[name]?["headers"] {
                for (name, value) in members { headers[name.lowercased()] = value.text }
            }
            let body = known[name]?["body"]?.written() ?? Data()
            return HTTPResponse(status: known[name]?["status"]?.int ?? 0, headers: headers, body: body)
        }
    }

    /// A window in front of its user, 400×800 points, and what happened to the ad view in it.
    @MainActor
    final class Screen {
        let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
        let edge: NamedEdge
        let view = AdView(frame: CGRect(x: 0, y: 0, width: 400, height: 300))
        private(set) var happened: [String] = []

        init(_ serve: String, _ change: (inout Options) -> Void = { _ in }) throws {
            edge = try NamedEdge(serve: serve)
            window.windowScene = UIWindowScene()
            UIApplication.shared.opened = []
            var options = Options(
                publishableKey: "pk_test_0123456789abcdefghijABCDEFGHIJ000000", edgeURL: "https://edge.example")
            options.transport = edge
            options.storedConsent = { .unknown }
            options.folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("placard-\(UUID().uuidString)")
            change(&options)
            Placard.initialize(options)
            view.onEvent = { [weak self] event in self?.happened.append(Self.name(event)) }
        }

        /// Adds the ad view, and waits for *event*.
        func show(until event: String) async {
            view.slotID = "banner"
            window.addSubview(view)
            await self.until { self.happened.contains(event) }
        }

        /// Lets other tasks run until *condition* holds.
        func until(_ condition: () -> Bool, line: UInt = #line) async {
            var turns = 0
            while !condition() {
                turns += 1
                if turns > 5000 { return XCTFail("\(happened) \(edge.requests.map(\.url))", line: line) }
                try? await Task.sleep(nanoseconds: 1_000_000)
            }
        }

        func find<Part: UIView>(_ type: Part.Type, _ matches: (Part) -> Bool = { _ in true }) -> Part? {
            Self.all(view).compactMap { $0 as? Part }.first(where: matches)
        }

        var texts: [String] { Self.all(view).filter { !$0.isHidden }.compactMap { ($0 as? UILabel)?.text } }

        func tap(_ view: UIControl?) { view?.sendActions(for: .touchUpInside) }

        private static func all(_ view: UIView) -> [UIView] { [view] + view.subviews.flatMap { all($0) } }

        private static func name(_ event: AdViewEvent) -> String {
            switch event {
            case .load: "load"
            case .noFill: "empty"
            case .impression: "impression"
            case .viewable: "viewable"
            case .click: "click"
            case .error(let error): "error \(error.code)"
            }
        }
    }
#endif
