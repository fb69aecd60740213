import Foundation
import XCTest

@testable import PlacardCore

/// Each conformance case of a view: the presenter that views of UIKit use, on a stage without a screen.
final class ViewCaseTests: XCTestCase {
    func testViews() async throws {
        let faults = try await ViewRun.all()
        for (name, faults) in faults { XCTAssertEqual(faults, [], "views: \(name)") }
        XCTAssertFalse(faults.isEmpty)
        try ContractCases.record("views", faults.filter(\.1.isEmpty).map(\.0))
    }
}

@MainActor
private final class ViewRun {
    /// The name of each case, and in what the library differs from it.
    static func all() throws -> [(String, [String])] {
        try ContractCases.of("views").map { ($0["name"]?.text ?? "", try ViewRun($0).faults()) }
    }

    private let json: JSONValue
    private let folder = TemporaryFolder()
    private let edge: ScriptedEdge
    private let host: VirtualHost
    private let stage: BareStage

    init(_ json: JSONValue) throws {
        self.json = json
        let edge = try ScriptedEdge(json["answers"])
        self.edge = edge
        host = VirtualHost(edge: edge.exchange)
        let given = json["given"]
        var options = Options(
            publishableKey: given?["publisher_key"]?.text ?? "", edgeURL: given?["edge_url"]?.text ?? "")
        let consent = Consent(given: given?["consent"])
        options.consent = { consent }
        options.storedConsent = { .unknown }
        options.folder = folder.url
        stage = BareStage(DirectBackend(Engine(options, host: host), host), host)
    }

    func faults() throws -> [String] {
        for step in json["do"]?.items ?? [] { perform(step) }
        let wanted = (json["expect"]?["requests"]?.items ?? []).filter {
            $0["url"]?.text?.contains("/v1/frame/") != true
        }
        let callbacks = (json["expect"]?["callbacks"]?.items ?? []).compactMap(\.text)
        host.settle { self.stage.callbacks.count >= callbacks.count && self.requests().count >= wanted.count }
        // Nothing more may happen once all of it has.
        host.pass(0)

        var faults: [String] = []
        if stage.callbacks != callbacks { faults.append("callbacks \(stage.callbacks), wanted \(callbacks)") }
        let loose = json["any_order"]?.int ?? 0
        if ordered(wanted, loose) != ordered(requests(), loose) {
            faults.append("requests \(requests()), wanted \(wanted)")
        }
        return faults
    }

    private func perform(_ step: JSONValue) {
        switch step["call"]?.text {
        case "show":
            stage.request = ServeRequest(given: step["request"])
            stage.attach()
        case "wait_for": host.settle { self.stage.callbacks.contains(step["callback"]?.text ?? "") }
        case "wait": host.pass(step["ms"]?.int ?? 0)
        case "reinsert":
            stage.detach()
            stage.attach()
        case "click":
            for url in stage.click(isInside: step["inside"]?.flag == true) { opened.append(url) }
        default: XCTFail("\(step) is unknown.")
        }
    }

    /// URLs that a click opened, by the place in the sequence of requests.
    private var opened: [String] = []

    private func requests() -> [JSONValue] {
        let sent = edge.requests
            .filter { $0["url"]?.text?.hasPrefix("https://brand.example/") != true }
            .map { JSONValue.object($0.members.filter { $0.key != "at_ms" && $0.key != "query" }) }
        return sent + opened.map { .object(["method": .string("GET"), "url": .string($0)]) }
    }

    private func ordered(_ requests: [JSONValue], _ loose: Int) -> [JSONValue] {
        requests.dropLast(loose) + requests.suffix(loose).sorted { ($0["url"]?.text ?? "") < ($1["url"]?.text ?? "") }
    }
}

/// An engine on the main actor, without a thread.
@MainActor
private final class DirectBackend: AdBackend {
    let engine: Engine
    private let host: VirtualHost

