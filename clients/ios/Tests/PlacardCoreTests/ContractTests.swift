import Foundation
import XCTest

@testable import PlacardCore

/// Each conformance case that needs no view, on a clock that passes at once.
final class ContractTests: XCTestCase {
    func testRequests() throws { try runAll("requests") }

    func testOutcomes() throws { try runAll("outcomes") }

    func testRetries() throws { try runAll("retries") }

    func testTokens() throws { try runAll("tokens") }

    private func runAll(_ file: String) throws {
        var passed: [String] = []
        for json in try ContractCases.of(file) {
            let name = json["name"]?.text ?? ""
            let faults = try CaseRun(json).faults()
            XCTAssertEqual(faults, [], "\(file): \(name)")
            if faults.isEmpty { passed.append(name) }
        }
        XCTAssertFalse(passed.isEmpty)
        try ContractCases.record(file, passed)
    }
}

/// One case, and in what the library differs from it.
private final class CaseRun {
    private enum Outcome {
        case serve(ServeOutcome)
        case track(TrackOutcome)
        case waited
    }

    private let json: JSONValue
    private let given: JSONValue?
    private let folder = TemporaryFolder()
    private let edge: ScriptedEdge
    private let host: VirtualHost
    private var outcomes: [Outcome?]

    init(_ json: JSONValue) throws {
        self.json = json
        given = json["given"]
        let edge = try ScriptedEdge(json["answers"])
        self.edge = edge
        host = VirtualHost(chance: given?["random"]?.number ?? 0.5, edge: edge.exchange)
        outcomes = Array(repeating: nil, count: json["do"]?.items.count ?? 0)
        edge.nowMs = { [unowned host] in host.nowMs() }
    }

    func faults() throws -> [String] {
        let seen = folder.url.appendingPathComponent("test/seen.json")
        try store(seen)
        let consent = Consent(given: given?["consent"])
        var options = Options(
            publishableKey: given?["publisher_key"]?.text ?? "", edgeURL: given?["edge_url"]?.text ?? "")
        options.consent = { consent }
        options.storedConsent = { .unknown }
        options.folder = folder.url
        perform(Engine(options, host: host))

        var faults: [String] = []
        let wanted = json["expect"]?["requests"]?.items ?? []
        if wanted != edge.requests { faults.append("requests \(edge.requests), wanted \(wanted)") }
        let found = outcomes.compactMap { $0 }.filter { if case .waited = $0 { false } else { true } }
        let expected = json["expect"]?["outcomes"]?.items ?? []
        if found.count != expected.count { faults.append("\(found.count) outcomes, wanted \(expected.count)") }
        faults += zip(expected, found).compactMap { Self.holds($0, $1) ? nil : "outcome \($1), wanted \($0)" }
        for headers in edge.headers
        where headers["X-Service-Key"] != options.publishableKey
            || headers["X-Placard-Client"] != "ios/\(Library.version)"
        {
            faults.append("headers \(headers)")
        }
        let isKept = FileManager.default.fileExists(atPath: seen.path)
        if consent.storage == false, isKept { faults.append("counts are kept") }
        return faults
    }

    private func perform(_ engine: Engine) {
        let steps = json["do"]?.items ?? []
        let areTogether = steps.contains { $0["at_ms"] != nil }
        for (index, step) in steps.enumerated() {
            if step["call"]?.text == "wait" {
                host.pass(step["ms"]?.int ?? 0)
                outcomes[index] = .waited
            } else if let atMs = step["at_ms"]?.int {
                host.after(atMs) { self.start(engine, step, index) }
            } else {
                start(engine, step, index)
            }
            if !areTogether { host.settle { self.outcomes[index] != nil } }
        }
        host.settle { self.outcomes.allSatisfy { $0 != nil } }
    }

    private func start(_ engine: Engine, _ step: JSONValue, _ index: Int) {
        if step["call"]?.text == "serve" {
            return engine.serve(ServeRequest(given: step["request"])) { self.outcomes[index] = .serve($0.outcome) }
        }
        let conversion = step["conversion"].map {
            Conversion(
                valueCents: $0["value_cents"]?.int, currency: $0["currency"]?.text, orderID: $0["order_id"]?.text)
        }
        let event = AdEvent(rawValue: step["event"]?.text ?? "")!
        engine.track(step["token"]?.text ?? "", event, conversion) { self.outcomes[index] = .track($0) }
    }

    private static func holds(_ wanted: JSONValue, _ outcome: Outcome) -> Bool {
        switch (wanted["status"]?.text, outcome) {
        case ("filled", .serve(.filled(let ad))): !ad.trackToken.isEmpty
        case ("no_fill", .serve(.noFill(let reason))): wanted["reason"]?.text == reason
        case ("counted", .track(.counted)): true
        case ("error", .serve(.failed(let error))), ("error", .track(.failed(let error))): holds(wanted["error"], error)
        default: false
        }
    }

    private static func holds(_ wanted: JSONValue?, _ error: PlacardError) -> Bool {
        wanted?["code"]?.text == error.code && (wanted?["status"] == nil || wanted?["status"]?.int == error.status)
    }

    private func store(_ file: URL) throws {
        guard let seen = given?["seen"] else { return }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let entries = seen.members.sorted { $0.key < $1.key }.map { name, ends in
            let endsMs = ends.items.compactMap(\.int).map { JSONValue.int(VirtualHost.startMs + $0 * 1000) }
            return JSONValue.object(["name": .string(name), "ends": .array(endsMs)])
        }
        try JSONValue.array(entries).written().write(to: file)
    }
}
