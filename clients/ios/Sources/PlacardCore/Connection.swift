import Foundation

/// The result of a request: an error, or else the body of a 2xx response (nil: it had none).
struct Answer {
    var error: PlacardError?
    var body: JSONValue?
    var noFillReason: String?
}

/// Sends requests of one key to one edge. Retries after 429, 5xx and where there was no response: after `base_ms`, doubled
/// each time, times 0.5 to 1.5 by chance, and not before `Retry-After`. After a 429, no request is sent before its pause
/// is over.
final class Connection {
    private struct Attempt {
        let status: Int?
        var retryAfterMs = 0
        let answer: Answer
    }

    private struct Call {
        let path: String
        let body: Data?
        let maxRetries: Int?
        let done: (Answer) -> Void
    }

    /// Longer than this nobody waits for an ad.
    private static let maxPauseMs = 60_000
    private static let loadTimeoutMs = 10_000
    private static let maxRetryAfterSeconds = 86_400

    private let options: Options
    private let host: any EngineHost
    private var heldUntilMs: Int?
    var features = Features(nil)

    init(_ options: Options, host: any EngineHost) {
        self.options = options
        self.host = host
    }

    func get(_ path: String, maxRetries: Int? = nil, _ done: @escaping (Answer) -> Void) {
        attempt(Call(path: path, body: nil, maxRetries: maxRetries, done: done), tried: 0)
    }

    func post(_ path: String, _ body: JSONValue, maxRetries: Int? = nil, _ done: @escaping (Answer) -> Void) {
        attempt(Call(path: path, body: body.written(), maxRetries: maxRetries, done: done), tried: 0)
    }

    /// For URLs of advertisers: one request, nil where it failed.
    func load(_ url: String, _ done: @escaping (HTTPResponse?) -> Void) {
        let request = HTTPRequest(url: url, headers: agent)
        host.exchange(request, timeoutMs: Self.loadTimeoutMs) { done(try? $0.get()) }
    }

    static func isRetryable(_ status: Int?) -> Bool {
        guard let status else { return true }
        return status == 429 || status >= 500
    }

    private func attempt(_ call: Call, tried: Int) {
        if let heldUntilMs, heldUntilMs > host.nowMs() {
            return host.after(heldUntilMs - host.nowMs()) { self.attempt(call, tried: tried) }
        }
        let request = HTTPRequest(url: "\(options.edgeURL)/v1/\(call.path)", headers: headers, body: call.body)
        let timeoutMs = features.timeoutMs
        host.exchange(request, timeoutMs: timeoutMs) { result in
            self.finish(call, tried: tried, Self.parse(result, timeoutMs: timeoutMs))
        }
    }

    private func finish(_ call: Call, tried: Int, _ attempt: Attempt) {
        let pauseMs = pauseMs(attempt, tried)
        if attempt.answer.error == nil || !Self.isRetryable(attempt.status) { return call.done(attempt.answer) }
        if tried >= call.maxRetries ?? features.maxRetries || pauseMs > Self.maxPauseMs {
            return call.done(attempt.answer)
        }
        // The pause of a 429 is in `heldUntilMs`, for all requests.
        if attempt.status == 429 { return self.attempt(call, tried: tried + 1) }
        host.after(pauseMs) { self.attempt(call, tried: tried + 1) }
    }

    private func pauseMs(_ attempt: Attempt, _ tried: Int) -> Int {
        // At most ten retries of a base of ten minutes: no overflow.
        let ownMs = Double(features.retryBaseMs) * pow(2, Double(tried)) * (0.5 + host.random())
        let pauseMs = max(attempt.retryAfterMs, Int(ownMs.rounded()))
        if attempt.status == 429 { heldUntilMs = host.nowMs() + min(pauseMs, Self.maxPauseMs) }
        return pauseMs
    }

    private static func parse(_ result: Result<HTTPResponse, TransportError>, timeoutMs: Int) -> Attempt {
        switch result {
        case .success(let response): return parse(response)
        case .failure(.timeout): return failed("timeout", "The edge did not respond within \(timeoutMs) ms.")
        case .failure(.network(let reason)):
            return failed("network", "The edge could not be reached: \(reason) Check the connection and the edge URL.")
        }
    }

    private static func parse(_ response: HTTPResponse) -> Attempt {
        let retryAfter = response.headers["retry-after"].flatMap { Int($0) } ?? 0
        let retryAfterMs = min(max(retryAfter, 0), maxRetryAfterSeconds) * 1000
        var body: JSONValue?
        if !response.body.isEmpty {
            do { body = try JSONValue.parse(response.body) } catch {
                return invalid(response, retryAfterMs, "It is not JSON.")
            }
        }
        if 200..<300 ~= response.status {
            let answer = Answer(body: body, noFillReason: response.headers["x-no-fill-reason"])
            return Attempt(status: response.status, retryAfterMs: retryAfterMs, answer: answer)
        }
        guard let error = body?["error"], let code = error["code"]?.text else {
            return invalid(response, retryAfterMs, "It has no error code.")
        }
        let found = PlacardError(
            code: code, message: error["message"]?.text ?? "", status: response.status,
            requestID: error["request_id"]?.text)
        return Attempt(status: response.status, retryAfterMs: retryAfterMs, answer: Answer(error: found))
    }

    /// The response is not the edge's: a proxy's, or that of a captive portal.
    private static func invalid(_ response: HTTPResponse, _ retryAfterMs: Int, _ reason: String) -> Attempt {
        let message = "The response is not an edge's: \(reason) Check the edge URL."
        let error = PlacardError(code: "invalid_response", message: message, status: response.status)
        return Attempt(status: response.status, retryAfterMs: retryAfterMs, answer: Answer(error: error))
    }

    private static func failed(_ code: String, _ message: String) -> Attempt {
        Attempt(status: nil, answer: Answer(error: PlacardError(code: code, message: message)))
    }

    private var headers: [String: String] {
        var headers = agent
        headers["X-Service-Key"] = options.publishableKey
        headers["X-Placard-Client"] = "\(Library.name)/\(Library.version)"
        headers["Accept-Language"] = options.languages
        return headers
    }

    private var agent: [String: String] { options.userAgent.map { ["User-Agent": $0] } ?? [:] }
}