    init(_ engine: Engine, _ host: VirtualHost) {
        self.engine = engine
        self.host = host
    }

    func nowMs() -> Int { host.nowMs() }

    func serveForView(_ request: ServeRequest, _ done: @escaping @MainActor (Served) -> Void) {
        engine.serve(request) { served in MainActor.assumeIsolated { done(served) } }
    }

    func report(_ token: String, _ event: AdEvent) { engine.track(token, event) }

    func count(_ ad: Ad, _ event: AdEvent) { engine.count(ad, event) }

    func loadTracker(_ url: String) { engine.load(url) { _ in } }
}

/// A view of 300×250 points, all of it in view, that draws nothing. It follows the same ``Presentation`` as UIKit's.
@MainActor
private final class BareStage: AdStage {
    private final class Drawn: RenderedAd {
        let isBusy = false
        let presentation: Presentation
        let showing: Showing

        init(_ presentation: Presentation, _ showing: Showing) {
            self.presentation = presentation
            self.showing = showing
        }

        func pause() {}

        func end() {}
    }

    var request: ServeRequest?
    var callbacks: [String] = []
    let backend: (any AdBackend)?
    let isInUse = false
    private(set) var isAttached = false
    private let presenter = AdPresenter()
    private let direct: DirectBackend
    private let host: VirtualHost
    private var drawn: Drawn?
    private var opened: [String] = []
    private var sampling = 0

    init(_ backend: DirectBackend, _ host: VirtualHost) {
        self.backend = backend
        direct = backend
        self.host = host
        presenter.stage = self
    }

    func attach() {
        isAttached = true
        presenter.attach()
    }

    func detach() {
        isAttached = false
        presenter.detach()
    }

    /// Returns what was opened.
    func click(isInside: Bool) -> [String] {
        opened = []
        guard let drawn else { return opened }
        let ad = drawn.showing.ad
        switch drawn.presentation {
        case .page(let page, let isWholeLink):
            if isWholeLink { drawn.showing.click(nil) }
            if isInside, let href = page.components(separatedBy: "href=\"").dropFirst().first {
                let url = String(href.prefix { $0 != "\"" })
                if case .click(let followed) = Presentation.follow(url, of: ad, byUser: true) {
                    drawn.showing.click(followed)
                }
            }
        default:
            if ad.hasDestination { drawn.showing.click(nil) }
        }
        return opened
    }

    func render(_ showing: Showing, _ done: @escaping @MainActor ((any RenderedAd)?) -> Void) throws(PlacardError) {
        let drawn = Drawn(try Presentation.of(showing.ad), showing)
        guard case .picture(let picture) = drawn.presentation else { return done(drawn) }
        direct.engine.load(picture.url) { data in MainActor.assumeIsolated { done(data == nil ? nil : drawn) } }
    }

    func put(_ rendered: any RenderedAd, _ ad: Ad) { drawn = rendered as? Drawn }

    func clear() { drawn = nil }

    func open(_ url: URL) { opened.append(url.absoluteString) }

    func requested(_ slot: String, _ outcome: ServeOutcome, tookMs: Int) {}

    func report(_ event: AdViewEvent) {
        switch event {
        case .load: callbacks.append("load")
        case .noFill: callbacks.append("empty")
        case .impression: callbacks.append("impression")
        case .viewable: callbacks.append("viewable")
        case .click: callbacks.append("click")
        case .error: callbacks.append("error")
        }
    }

    func startSampling() {
        sampling += 1
        look(sampling)
    }

    func stopSampling() { sampling += 1 }

    private func look(_ ours: Int) {
        host.after(100) {
            MainActor.assumeIsolated {
                guard ours == self.sampling else { return }
                let isGoingOn = self.presenter.sample(nowMs: self.host.nowMs(), ratio: 1, area: 75_000)
                if isGoingOn, ours == self.sampling { self.look(ours) }
            }
        }
    }
}
