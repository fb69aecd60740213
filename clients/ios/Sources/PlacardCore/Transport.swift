import Foundation

/// One HTTP request. *body*: sent as JSON by POST; nil: GET.
public struct HTTPRequest: Sendable, Equatable {
    public let url: String
    public let headers: [String: String]
    public let body: Data?

    public init(url: String, headers: [String: String], body: Data? = nil) {
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// A complete response. *headers*: names in lower case.
public struct HTTPResponse: Sendable, Equatable {
    public let status: Int
    public let headers: [String: String]
    public let body: Data

    public init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Why there is no complete response.
public enum TransportError: Error, Sendable, Equatable {
    case timeout
    /// With a reason for people.
    case network(String)
}

/// Sends requests. Replace it to route requests through your own HTTP client.
public protocol Transport: Sendable {
    /// Returns when the whole response is there. Throws `timeout` after *timeoutMs*.
    func exchange(_ request: HTTPRequest, timeoutMs: Int) async throws(TransportError) -> HTTPResponse
}
