import Foundation
import XCTest

@testable import PlacardCore

final class PresentationTests: XCTestCase {
    private func ad(_ name: String) throws -> Ad { try Ad(try ContractCases.answers()[name]!["body"]!) }

    func testAPageHasItsClickURLAndNeitherScalesNorScrolls() throws {
        guard case .page(let page, let isWholeLink) = try Presentation.of(ad("html")) else { return XCTFail("no page") }

        XCTAssertTrue(page.contains(#"<a href="https://edge.example/v1/click/"#))
        XCTAssertTrue(page.contains("width=device-width,initial-scale=1"))
        XCTAssertFalse(page.contains("{click_url}"))
        XCTAssertFalse(isWholeLink)
    }

    func testOnlyAURLOfTheWebIsALink() throws {
        var body = try ContractCases.answers()["banner"]!["body"]!.members
        let wrong = [
            "javascript:alert(1)", "https:", "https://a.example/ b", "https://a.example/\"x", "tel:1", " https://a",
        ]
        for url in wrong {
            body["click_url"] = .string(url)
            XCTAssertFalse(try Ad(.object(body)).hasWebLink, url)
        }
        body["click_url"] = .string("http://a.example/v1/click/x.y-z_1")
        XCTAssertTrue(try Ad(.object(body)).hasWebLink)
    }

    func testAPageMayNeitherNavigateByItselfNorOpenAnotherAppsURL() throws {
        let ad = try ad("html")

        XCTAssertEqual(Presentation.follow(ad.clickURL, of: ad, byUser: false), .nothing)
        XCTAssertEqual(Presentation.follow("tel:190", of: ad, byUser: true), .nothing)
        XCTAssertEqual(
            Presentation.follow("https://brand.example/", of: ad, byUser: true), .open("https://brand.example/"))
        XCTAssertEqual(Presentation.follow(ad.clickURL + "?x", of: ad, byUser: true), .click(ad.clickURL + "?x"))
    }

    func testAnAudioAdWithoutAMediumIsAnError() throws {
        var body = try ContractCases.answers()["audio"]!["body"]!.members
        body["content"] = .object([:])
        let ad = try Ad(.object(body))

        XCTAssertThrowsError(try Presentation.of(ad)) { XCTAssertEqual(($0 as? PlacardError)?.code, "render") }
    }

    func testTextsAreInTheFirstLanguageThatIsKnown() {
        XCTAssertEqual(Words.of(["pt-BR", "en"]).ad, "Anúncio")
        XCTAssertEqual(Words.of(["ja-JP", "de"]).ad, "Anzeige")
        XCTAssertEqual(Words.of(["en-GB", "fr"]).ad, "Ad")
        XCTAssertEqual(Words.of([]).ad, "Ad")
    }
}
