import Foundation
import XCTest

@testable import PlacardCore

/// Time that passes only while a test waits: every task runs on the caller's thread, in order of its time.
final class VirtualHost: EngineHost {
    static let startMs = 1_800_000_000_000

    private struct Task {
        let atMs: Int
        let number: Int
        let run: () -> Void
    }

    private var tasks: [Task] = []
    private var number = 0
    private var now = 0
    private let chance: Double
    private let edge: (HTTPRequest) -> Result<HTTPResponse, TransportError>

    init(chance: Double = 0.5, edge: @escaping (HTTPRequest) -> Result<HTTPResponse, TransportError>) {
        self.chance = chance
        self.edge = edge
    }

    func nowMs() -> Int { now }

    func wallMs() -> Int { Self.startMs + now }

    func random() -> Double { chance }

    func after(_ ms: Int, _ task: @escaping () -> Void) {
        number += 1
        tasks.append(Task(atMs: now + ms, number: number, run: task))
    }

    func exchange(
        _ request: HTTPRequest, timeoutMs: Int, _ done: @escaping (Result<HTTPResponse, TransportError>) -> Void
    ) {
        after(0) {
            let result = self.edge(request)
            self.after(0) { done(result) }
        }
    }

    /// Runs what is due within *ms*, and lets them pass.
    func pass(_ ms: Int) {
        let endMs = now + ms
        while let next = nextIndex(), tasks[next].atMs <= endMs { step(next) }
        now = endMs
    }

    /// Lets time pass until *condition* holds, or nothing is left that could bring it about.
    func settle(_ condition: () -> Bool) {
        var steps = 0
        while !condition(), let next = nextIndex(), steps < 100_000 {
            steps += 1
            step(next)
        }
    }

    private func nextIndex() -> Int? {
        tasks.indices.min { (tasks[$0].atMs, tasks[$0].number) < (tasks[$1].atMs, tasks[$1].number) }
    }

    private func step(_ index: Int) {
        let task = tasks.remove(at: index)
        now = max(now, task.atMs)
        task.run()
    }
}

/// An edge that responds as one case says, and writes down each request. *answers*: for each last segment of a path, the
/// names of the responses in sequence; the last one repeats.
final class ScriptedEdge {
    private let known: JSONValue
    private var queues: [String: [String]]
    var nowMs: () -> Int = { 0 }
    private(set) var requests: [JSONValue] = []
    private(set) var headers: [[String: String]] = []

    init(_ answers: JSONValue?) throws {
        known = try ContractCases.answers()
        queues = (answers?.members ?? [:]).mapValues { $0.items.compactMap(\.text) }
    }

    func exchange(_ request: HTTPRequest) -> Result<HTTPResponse, TransportError> {
        guard let url = URLComponents(string: request.url), url.host == "edge.example" else {
            requests.append(.object(["method": .string("GET"), "url": .string(request.url)]))
            return .success(HTTPResponse(status: 200, headers: [:], body: Data("picture".utf8)))
        }
        headers.append(request.headers)
        var written: [String: JSONValue] = [
            "at_ms": .int(nowMs()), "method": .string(request.body == nil ? "GET" : "POST"), "path": .string(url.path),
            "query": query(url),
        ]
        written["body"] = request.body.flatMap { try? JSONValue.parse($0) }
        requests.append(.object(written))
        let name = url.path.split(separator: "/").last.map(String.init) ?? ""
        guard let queue = queues[name], let first = queue.first else { return .failure(.network("unexpected \(name)")) }
        if queue.count > 1 { queues[name] = Array(queue.dropFirst()) }
        return response(first)
    }

    private func response(_ name: String) -> Result<HTTPResponse, TransportError> {
        let answer = known[name]
        switch answer?["fault"]?.text {
        case "timeout": return .failure(.timeout)
        case .some: return .failure(.network("connection lost"))
        case nil: break
        }
        let body = answer?["text"]?.text.map { Data($0.utf8) } ?? answer?["body"]?.written() ?? Data()
        var headers: [String: String] = [:]
        for (name, value) in answer?["headers"]?.members ?? [:] { headers[name.lowercased()] = value.text }
        return .success(HTTPResponse(status: answer?["status"]?.int ?? 0, headers: headers, body: body))
    }

    private func query(_ url: URLComponents) -> JSONValue {
        var found: [String: [JSONValue]] = [:]
        for item in url.queryItems ?? [] { found[item.name, default: []].append(.string(item.value ?? "")) }
        return .object(found.mapValues { $0.count == 1 ? $0[0] : .array($0) })
    }
}
