import Foundation
import XCTest

@testable import PlacardCore

final class EventQueueTests: XCTestCase {
    private let folder = TemporaryFolder()
    private let host = VirtualHost { _ in .failure(.timeout) }

    private var file: URL { folder.url.appendingPathComponent("events.jsonl") }

    private func opened() -> EventQueue {
        let queue = EventQueue(folder: folder.url, host: host)
        queue.open()
        return queue
    }

    private func token(_ text: String) -> JSONValue { .object(["token": .string(text)]) }

    private func tokens(_ queue: EventQueue) -> [String] { queue.batch(1000).compactMap { $0.body["token"]?.text } }

    private func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    func testEventsSurviveTheProcess() {
        let first = opened()
        _ = first.add(token("a"))
        let second = first.add(token("b"))
        first.remove(second)
        first.close()

        XCTAssertEqual(tokens(opened()), ["a"])
    }

    func testALineThatWasTornIsLeftOutAndTheNextIsWhole() throws {
        let first = opened()
        _ = first.add(token("a"))
        first.close()
        try Data((text() + #"{"id":99,"at":18000"#).utf8).write(to: file)
        let second = opened()
        _ = second.add(token("b"))
        second.close()

        XCTAssertEqual(tokens(opened()), ["a", "b"])
    }

    func testTheOldestGiveWayToTheNewest() {
        let queue = opened()
        for number in 0..<EventQueue.maxEvents + 2 { _ = queue.add(token("t\(number)")) }
        queue.close()

        let again = opened()
        XCTAssertEqual(again.count, EventQueue.maxEvents)
        XCTAssertEqual(again.batch(1).first?.body["token"]?.text, "t2")
    }

    func testTheFileStaysSmallHoweverManyAreSent() throws {
        let queue = opened()
        for number in 0..<1500 { queue.remove(queue.add(token("t\(number)"))) }

        XCTAssertLessThan(try text().count, 100_000)
        XCTAssertEqual(queue.count, 0)
    }

    func testEventsWhoseTokenHasExpiredAreDropped() {
        let queue = opened()
        _ = queue.add(token("old"))
        host.pass(EventQueue.maxAgeMs)
        _ = queue.add(token("new"))
        host.pass(1)

        XCTAssertEqual(tokens(queue), ["new"])
    }

    func testABatchFitsOneRequest() {
        let queue = opened()
        for _ in 0..<50 { _ = queue.add(token(String(repeating: "x", count: 1000))) }

        let body = JSONValue.object(["events": .array(queue.batch(50).map(\.body))])
        XCTAssertLessThanOrEqual(body.written().count, 16_384)
    }

    func testTheFileBelongsToOneClient() {
        let first = opened()
        let second = opened()
        _ = first.add(token("a"))
        _ = second.add(token("b"))
        first.close()
        second.close()

        XCTAssertEqual(tokens(opened()), ["a"])
    }

    func testWhereStorageIsRefusedTheFileIsDeletedAndMemoryRemains() throws {
        let queue = opened()
        _ = queue.add(token("a"))
        queue.isOnDisk = false

        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
        XCTAssertEqual(tokens(queue), ["a"])
        queue.isOnDisk = true
        XCTAssertTrue(try text().contains("\"a\""))
    }

    func testADiskThatFailsLeavesMemory() throws {
        let taken = folder.url.appendingPathComponent("taken")
        try Data().write(to: taken)
        let queue = EventQueue(folder: taken.appendingPathComponent("no-folder"), host: host)
        queue.open()
        _ = queue.add(token("a"))

        XCTAssertEqual(tokens(queue), ["a"])
    }
}
