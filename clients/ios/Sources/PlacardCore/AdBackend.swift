/// What the showing of an ad needs of a client.
package protocol AdBackend: AnyObject, Sendable {
    @MainActor func nowMs() -> Int

    @MainActor func serveForView(_ request: ServeRequest, _ done: @escaping @MainActor (Served) -> Void)

    @MainActor func report(_ token: String, _ event: AdEvent)

    @MainActor func count(_ ad: Ad, _ event: AdEvent)

    @MainActor func loadTracker(_ url: String)
}
