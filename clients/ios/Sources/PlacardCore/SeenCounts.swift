import Foundation

/// How often this device met capped ads: a name, and for each event the time at which it leaves its window, in
/// milliseconds since the epoch. Sent as `seen`, so that caps need no identity.
final class SeenCounts {
    private struct Entry {
        let name: String
        /// When each event leaves its window.
        var endsMs: [Int]
    }

    private static let maxNames = 64
    private let file: URL?
    private let host: any EngineHost
    /// In the order in which they were last counted; nil until they are read.
    private var entries: [Entry]?

    init(folder: URL?, host: any EngineHost) {
        file = folder?.appendingPathComponent("seen.json")
        self.host = host
    }

    /// `NAME.COUNT`, separated by commas; `none` where nothing was counted; nil where nothing may be: then all is deleted.
    func parameter(mayCount: Bool) -> String? {
        if !mayCount {
            file.map { try? FileManager.default.removeItem(at: $0) }
            entries = []
            return nil
        }
        let counts = current().map { "\($0.name).\($0.endsMs.count)" }
        return counts.isEmpty ? "none" : counts.joined(separator: ",")
    }

    func count(_ ad: Ad, _ event: AdEvent) {
        let caps = ad.caps.filter { $0.event == event.rawValue }
        if caps.isEmpty { return }
        var found = current()
        for cap in caps {
            let end = host.wallMs() + cap.windowSeconds * 1000
            let before = found.first { $0.name == cap.name }?.endsMs ?? []
            found.removeAll { $0.name == cap.name }
            found.append(Entry(name: cap.name, endsMs: before + [end]))
        }
        entries = found
        write(found)
    }

    /// Those still in their window, of the names met last.
    private func current() -> [Entry] {
        let nowMs = host.wallMs()
        let open = (entries ?? read()).compactMap { entry -> Entry? in
            let left = entry.endsMs.filter { $0 > nowMs }
            return left.isEmpty ? nil : Entry(name: entry.name, endsMs: left)
        }
        let found = Array(open.suffix(Self.maxNames))
        entries = found
        return found
    }

    /// A file that is damaged has no entries: counting begins anew.
    private func read() -> [Entry] {
        guard let file, let text = try? Data(contentsOf: file), let stored = try? JSONValue.parse(text) else {
            return []
        }
        return stored.items.compactMap { entry in
            guard let name = entry["name"]?.text else { return nil }
            return Entry(name: name, endsMs: (entry["ends"]?.items ?? []).compactMap(\.int))
        }
    }

    /// Where there is no room, the next request reports less than was seen.
    private func write(_ found: [Entry]) {
        guard let file else { return }
        let stored = JSONValue.array(
            found.map { .object(["name": .string($0.name), "ends": .array($0.endsMs.map(JSONValue.int))]) })
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? stored.written().write(to: file, options: .atomic)
    }
}
