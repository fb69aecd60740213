import Foundation
import PlacardCore

// The library in a process of its own, for tests against a real edge: reads a command a line from standard input, as JSON,
// and prints its result as a line of JSON.
//
// - `open` with `edge_url`, `key`, `folder`, `consent`: a client; there is none before
// - `serve` with `slot`: its outcome; a filled one begins a showing
// - `impression`, `click`: of the showing; `click` prints the URL to open
// - `track` with `token`, `event`
// - `load` with `url`: the number of bytes, or null
// - `measure`: microseconds of the main thread for making a client and calling it, and for a showing of the last ad
// - `flush`, `close`

@MainActor
private final class Journey {
    private var client: PlacardClient?
    private var session: AdSession?

    func perform(_ command: JSONValue) async -> [String: JSONValue] {
        if command["do"]?.text == "open" { return open(command) }
        guard let client else { return ["unknown": .string("There is no client.")] }
        switch command["do"]?.text {
        case "serve": return written(await client.serve(ServeRequest(slot: command["slot"]?.text ?? "")), client)
        case "impression": return ["recorded": session.map { .bool($0.recordImpression()) } ?? .null]
        case "click": return ["url": session?.recordClick().map { .string($0.absoluteString) } ?? .null]
        case "track": return await track(command, client)
        case "load": return ["bytes": await client.load(command["url"]?.text ?? "").map { .int($0.count) } ?? .null]
        case "measure": return measure()
        case "flush":
            client.flush()
            return ["flushed": .bool(true)]
        case "close":
            client.close()
            return ["closed": .bool(true)]
        default: return ["unknown": command["do"] ?? .null]
        }
    }

    private func open(_ command: JSONValue) -> [String: JSONValue] {
        var options = Options(publishableKey: command["key"]?.text ?? "", edgeURL: command["edge_url"]?.text ?? "")
        options.folder = command["folder"]?.text.map { URL(fileURLWithPath: $0) }
        let lgpd = command["consent"]?["lgpd"]?.flag
        options.consent = { Consent(lgpd: lgpd.map { $0 ? .consented : .refused }) }
        options.storedConsent = { .unknown }
        // As URLSession of an iPhone sends it: Linux's own agent names no device.
        options.userAgent = "Example/1 CFNetwork/1568.200.51 Darwin/24.1.0"
        client = PlacardClient(options)
        return ["key": .string(options.shortKey)]
    }

    private func track(_ command: JSONValue, _ client: PlacardClient) async -> [String: JSONValue] {
        guard let event = AdEvent(rawValue: command["event"]?.text ?? "") else { return ["unknown": .string("event")] }
        switch await client.track(command["token"]?.text ?? "", event) {
        case .counted: return ["status": .string("counted")]
        case .queued: return ["status": .string("queued")]
        case .failed(let error): return failed(error)
        }
    }

    /// The worst of 200.
    private func measure() -> [String: JSONValue] {
        guard let client, let ad = session?.ad else { return ["unknown": .string("There is no ad.")] }
        var (start, showing) = (0, 0)
        for _ in 0..<200 {
            let beginning = processorMicroseconds()
            let made = PlacardClient(client.options)
            made.serve(ServeRequest(slot: "banner")) { _ in }
            let middle = processorMicroseconds()
            let session = AdSession(ad, of: made)
            session.recordImpression()
            session.record(.viewable)
            session.recordClick()
            (start, showing) = (max(start, middle - beginning), max(showing, processorMicroseconds() - middle))
            made.close()
        }
        return ["start_us": .int(start), "showing_us": .int(showing)]
    }

    /// Of this thread.
    private func processorMicroseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
    }

    private func written(_ outcome: ServeOutcome, _ client: PlacardClient) -> [String: JSONValue] {
        switch outcome {
        case .filled(let ad):
            session = AdSession(ad, of: client)
            return ["status": .string("filled"), "token": .string(ad.trackToken), "format": .string(ad.format)]
        case .noFill(let reason):
            return ["status": .string("no_fill"), "reason": reason.map(JSONValue.string) ?? .null]
        case .failed(let error): return failed(error)
        }
    }

    private func failed(_ error: PlacardError) -> [String: JSONValue] {
        [
            "status": .string("error"), "code": .string(error.code), "http": error.status.map(JSONValue.int) ?? .null,
            "request_id": error.requestID.map(JSONValue.string) ?? .null,
        ]
    }
}

private let journey = Journey()
while let line = readLine() {
    let command = try JSONValue.parse(Data(line.utf8))
    FileHandle.standardOutput.write(JSONValue.object(await journey.perform(command)).written() + [UInt8(ascii: "\n")])
}
