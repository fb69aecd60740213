import Foundation

/// Settings of a client. Only the key and the edge's address are required.
public struct Options: Sendable {
    /// `pk_test_…` or `pk_live_…`.
    public let publishableKey: String
    /// Base URL of the edge of the key's environment, without a slash at its end.
    public let edgeURL: String
    /// The present consent: called before every serve request, off the main thread. Where it throws, nothing is
    /// personalised or stored. What it leaves open is taken from ``storedConsent``.
    public var consent: @Sendable () throws -> Consent = { .unknown }
    /// What consent platforms store: by default the app's `UserDefaults`.
    public var storedConsent: @Sendable () -> Consent = { .stored() }
    /// Where unsent events and counts of capped ads are stored. Nil: they end with the process.
    public var folder: URL?
    public var transport: any Transport = URLSessionTransport()
    /// Overrides the platform's `User-Agent`.
    public var userAgent: String?
    /// The device's languages in the format of `Accept-Language`.
    public var languages: String?
    /// Shows the result of each request on top of each ad. Never for a release.
    public var isDebug = false
    /// Receives faults that the library did not pass on, such as a disk that is full. Called on any thread.
    public var onFault: (@Sendable (String) -> Void)?

    public init(publishableKey: String, edgeURL: String) {
        self.publishableKey = publishableKey
        var trimmed = edgeURL
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        self.edgeURL = trimmed
    }

    /// Whether the key is one of the test environment.
    public var isTest: Bool { publishableKey.hasPrefix("pk_test_") }

    /// Kind and last four characters of the key, fit for logs: `pk_test_…A1b2`.
    public var shortKey: String { "\(publishableKey.prefix(8))…\(publishableKey.dropFirst(8).suffix(4))" }
}
