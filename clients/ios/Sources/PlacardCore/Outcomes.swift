/// Why a call failed.
public struct PlacardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The edge's own, or `network`, `timeout`, `invalid_response`, `invalid_request`, `render`, `closed`.
    public let code: String
    public let message: String
    /// HTTP status, if the edge responded.
    public let status: Int?
    /// Quote it to support.
    public let requestID: String?

    public init(code: String, message: String, status: Int? = nil, requestID: String? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.requestID = requestID
    }

    public var description: String { "\(code): \(message)" + (requestID.map { " (\($0))" } ?? "") }
}

/// Result of a serve request.
public enum ServeOutcome: Sendable, Equatable {
    case filled(Ad)
    /// There is no ad for the slot now; this is not an error. The reason is sent to test keys, and set where no request
    /// was made (`kill_switch`, `outdated`).
    case noFill(reason: String?)
    case failed(PlacardError)
}

/// Result of reporting an event.
public enum TrackOutcome: Sendable, Equatable {
    /// Counted, now or before.
    case counted
    /// The edge could not be reached. The event is queued and sent later.
    case queued
    /// The edge refused the event; it is not sent again.
    case failed(PlacardError)
}

/// What a token may be sent for.
public enum AdEvent: String, Sendable, CaseIterable {
    case impression
    case click
    case conversion
    case viewable
    case start
    case firstQuartile = "first_quartile"
    case midpoint
    case thirdQuartile = "third_quartile"
    case complete
    case skip
    case error
}

/// Value of a conversion.
public struct Conversion: Sendable, Equatable {
    public var valueCents: Int?
    /// ISO 4217 code.
    public var currency: String?
    /// Each order counts once.
    public var orderID: String?

    public init(valueCents: Int? = nil, currency: String? = nil, orderID: String? = nil) {
        self.valueCents = valueCents
        self.currency = currency
        self.orderID = orderID
    }
}
