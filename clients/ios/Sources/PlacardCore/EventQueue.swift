import Foundation

/// An event that is not counted yet. *body*: its JSON for the edge.
final class QueuedEvent {
    let id: Int
    /// When it happened, in milliseconds since the epoch.
    let atMs: Int
    let body: JSONValue
    /// A request for it is under way, so that a batch leaves it out.
    var isInFlight = false

    init(id: Int, atMs: Int, body: JSONValue) {
        self.id = id
        self.atMs = atMs
        self.body = body
    }
}

/// Events until the edge has counted them, in memory and, while allowed, in a file that survives the process: a line of
/// JSON for each event added, and one for each removed. At most `maxEvents`, none older than `maxAgeMs`; the oldest are
/// dropped. Where the disk fails, memory remains.
///
/// The file belongs to the first client that opens it: others, also of other processes, use memory only.
final class EventQueue {
    static let maxEvents = 500
    /// No token of a visit lives longer: `token_ttl_seconds` is at most a day, and the edge allows 30 s more.
    static let maxAgeMs = 86_430_000
    /// The edge accepts 16 KiB.
    private static let maxBatchBytes = 16_000

    private let host: any EngineHost
    private let onFault: (@Sendable (String) -> Void)?
    private var file: URL?
    private var lock: FileLock?
    /// In the order of their ids.
    private var events: [QueuedEvent] = []
    /// Above all of earlier processes.
    private var nextID: Int
    private var lines = 0
    private var isAllowed = false

    init(folder: URL?, host: any EngineHost, onFault: (@Sendable (String) -> Void)? = nil) {
        file = folder?.appendingPathComponent("events.jsonl")
        self.host = host
        self.onFault = onFault
        nextID = host.wallMs() * 1000
    }

    var count: Int { events.count }

    /// Whether events are stored on the disk. False deletes the file.
    var isOnDisk: Bool {
        get { isAllowed }
        set {
            // The client that had the file may be closed by now.
            if newValue && lock == nil { return open() }
            if newValue == isAllowed { return }
            isAllowed = newValue
            if newValue { rewrite() } else { file.map { try? FileManager.default.removeItem(at: $0) } }
        }
    }

    /// Reads what an earlier process left.
    func open() {
        guard let folder = file?.deletingLastPathComponent() else { return }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            lock = FileLock(folder.appendingPathComponent("events.lock"))
            if lock == nil { return }
            read()
            isOnDisk = true
        } catch {
            onFault?("Events cannot be stored: \(error.localizedDescription)")
        }
    }

    func add(_ body: JSONValue) -> QueuedEvent {
        let event = QueuedEvent(id: nextID, atMs: host.wallMs(), body: body)
        nextID += 1
        events.append(event)
        while events.count > Self.maxEvents { remove(events[0]) }
        append(.object(["id": .int(event.id), "at": .int(event.atMs), "event": body]))
        return event
    }

    func remove(_ event: QueuedEvent) {
        guard let index = events.firstIndex(where: { $0 === event }) else { return }
        events.remove(at: index)
        append(.object(["done": .int(event.id)]))
    }

    /// The oldest of those that are not under way, as many as fit one request.
    func batch(_ max: Int) -> [QueuedEvent] {
        let oldestMs = host.wallMs() - Self.maxAgeMs
        events.filter { $0.atMs < oldestMs }.forEach(remove)
        var bytes = 0
        return Array(
            events.filter { !$0.isInFlight }.prefix(max).prefix { event in
                bytes += event.body.written().count + 1
                return bytes <= Self.maxBatchBytes
            })
    }

    func close() {
        lock = nil
        file = nil
    }

    private func read() {
        guard let file, let text = try? Data(contentsOf: file) else { return }
        var found: [Int: QueuedEvent] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // The process may have ended while it wrote a line.
            guard let entry = try? JSONValue.parse(Data(line)) else { continue }
            if let done = entry["done"]?.int { found[done] = nil }
            guard let id = entry["id"]?.int(within: 0...Int.max - 1), let body = entry["event"] else { continue }
            found[id] = QueuedEvent(id: id, atMs: entry["at"]?.int ?? 0, body: body)
            nextID = max(nextID, id + 1)
        }
        // An event of this process, added before the file was there, has a higher id.
        events = found.values.sorted { $0.id < $1.id }.suffix(Self.maxEvents) + events
    }

    private func append(_ entry: JSONValue) {
        guard isAllowed, let file else { return }
        if lines >= 2 * Self.maxEvents { return rewrite() }
        do {
            let handle = try FileHandle(forWritingTo: file)
            defer { try? handle.close() }
            try handle.seekToEnd()
            try handle.write(contentsOf: entry.written() + [UInt8(ascii: "\n")])
            lines += 1
        } catch {
            // No room: the event stays in memory.
            onFault?("An event cannot be stored: \(error.localizedDescription)")
        }
    }

    private func rewrite() {
        guard let file else { return }
        var text = Data()
        for event in events {
            text += JSONValue.object(["id": .int(event.id), "at": .int(event.atMs), "event": event.body]).written()
            text.append(UInt8(ascii: "\n"))
        }
        do {
            try text.write(to: file, options: .atomic)
            lines = events.count
        } catch {
            // The file as it was is still right, but for what was done since.
            onFault?("Events cannot be stored: \(error.localizedDescription)")
        }
    }
}

/// A lock of a file, held until this is released.
private final class FileLock {
    private let descriptor: Int32

    /// Nil where another client, also one of another process, has it.
    init?(_ file: URL) {
        descriptor = open(file.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }
}
