/// What counts as in view. Areas in square points, which are a page's CSS pixels.
public enum Viewable {
    /// Above this an ad is large, more than 970×250, and less of it must be in view (Media Rating Council).
    private static let largeArea = 242_000.0
    private static let largeRatio = 0.3

    /// The part, 0 to 1, of an ad of this *area* that must be in view where *ratio* is usual.
    public static func requiredRatio(_ ratio: Double, area: Double) -> Double { area > largeArea ? largeRatio : ratio }
}

/// Measures when an ad becomes viewable: enough of it in view for long enough without a break. It is given samples; a
/// sample holds until the next one. Ten samples a second are what the Media Rating Council asks for.
public struct ViewClock: Sendable {
    private let viewability: Viewability
    private var sinceMs: Int?
    private var isDone = false

    public init(_ viewability: Viewability) { self.viewability = viewability }

    /// True once, with the sample at which the ad has become viewable. *nowMs*: of a clock that never goes back. *ratio*:
    /// the part of the ad in view, 0 to 1, and 0 where its window is not in front. *area*: of the whole ad.
    public mutating func sample(nowMs: Int, ratio: Double, area: Double) -> Bool {
        if isDone { return false }
        if area <= 0 || ratio < Viewable.requiredRatio(viewability.ratio, area: area) {
            sinceMs = nil
            return false
        }
        let startMs = sinceMs ?? nowMs
        sinceMs = startMs
        isDone = nowMs - startMs >= viewability.durationMs
        return isDone
    }
}

/// Measures when a slot requests another ad: half of it in view for a time in total, and 30 s at least.
public struct RefreshClock: Sendable {
    private static let minSeconds = 30
    private var leftMs: Int
    private var lastMs: Int?

    public init(seconds: Int) { leftMs = max(seconds, Self.minSeconds) * 1000 }

    /// True from the sample on at which the time is over; arguments as in ``ViewClock/sample(nowMs:ratio:area:)``.
    public mutating func sample(nowMs: Int, ratio: Double, area: Double) -> Bool {
        let isInView = area > 0 && ratio >= Viewable.requiredRatio(Viewability().ratio, area: area)
        if let lastMs { leftMs -= nowMs - lastMs }
        lastMs = isInView ? nowMs : nil
        return isInView && leftMs <= 0
    }
}

/// Turns the progress of a player into events, each of them once.
public struct Playback: Sendable {
    private static let quartiles: [AdEvent] = [.start, .firstQuartile, .midpoint, .thirdQuartile]
    private var reached = 0
    private var isOver = false

    public init() {}

    /// Events that are due at *positionMs* of *durationMs*; a duration of 0 or less is unknown.
    public mutating func advance(positionMs: Int, durationMs: Int) -> [AdEvent] {
        if isOver { return [] }
        let part = durationMs > 0 ? Double(positionMs) / Double(durationMs) : 0
        let due = min(max(Int(min(max(part, 0), 1) * 4) + 1, reached), Self.quartiles.count)
        defer { reached = due }
        return Array(Self.quartiles[reached..<due])
    }

    /// The end was reached by playing.
    public mutating func complete() -> [AdEvent] { finish(Self.quartiles[reached...] + [.complete]) }

    public mutating func skip() -> [AdEvent] { finish([.skip]) }

    public mutating func fail() -> [AdEvent] { finish([.error]) }

    private mutating func finish(_ events: [AdEvent]) -> [AdEvent] {
        if isOver { return [] }
        isOver = true
        return events
    }
}
