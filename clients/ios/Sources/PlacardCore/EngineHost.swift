/// Time, chance and network, as an ``Engine`` uses them. Its tasks run where the engine runs, never at once.
protocol EngineHost: AnyObject {
    /// Milliseconds of a clock that never goes back.
    func nowMs() -> Int

    /// Milliseconds since the epoch.
    func wallMs() -> Int

    /// Evenly distributed, from 0 to below 1.
    func random() -> Double

    func after(_ ms: Int, _ task: @escaping () -> Void)

    func exchange(
        _ request: HTTPRequest, timeoutMs: Int, _ done: @escaping (Result<HTTPResponse, TransportError>) -> Void)
}
