import Foundation
import XCTest

@testable import PlacardCore

/// Events that could not be sent, what sends them, and features that could not be received.
final class OfflineTests: XCTestCase {
    private final class Net {
        /// Path and body of each request.
        var sent: [String] = []
        var respond: (HTTPRequest) -> Result<HTTPResponse, TransportError> = { _ in .failure(.network("offline")) }
    }

    private let folder = TemporaryFolder()
    private let net = Net()
    private var outcomes: [TrackOutcome] = []
    private lazy var host = VirtualHost { [net] request in
        let path = request.url.components(separatedBy: "/v1/").last ?? ""
        net.sent.append("\(path.prefix { $0 != "?" }):\(String(decoding: request.body ?? Data(), as: UTF8.self))")
        return net.respond(request)
    }

    private func client(_ consent: Consent = .unknown) -> Engine {
        var options = Options(publishableKey: "pk_test_x", edgeURL: "https://edge.example")
        options.folder = folder.url
        options.consent = { consent }
        options.storedConsent = { .unknown }
        return Engine(options, host: host)
    }

    private func goOnline(_ statuses: [Int]) {
        net.respond = { request in
            if !request.url.hasSuffix("/batch") {
                return .success(HTTPResponse(status: 204, headers: [:], body: Data()))
            }
            let results = statuses.map { JSONValue.object(["status": .int($0)]) }
            let body = JSONValue.object(["results": .array(results)]).written()
            return .success(HTTPResponse(status: 200, headers: [:], body: body))
        }
    }

    private func track(_ client: Engine, _ tokens: String...) {
        for token in tokens { client.track(token, .impression) { self.outcomes.append($0) } }
        host.settle { self.outcomes.count >= tokens.count }
    }

    func testWhatCouldNotBeSentIsSentTogetherByTheNextProcess() {
        let first = client()
        track(first, "a", "b")
        XCTAssertEqual(outcomes, [.queued, .queued])
        first.close()
        host.pass(0)
        net.sent = []
        goOnline([204, 410])

        let second = client()
        second.flush()
        host.pass(0)
        second.flush()
        host.pass(0)

        let events = #"[{"event":"impression","token":"a"},{"event":"impression","token":"b"}]"#
        XCTAssertEqual(net.sent, [#"track/batch:{"events":\#(events)}"#])
    }

    func testARequestThatSucceedsSendsWhatWaits() {
        let client = client()
        track(client, "a")
        net.sent = []
        goOnline([204])
        client.track("b", .impression)
        host.pass(0)

        XCTAssertEqual(net.sent.count, 2)
        XCTAssertTrue(net.sent[1].hasPrefix("track/batch:"))
        XCTAssertTrue(net.sent[1].contains("\"a\"") && !net.sent[1].contains("\"b\""))
    }

    func testTheyAreTriedAgainWithoutARequestOfTheApp() {
        let client = client()
        track(client, "a")
        net.sent = []
        goOnline([204])
        host.pass(60_000)

        XCTAssertEqual(net.sent.count, 1)
    }

    func testAnEventTheEdgeCouldNotTakeYetIsKept() {
        let client = client()
        track(client, "a", "b")
        net.sent = []
        goOnline([503, 204])
        client.flush()
        host.pass(0)
        goOnline([204])
        host.pass(60_000)

        XCTAssertEqual(net.sent.count, 2)
        XCTAssertTrue(net.sent[1].contains("\"a\"") && !net.sent[1].contains("\"b\""))
    }

    func testAnEventThatMakesTheEdgeRefuseABatchIsFoundAndDropped() {
        let client = client()
        track(client, "a", "wrong", "c")
        net.respond = { request in
            let events = request.body.flatMap { try? JSONValue.parse($0) }?["events"]?.items ?? []
            if events.contains(where: { $0["token"]?.text == "wrong" }) {
                let error = JSONValue.object(["error": .object(["code": .string("validation_failed")])])
                return .success(HTTPResponse(status: 422, headers: [:], body: error.written()))
            }
            let results = JSONValue.array(events.map { _ in .object(["status": .int(204)]) })
            return .success(
                HTTPResponse(status: 200, headers: [:], body: JSONValue.object(["results": results]).written()))
        }
        client.flush()
        host.pass(0)
        net.sent = []
        client.flush()
        host.pass(0)

        XCTAssertEqual(net.sent, [])
    }

    func testKnownFeaturesStayWhereTheNextOnesCannotBeReceived() {
        let slot = JSONValue.object(["key": .string("banner"), "id": .string("s"), "refresh_seconds": .int(45)])
        let features = JSONValue.object(["ttl_seconds": .int(60), "slots": .array([slot])]).written()
        var isOnline = true
        net.respond = { request in
            if !request.url.hasSuffix("/v1/features") {
                return .success(HTTPResponse(status: 204, headers: [:], body: Data()))
            }
            if !isOnline { return .failure(.network("offline")) }
            return .success(HTTPResponse(status: 200, headers: [:], body: features))
        }
        let client = client()
        func serve() -> Int {
            var served: Served?
            client.serve(ServeRequest(slot: "banner")) { served = $0 }
            host.settle { served != nil }
            XCTAssertEqual(served?.refreshSeconds, 45)
            return net.sent.filter { $0 == "features:" }.count
        }

        XCTAssertEqual(serve(), 1)
        isOnline = false
        host.pass(60_000)
        XCTAssertEqual(serve(), 2)
        isOnline = true
        host.pass(29_999)
        XCTAssertEqual(serve(), 2)
        host.pass(1)
        XCTAssertEqual(serve(), 3)
    }

    func testWhereStorageIsRefusedNothingIsWritten() {
        goOnline([])
        let client = client(Consent(storage: false))
        var isServed = false
        client.serve(ServeRequest(slot: "banner")) { _ in isServed = true }
        host.settle { isServed }
        net.respond = { _ in .failure(.network("offline")) }
        track(client, "a", "b")

        XCTAssertEqual(folder.files.filter { $0.hasSuffix(".jsonl") || $0.hasSuffix("seen.json") }, [])
    }

    func testACallThatIsUnderWayWhenTheClientIsClosedHasAResult() {
        let client = client()
        var served: [ServeOutcome] = []
        client.serve(ServeRequest(slot: "banner")) { served.append($0.outcome) }
        track(client)
        client.close()
        client.serve(ServeRequest(slot: "banner")) { served.append($0.outcome) }
        host.pass(120_000)

        let closed = ServeOutcome.failed(PlacardError(code: "closed", message: "The client was closed."))
        XCTAssertEqual(served, [closed, closed])
    }
}
