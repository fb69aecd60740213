import XCTest

@testable import PlacardCore

final class ViewableTests: XCTestCase {
    private let banner = 300.0 * 250
    private let billboard = 970.0 * 300

    func testHalfOfItForASecondIsAView() {
        var clock = ViewClock(Viewability())

        XCTAssertFalse(clock.sample(nowMs: 0, ratio: 0.5, area: banner))
        XCTAssertFalse(clock.sample(nowMs: 999, ratio: 0.5, area: banner))
        XCTAssertTrue(clock.sample(nowMs: 1000, ratio: 0.5, area: banner))
        XCTAssertFalse(clock.sample(nowMs: 2000, ratio: 0.5, area: banner))
    }

    func testABreakBeginsTheSecondAnew() {
        var clock = ViewClock(Viewability())
        _ = clock.sample(nowMs: 0, ratio: 1, area: banner)
        _ = clock.sample(nowMs: 900, ratio: 0.49, area: banner)
        _ = clock.sample(nowMs: 1000, ratio: 1, area: banner)

        XCTAssertFalse(clock.sample(nowMs: 1900, ratio: 1, area: banner))
        XCTAssertTrue(clock.sample(nowMs: 2000, ratio: 1, area: banner))
    }

    func testOfALargeAdLessIsEnough() {
        var clock = ViewClock(Viewability())
        _ = clock.sample(nowMs: 0, ratio: 0.3, area: billboard)

        XCTAssertTrue(clock.sample(nowMs: 1000, ratio: 0.3, area: billboard))
    }

    func testARefreshWaitsForItsTimeInView() {
        var clock = RefreshClock(seconds: 5)
        _ = clock.sample(nowMs: 0, ratio: 1, area: banner)
        _ = clock.sample(nowMs: 20_000, ratio: 0, area: banner)
        _ = clock.sample(nowMs: 100_000, ratio: 1, area: banner)

        XCTAssertFalse(clock.sample(nowMs: 109_999, ratio: 1, area: banner))
        XCTAssertTrue(clock.sample(nowMs: 110_000, ratio: 1, area: banner))
    }

    func testQuartilesAreReportedOnceAndInOrder() {
        var playback = Playback()

        XCTAssertEqual(playback.advance(positionMs: 0, durationMs: 0), [.start])
        XCTAssertEqual(playback.advance(positionMs: 100, durationMs: 20_000), [])
        XCTAssertEqual(playback.advance(positionMs: 10_000, durationMs: 20_000), [.firstQuartile, .midpoint])
        XCTAssertEqual(playback.advance(positionMs: 2_000, durationMs: 20_000), [])
        XCTAssertEqual(playback.complete(), [.thirdQuartile, .complete])
        XCTAssertEqual(playback.complete() + playback.fail() + playback.advance(positionMs: 0, durationMs: 9), [])
    }
}
