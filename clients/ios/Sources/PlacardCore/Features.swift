/// What the edge says about a property, from `/v1/features`.
struct Features {
    /// Time for one response.
    let timeoutMs: Int
    let maxRetries: Int
    /// Pause before the first retry.
    let retryBaseMs: Int
    let presumesConsent: Bool
    let ttlSeconds: Int?
    private let isStopped: Bool
    private let minVersion: String?
    private var refreshSeconds: [String: Int] = [:]

    /// *json*: the response's body; nil before it is known.
    init(_ json: JSONValue?) {
        let tracking = json?["tracking"]
        timeoutMs = tracking?["timeout_ms"]?.int(within: 1...600_000) ?? 3000
        maxRetries = tracking?["retry"]?["max"]?.int(within: 0...10) ?? 3
        retryBaseMs = tracking?["retry"]?["base_ms"]?.int(within: 0...600_000) ?? 500
        presumesConsent = json?["consent"]?["default"]?.text == "personalized"
        ttlSeconds = json?["ttl_seconds"]?.int(within: JSONValue.seconds)
        isStopped = json?["sdk"]?["kill_switch"]?.flag ?? false
        minVersion = json?["sdk"]?["min"]?[Library.name]?.text
        for slot in json?["slots"]?.items ?? [] {
            guard let seconds = slot["refresh_seconds"]?.int(within: JSONValue.seconds) else { continue }
            for name in [slot["key"]?.text, slot["id"]?.text].compactMap({ $0 }) { refreshSeconds[name] = seconds }
        }
    }

    /// Why no ads may be requested; nil where they may.
    var stopReason: String? {
        if isStopped { return "kill_switch" }
        guard let minVersion, Library.isBelow(Library.version, minVersion) else { return nil }
        return "outdated"
    }

    /// Seconds in view after which the slot of this key or id requests another ad; nil: never.
    func refreshSeconds(of slot: String) -> Int? { refreshSeconds[slot] }
}

/// How this library names itself, in the header `X-Placard-Client` and in features.
enum Library {
    static let name = "ios"
    static let version = "0.2.0"

    static func isBelow(_ version: String, _ other: String) -> Bool {
        let (ours, theirs) = (numbers(version), numbers(other))
        for index in 0..<max(ours.count, theirs.count) {
            let (our, their) = (index < ours.count ? ours[index] : 0, index < theirs.count ? theirs[index] : 0)
            if our != their { return our < their }
        }
        return false
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split(whereSeparator: { $0 == "." || $0 == "-" }).map { Int($0) ?? 0 }
    }
}
