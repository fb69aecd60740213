import Foundation

/// The isolation of an engine. Whatever comes from outside, calls, responses and timers, arrives through one stream, so
/// that order is kept.
actor EngineActor {
    typealias Work = @Sendable (isolated EngineActor) -> Void

    let engine: Engine
    private let host: ActorHost

    init(_ options: Options, _ inbox: AsyncStream<Work>.Continuation) {
        let host = ActorHost(options.transport, inbox)
        self.host = host
        engine = Engine(options, host: host)
    }

    func close() { engine.close() }

    fileprivate func fire(_ timer: Int) { host.timers.removeValue(forKey: timer)?() }

    fileprivate func finish(_ exchange: Int, _ result: Result<HTTPResponse, TransportError>) {
        host.exchanges.removeValue(forKey: exchange)?(result)
    }
}

/// Keeps what an engine waits for; the tasks that wait know only its number.
private final class ActorHost: EngineHost {
    private let transport: any Transport
    private let inbox: AsyncStream<EngineActor.Work>.Continuation
    var timers: [Int: () -> Void] = [:]
    var exchanges: [Int: (Result<HTTPResponse, TransportError>) -> Void] = [:]
    private var last = 0

    init(_ transport: any Transport, _ inbox: AsyncStream<EngineActor.Work>.Continuation) {
        self.transport = transport
        self.inbox = inbox
    }

    func nowMs() -> Int { MonotonicClock.nowMs() }

    func wallMs() -> Int { Int(Date().timeIntervalSince1970 * 1000) }

    func random() -> Double { Double.random(in: 0..<1) }

    func after(_ ms: Int, _ task: @escaping () -> Void) {
        last += 1
        let number = last
        timers[number] = task
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(ms)) { [inbox] in
            inbox.yield { $0.fire(number) }
        }
    }

    func exchange(
        _ request: HTTPRequest, timeoutMs: Int, _ done: @escaping (Result<HTTPResponse, TransportError>) -> Void
    ) {
        last += 1
        let number = last
        exchanges[number] = done
        Task.detached(priority: .utility) { [transport, inbox] in
            let result: Result<HTTPResponse, TransportError>
            do throws(TransportError) {
                result = .success(try await transport.exchange(request, timeoutMs: timeoutMs))
            } catch {
                result = .failure(error)
            }
            inbox.yield { $0.finish(number, result) }
        }
    }
}

/// Milliseconds that go on while the device sleeps.
package enum MonotonicClock {
    package static func nowMs() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
    }
}
