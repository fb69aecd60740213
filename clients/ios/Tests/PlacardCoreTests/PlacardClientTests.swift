import Foundation
import XCTest

@testable import PlacardCore

/// The client with its own threads, before a transport that responds at once.
final class PlacardClientTests: XCTestCase {
    private struct Edge: Transport {
        let requests: AsyncStream<HTTPRequest>.Continuation
        let serve: JSONValue

        func exchange(_ request: HTTPRequest, timeoutMs: Int) async throws(TransportError) -> HTTPResponse {
            XCTAssertFalse(Thread.isMainThread, "A request on the main thread.")
            requests.yield(request)
            if request.url.contains("/v1/track") { return HTTPResponse(status: 204, headers: [:], body: Data()) }
            let body = request.url.contains("/v1/serve") ? serve : .object([:])
            return HTTPResponse(status: 200, headers: [:], body: body.written())
        }
    }

    private let folder = TemporaryFolder()
    private let requests = AsyncStream<HTTPRequest>.makeStream()

    private func options() throws -> Options {
        var options = Options(publishableKey: "pk_test_0123456789abcdef", edgeURL: "https://edge.example//")
        let ad = try ContractCases.answers()["tracked"]!["body"]!
        options.transport = Edge(requests: requests.continuation, serve: ad)
        options.folder = folder.url
        options.storedConsent = { .unknown }
        return options
    }

    /// Queries of the serve requests so far.
    private func served() async -> [String] {
        requests.continuation.finish()
        return await requests.stream.map(\.url).filter { $0.contains("/v1/serve") }.reduce(into: []) { $0.append($1) }
    }

    func testCallsTakeEffectInTheirOrder() async throws {
        let client = PlacardClient(try options())
        client.setOptedOut(true)
        _ = await client.serve(ServeRequest(slot: "a"))
        client.setOptedOut(false)
        _ = await client.serve(ServeRequest(slot: "b"))

        let urls = await served()
        XCTAssertEqual(urls, ["https://edge.example/v1/serve?slot=a&npa=1", "https://edge.example/v1/serve?slot=b"])
    }

    func testWhoOptedOutStaysSo() async throws {
        let first = PlacardClient(try options())
        first.setOptedOut(true)
        _ = await first.serve(ServeRequest(slot: "a"))
        first.close()
        _ = await PlacardClient(try options()).serve(ServeRequest(slot: "b"))

        let urls = await served()
        XCTAssertTrue(urls.allSatisfy { $0.hasSuffix("&npa=1") }, "\(urls)")
    }

    func testConsentThatCannotBeReadCountsAsRefused() async throws {
        struct Unreadable: Error {}
        var options = try options()
        let faults = AsyncStream<String>.makeStream()
        options.consent = { throw Unreadable() }
        options.onFault = { faults.continuation.yield($0) }
        _ = await PlacardClient(options).serve(ServeRequest(slot: "a"))

        let urls = await served()
        XCTAssertEqual(urls, ["https://edge.example/v1/serve?slot=a&npa=1"])
        faults.continuation.finish()
        let messages = await faults.stream.reduce(into: []) { $0.append($1) }
        XCTAssertEqual(messages, ["Consent cannot be read, so nothing is personalised: Unreadable()"])
    }

    func testACallbackRunsOnTheMainThreadAndKeepsItsClient() async throws {
        let options = try options()
        let outcome = await withCheckedContinuation { waiting in
            PlacardClient(options).serve(ServeRequest(slot: "a")) { outcome in
                XCTAssertTrue(Thread.isMainThread)
                waiting.resume(returning: outcome)
            }
        }

        guard case .filled(let ad) = outcome else { return XCTFail("\(outcome)") }
        XCTAssertEqual(ad.format, "banner")
    }

    func testAShowingCountsOneImpressionAndLoadsTheAdvertisersURLs() async throws {
        let client = PlacardClient(try options())
        guard case .filled(let ad) = await client.serve(ServeRequest(slot: "a")) else { return XCTFail("no ad") }
        let (first, second, url) = await MainActor.run {
            let session = AdSession(ad, of: client)
            return (session.recordImpression(), session.recordImpression(), session.recordClick())
        }
        let tracked = await client.track(ad.trackToken, .viewable)

        XCTAssertEqual([first, second], [true, false])
        XCTAssertEqual(url?.absoluteString, ad.clickURL)
        XCTAssertEqual(tracked, .counted)
        var awaited: Set = ["https://count.example/seen.gif", "https://count.example/clicked.gif"]
        for await request in requests.stream {
            awaited.remove(request.url)
            if awaited.isEmpty { break }
        }
    }

    func testAKeyIsShortInLogs() {
        let options = Options(publishableKey: "pk_test_0123456789A1b2", edgeURL: "https://edge.example")
        XCTAssertEqual(options.shortKey, "pk_test_…A1b2")
        XCTAssertTrue(options.isTest)
    }
}
