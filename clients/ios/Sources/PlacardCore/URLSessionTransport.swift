import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// By the platform's own client. It keeps no cookies, follows no redirects, and caches nothing.
struct URLSessionTransport: Transport {
    private let exchanges = Exchanges()

    func exchange(_ request: HTTPRequest, timeoutMs: Int) async throws(TransportError) -> HTTPResponse {
        guard let url = URL(string: request.url), url.scheme == "http" || url.scheme == "https", url.host != nil else {
            throw .network("\(request.url) is no URL of the web.")
        }
        var sent = URLRequest(url: url, timeoutInterval: Double(timeoutMs) / 1000)
        sent.httpShouldHandleCookies = false
        for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
        if let body = request.body {
            sent.httpMethod = "POST"
            sent.httpBody = body
            sent.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return try await exchanges.send(sent, timeoutMs: timeoutMs).get()
    }
}

/// The exchanges under way of one session. State is guarded by `lock`, as the session calls from a queue of its own.
private final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Exchange {
        var body = Data()
        var fault: TransportError?
        let done: CheckedContinuation<Result<HTTPResponse, TransportError>, Never>
    }

    /// Pictures of ads come this way too.
    private static let maxBytes = 8 << 20
    private let lock = NSLock()
    private var exchanges: [Int: Exchange] = [:]
    private var session: URLSession?

    func send(_ request: URLRequest, timeoutMs: Int) async -> Result<HTTPResponse, TransportError> {
        await withCheckedContinuation { done in
            let task = begin(request, done)
            // The session's own timeout begins anew with each byte.
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(timeoutMs)) { [weak self] in
                self?.cancel(task, because: .timeout)
            }
            task.resume()
        }
    }

    private func begin(
        _ request: URLRequest, _ done: CheckedContinuation<Result<HTTPResponse, TransportError>, Never>
    ) -> URLSessionDataTask {
        lock.withLock {
            let session = self.session ?? makeSession()
            let task = session.dataTask(with: request)
            exchanges[task.taskIdentifier] = Exchange(done: done)
            return task
        }
    }

    private func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpMaximumConnectionsPerHost = 4
        let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        session = made
        return made
    }

    private func cancel(_ task: URLSessionTask, because fault: TransportError) {
        let isUnderWay = lock.withLock {
            exchanges[task.taskIdentifier]?.fault = fault
            return exchanges[task.taskIdentifier] != nil
        }
        if isUnderWay { task.cancel() }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = lock.withLock {
            exchanges[dataTask.taskIdentifier]?.body.append(data)
            return (exchanges[dataTask.taskIdentifier]?.body.count ?? 0) > Self.maxBytes
        }
        if isTooLong { cancel(dataTask, because: .network("The response has more than \(Self.maxBytes) bytes.")) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = lock.withLock({ exchanges.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.done.resume(returning: Self.result(exchange, task.response, error))
    }

    private static func result(
        _ exchange: Exchange, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<HTTPResponse, TransportError> {
        if let fault = exchange.fault { return .failure(fault) }
        if let error = error as? URLError, error.code == .timedOut { return .failure(.timeout) }
        if let error { return .failure(.network(error.localizedDescription)) }
        guard let response = response as? HTTPURLResponse else {
            return .failure(.network("The response is not HTTP."))
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
        return .success(HTTPResponse(status: response.statusCode, headers: headers, body: exchange.body))
    }
}
