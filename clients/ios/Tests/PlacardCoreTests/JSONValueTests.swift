import Foundation
import XCTest

@testable import PlacardCore

final class JSONValueTests: XCTestCase {
    func testEveryKindOfValueIsReadAndWritten() throws {
        let text = #"{"a":[1,-2.5,true,false,null,{}],"b":"é/👟\n\"\\","c":9007199254740993}"#

        let value = try JSONValue.parse(Data(" \(text) ".utf8))

        XCTAssertEqual(value["c"]?.int, 9_007_199_254_740_993)
        XCTAssertEqual(String(decoding: value.written(), as: UTF8.self), text)
    }

    func testWhatIsNotJSONIsRefused() {
        let deep = String(repeating: "[", count: 100_000)
        for text in ["", "{", "[1,,2]", "{a:1}", "tru", "1 2", "<html>", "NaN", deep] {
            XCTAssertThrowsError(try JSONValue.parse(Data(text.utf8)), "\(text.prefix(20))")
        }
    }

    /// Arithmetic that overflows ends a Swift program, and with it the app.
    func testNoNumberOfAnEdgeEndsTheApp() throws {
        let huge = Int.max
        let features = Features(
            try JSONValue.parse(
                Data(
                    """
                    {"tracking":{"timeout_ms":\(huge),"retry":{"max":\(huge),"base_ms":\(huge)}},"ttl_seconds":\(huge),
                    "slots":[{"key":"banner","refresh_seconds":\(huge)}]}
                    """.utf8)))
        XCTAssertEqual(features.ttlSeconds, JSONValue.seconds.upperBound)
        _ = RefreshClock(seconds: features.refreshSeconds(of: "banner") ?? 0)

        let ad = try Ad(
            try JSONValue.parse(
                Data(
                    """
                    {"format":"video","track_token":"t","click_url":"https://a.example","ttl_seconds":\(huge),"width":-\(huge),
                    "viewability":{"ratio":1e308,"duration_ms":\(huge)},"caps":[{"name":"n","window_seconds":\(huge)}],
                    "content":{"media":[{"url":"u","duration_ms":1e308}],"skip_offset_ms":-\(huge)}}
                    """.utf8)))
        XCTAssertEqual(ad.width, 0)
        var playback = Playback()
        XCTAssertEqual(playback.advance(positionMs: huge, durationMs: 1).count, 4)
    }
}
