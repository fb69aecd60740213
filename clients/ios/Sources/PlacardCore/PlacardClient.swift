import Foundation

/// Ads of one publishable key at one edge. Making it only stores the options; files and requests begin with the first
/// call. Its methods may be called from any thread, return at once or suspend, do nothing on the main thread, and never
/// throw. They take effect in the order of their calls.
public final class PlacardClient: Sendable {
    /// Version of this library.
    public static let version = Library.version

    public let options: Options
    private let inbox: AsyncStream<EngineActor.Work>.Continuation

    public init(_ options: Options) {
        self.options = options
        let (works, inbox) = AsyncStream<EngineActor.Work>.makeStream()
        self.inbox = inbox
        Task.detached(priority: .utility) {
            let actor = EngineActor(options, inbox)
            for await work in works { await work(actor) }
            await actor.close()
        }
    }

    deinit { inbox.finish() }

    /// Requests an ad. This counts nothing: show the ad, then report its impression by ``AdSession`` or
    /// ``track(_:_:conversion:)``.
    public func serve(_ request: ServeRequest) async -> ServeOutcome {
        await withCheckedContinuation { waiting in
            run { $0.engine.serve(request) { waiting.resume(returning: $0.outcome) } }
        }
    }

    /// As ``serve(_:)``, for code without concurrency. *completion* is called on the main thread.
    public func serve(_ request: ServeRequest, completion: @escaping @MainActor (ServeOutcome) -> Void) {
        serveForView(request) { completion($0.outcome) }
    }

    /// Reports an event of the ad with this token. It is stored first, and sent until the edge has counted or refused it;
    /// this returns the outcome of the first attempts.
    @discardableResult
    public func track(_ token: String, _ event: AdEvent, conversion: Conversion? = nil) async -> TrackOutcome {
        await withCheckedContinuation { waiting in
            run { $0.engine.track(token, event, conversion) { waiting.resume(returning: $0) } }
        }
    }

    /// As ``track(_:_:conversion:)``, for code without concurrency. *completion* is called on the main thread.
    public func track(
        _ token: String, _ event: AdEvent, conversion: Conversion? = nil,
        completion: @escaping @MainActor (TrackOutcome) -> Void
    ) {
        run { actor in
            actor.engine.track(token, event, conversion) { outcome in self.onMain { completion(outcome) } }
        }
    }

    /// The user's own refusal of personalised ads, as `Sec-GPC` is in browsers: every request then asks for contextual ads
    /// only, and counts on this device are deleted. Kept in the folder of the options until it is set to false.
    public func setOptedOut(_ isOptedOut: Bool) { run { $0.engine.setOptedOut(isOptedOut) } }

    /// Sends queued events now; call it when the device is online again.
    public func flush() { run { $0.engine.flush() } }

    /// Ends the calls under way with the error `closed`. Unsent events stay on the disk, and the folder is free for
    /// another client.
    public func close() { run { $0.engine.close() } }

    /// Loads a URL of an advertiser, such as a picture of an ad. Nil where it failed.
    public func load(_ url: String) async -> Data? {
        await withCheckedContinuation { waiting in
            run { $0.engine.load(url) { waiting.resume(returning: $0) } }
        }
    }

    /// In the order of the calls. A callback that waits keeps its client.
    private func onMain(_ task: @escaping @MainActor () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated { task() } }
    }

    private func run(_ work: @escaping @Sendable (isolated EngineActor) -> Void) { inbox.yield(work) }
}

extension PlacardClient: AdBackend {
    package nonisolated func nowMs() -> Int { MonotonicClock.nowMs() }

    package nonisolated func serveForView(_ request: ServeRequest, _ done: @escaping @MainActor (Served) -> Void) {
        run { actor in
            actor.engine.serve(request) { served in self.onMain { done(served) } }
        }
    }

    package nonisolated func report(_ token: String, _ event: AdEvent) { run { $0.engine.track(token, event) } }

    package nonisolated func count(_ ad: Ad, _ event: AdEvent) { run { $0.engine.count(ad, event) } }

    package nonisolated func loadTracker(_ url: String) { run { $0.engine.load(url) { _ in } } }
}
