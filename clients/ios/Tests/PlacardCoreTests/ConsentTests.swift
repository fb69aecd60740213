import Foundation
import XCTest

@testable import PlacardCore

final class ConsentTests: XCTestCase {
    private let suite = "placard-\(UUID().uuidString)"
    private var defaults: UserDefaults { UserDefaults(suiteName: suite)! }

    override func tearDown() { defaults.removePersistentDomain(forName: suite) }

    private func stored(_ values: [String: Any]) -> Consent {
        let defaults = defaults
        for (name, value) in values { defaults.set(value, forKey: name) }
        return .stored(in: defaults)
    }

    func testTheSignalsOfConsentPlatformsAreReadByTheirStandardNames() {
        let consent = stored([
            "IABTCF_gdprApplies": 1, "IABTCF_TCString": "CPtc", "IABTCF_PurposeConsents": "1011",
            "IABGPP_HDR_GppString": "DBgpp", "IABGPP_GppSID": "7_8", "IABUSPrivacy_String": "1YNN",
        ])

        let wanted = Consent(
            gdpr: true, gdprConsent: "CPtc", gpp: "DBgpp", gppSID: "7,8", usPrivacy: "1YNN", storage: true)
        XCTAssertEqual(consent, wanted)
    }

    func testWithoutAPlatformNothingIsKnown() {
        XCTAssertEqual(stored(["IABTCF_TCString": "", "IABGPP_GppSID": "-1"]), .unknown)
    }

    func testWhereGDPRAppliesStorageNeedsPurposeOne() {
        XCTAssertEqual(stored(["IABTCF_gdprApplies": 1]).storage, false)
        XCTAssertEqual(stored(["IABTCF_PurposeConsents": "0111"]).storage, false)
        XCTAssertEqual(stored(["IABTCF_PurposeConsents": "1"]).storage, true)
    }

    func testWhereGDPRDoesNotApplyItsStringIsNotSent() {
        let consent = stored(["IABTCF_gdprApplies": "0", "IABTCF_TCString": "CPtc"])
        XCTAssertEqual(consent, Consent(gdpr: false, storage: true))
    }

    func testWhatTheAppSetsTakesPrecedence() {
        let consent = Consent(usPrivacy: "1YYN", lgpd: .refused)
            .orElse(Consent(gdpr: true, usPrivacy: "1YNN", lgpd: .tcString("CP")))
        XCTAssertEqual(consent, Consent(gdpr: true, usPrivacy: "1YYN", lgpd: .refused))
    }
}
