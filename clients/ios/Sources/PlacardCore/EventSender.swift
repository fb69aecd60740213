/// Sends each event at once, and those that could not be sent together, by `/v1/track/batch`: when another request shows
/// that the edge can be reached, else after 30 s, doubled up to 15 minutes.
final class EventSender {
    /// The edge accepts as many.
    private static let maxBatch = 50
    private static let firstPauseMs = 30_000
    private static let maxPauseMs = 900_000

    private let queue: EventQueue
    private let connection: Connection
    private let host: any EngineHost
    private var isSending = false
    private var isTimerSet = false
    private var isClosed = false
    private var failures = 0
    /// Of the next batch: halved where the edge refuses one as a whole, to find the event that is wrong.
    private var maxEvents = EventSender.maxBatch

    init(_ queue: EventQueue, _ connection: Connection, host: any EngineHost) {
        self.queue = queue
        self.connection = connection
        self.host = host
    }

    var isOnDisk: Bool {
        get { queue.isOnDisk }
        set { queue.isOnDisk = newValue }
    }

    func open() {
        queue.open()
        if queue.count > 0 { flush() }
    }

    func send(_ body: JSONValue, _ done: @escaping (TrackOutcome) -> Void) {
        let event = queue.add(body)
        event.isInFlight = true
        connection.post("track", body) { answer in
            event.isInFlight = false
            guard let error = answer.error else {
                self.queue.remove(event)
                done(.counted)
                return self.connectionWorks()
            }
            if Self.isTransient(error) {
                done(.queued)
                self.flushLater()
            } else {
                self.queue.remove(event)
                done(.failed(error))
            }
        }
    }

    func connectionWorks() {
        failures = 0
        flush()
    }

    func close() {
        isClosed = true
        queue.close()
    }

    private func flush() {
        if isSending || isClosed { return }
        let batch = queue.batch(maxEvents)
        if batch.isEmpty { return }
        isSending = true
        for event in batch { event.isInFlight = true }
        let body = JSONValue.object(["events": .array(batch.map(\.body))])
        connection.post("track/batch", body, maxRetries: 0) { answer in
            self.isSending = false
            for event in batch { event.isInFlight = false }
            self.finish(batch, answer)
        }
    }

    private func finish(_ batch: [QueuedEvent], _ answer: Answer) {
        guard let error = answer.error else { return settle(batch, answer.body?["results"]?.items ?? []) }
        if Self.isTransient(error) || error.status == 401 || error.status == 403 {
            // With a key that is refused now, they wait for the app's next version, which brings another.
            flushLater()
        } else if batch.count == 1 {
            queue.remove(batch[0])
            flush()
        } else {
            maxEvents = max(1, batch.count / 2)
            flush()
        }
    }

    private func settle(_ batch: [QueuedEvent], _ results: [JSONValue]) {
        var areAllSettled = true
        for (index, event) in batch.enumerated() {
            if Connection.isRetryable(index < results.count ? results[index]["status"]?.int : nil) {
                areAllSettled = false
            } else {
                queue.remove(event)
            }
        }
        maxEvents = Self.maxBatch
        if !areAllSettled { return flushLater() }
        failures = 0
        flush()
    }

    private func flushLater() {
        if isTimerSet || isClosed { return }
        isTimerSet = true
        let pauseMs = min(Self.firstPauseMs << min(failures, 10), Self.maxPauseMs)
        failures += 1
        host.after(Int(Double(pauseMs) * (0.5 + host.random()))) {
            self.isTimerSet = false
            self.flush()
        }
    }

    /// A response that is not an edge's is that of a network one has to sign in to.
    private static func isTransient(_ error: PlacardError) -> Bool {
        Connection.isRetryable(error.status) || error.code == "invalid_response"
    }
}
