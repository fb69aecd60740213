import Foundation

/// A serve outcome, and after how many seconds in view its slot requests another ad (nil: never).
package struct Served: Sendable {
    package let outcome: ServeOutcome
    package let refreshSeconds: Int?
}

/// What a client does, without threads: it belongs to one isolation, and whoever owns it brings time and network.
final class Engine {
    /// How soon features are requested again that were not available.
    private static let featuresAgainSeconds = 30

    private let options: Options
    private let host: any EngineHost
    private let connection: Connection
    private let seen: SeenCounts
    private let events: EventSender
    private let folder: URL?
    private let optOutFile: URL?
    private var isOpen = false
    private var isClosed = false
    private var featuresEndMs: Int?
    private var waitingForFeatures: [() -> Void]?
    private var mayCount = false
    private var hasOptedOut = false
    /// Calls without a result yet, by number, with what gives them the result of a client that is closed.
    private var pending: [Int: () -> Void] = [:]
    private var lastCall = 0

    init(_ options: Options, host: any EngineHost) {
        self.options = options
        self.host = host
        folder = options.folder?.appendingPathComponent(options.isTest ? "test" : "live")
        connection = Connection(options, host: host)
        seen = SeenCounts(folder: folder, host: host)
        let queue = EventQueue(folder: folder, host: host, onFault: options.onFault)
        events = EventSender(queue, connection, host: host)
        optOutFile = folder?.appendingPathComponent("opted-out")
    }

    func serve(_ request: ServeRequest, _ done: @escaping (Served) -> Void) {
        let finish = call(closed: Served(outcome: .failed(Self.closed), refreshSeconds: nil), done)
        withFeatures {
            if let reason = self.connection.features.stopReason {
                return finish(Served(outcome: .noFill(reason: reason), refreshSeconds: nil))
            }
            let consent = self.consent()
            self.mayCount = consent.mayCount(presumed: self.connection.features.presumesConsent)
            self.events.isOnDisk = consent.mayQueueOnDisk
            let query = request.query(consent, seen: self.seen.parameter(mayCount: self.mayCount))
            self.connection.get("serve" + query) { answer in
                if answer.error == nil { self.events.connectionWorks() }
                let seconds = self.connection.features.refreshSeconds(of: request.slot)
                finish(Served(outcome: Self.outcome(answer), refreshSeconds: seconds))
            }
        }
    }

    func track(
        _ token: String, _ event: AdEvent, _ conversion: Conversion? = nil,
        _ done: @escaping (TrackOutcome) -> Void = { _ in }
    ) {
        open()
        var body: [String: JSONValue] = ["token": .string(token), "event": .string(event.rawValue)]
        body["value_cents"] = (conversion?.valueCents).map(JSONValue.int)
        body["currency"] = (conversion?.currency).map(JSONValue.string)
        body["order_id"] = (conversion?.orderID).map(JSONValue.string)
        events.send(.object(body), call(closed: .queued, done))
    }

    func setOptedOut(_ isOptedOut: Bool) {
        open()
        hasOptedOut = isOptedOut
        if isOptedOut {
            mayCount = false
            _ = seen.parameter(mayCount: false)
        }
        guard let optOutFile, let folder else { return }
        do {
            if isOptedOut {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data().write(to: optOutFile)
            } else if FileManager.default.fileExists(atPath: optOutFile.path) {
                try FileManager.default.removeItem(at: optOutFile)
            }
        } catch {
            options.onFault?("The choice of the user cannot be stored: \(error.localizedDescription)")
        }
    }

    func count(_ ad: Ad, _ event: AdEvent) {
        open()
        if mayCount { seen.count(ad, event) }
    }

    /// Loads a URL of an advertiser; nil where it failed.
    func load(_ url: String, _ done: @escaping (Data?) -> Void) {
        let finish = call(closed: nil, done)
        connection.load(url) { finish($0?.status == 200 ? $0?.body : nil) }
    }

    func flush() {
        open()
        events.connectionWorks()
    }

    /// Gives every pending call its result. Unsent events stay on the disk.
    func close() {
        isClosed = true
        events.close()
        let ends = pending.sorted { $0.key < $1.key }
        pending = [:]
        for (_, end) in ends { end() }
    }

    private static let closed = PlacardError(code: "closed", message: "The client was closed.")

    private func open() {
        if isOpen || isClosed { return }
        isOpen = true
        hasOptedOut = optOutFile.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
        events.open()
    }

    /// Returns what passes a result to *done*, once: the call's own, or *closed*.
    private func call<Value>(closed: Value, _ done: @escaping (Value) -> Void) -> (Value) -> Void {
        open()
        lastCall += 1
        let number = lastCall
        if isClosed {
            done(closed)
            return { _ in }
        }
        pending[number] = { done(closed) }
        return { result in
            if self.pending.removeValue(forKey: number) != nil { done(result) }
        }
    }

    /// Requests the features where they are not known. Without them, an ad is requested all the same.
    private func withFeatures(_ task: @escaping () -> Void) {
        if isClosed { return }
        if waitingForFeatures != nil { return waitingForFeatures!.append(task) }
        let nowMs = host.nowMs()
        if let featuresEndMs, nowMs < featuresEndMs { return task() }
        waitingForFeatures = [task]
        connection.get("features", maxRetries: 0) { answer in
            // What was known stays until something newer comes.
            let received = answer.body.map { Features($0) }
            if let received { self.connection.features = received }
            self.featuresEndMs = nowMs + (received?.ttlSeconds ?? Self.featuresAgainSeconds) * 1000
            let tasks = self.waitingForFeatures ?? []
            self.waitingForFeatures = nil
            for task in tasks { task() }
        }
    }

    private func consent() -> Consent {
        let given: Consent
        do {
            given = try options.consent().orElse(options.storedConsent())
        } catch {
            options.onFault?("Consent cannot be read, so nothing is personalised: \(error)")
            given = .refused
        }
        return hasOptedOut ? Consent.refused.orElse(given) : given
    }

    private static func outcome(_ answer: Answer) -> ServeOutcome {
        if let error = answer.error { return .failed(error) }
        guard let body = answer.body else { return .noFill(reason: answer.noFillReason) }
        do {
            return .filled(try Ad(body))
        } catch {
            return .failed(error)
        }
    }
}
