import Foundation

@testable import PlacardCore

/// The conformance cases that all client libraries run, as their files have them.
enum ContractCases {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../contract").standardizedFileURL

    static func answers() throws -> JSONValue { try read("answers") }

    /// Those of one file, by its name without the ending.
    static func of(_ file: String) throws -> [JSONValue] { try read(file)["cases"]?.items ?? [] }

    /// Adds to the file that the environment variable `PLACARD_PASSED_CASES` names, from which docs/libraries.md is made.
    static func record(_ file: String, _ passed: [String]) throws {
        guard let path = ProcessInfo.processInfo.environment["PLACARD_PASSED_CASES"] else { return }
        let url = URL(fileURLWithPath: path)
        var known: [String: JSONValue] = [:]
        if let text = try? Data(contentsOf: url), case .object(let stored) = try JSONValue.parse(text) {
            known = stored
        }
        known[file] = .array(passed.map(JSONValue.string))
        try JSONValue.object(known).written().write(to: url, options: .atomic)
    }

    private static func read(_ name: String) throws -> JSONValue {
        try JSONValue.parse(Data(contentsOf: folder.appendingPathComponent("\(name).json")))
    }
}

extension JSONValue {
    var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }
}

extension Consent {
    /// Consent as a case gives it.
    init(given: JSONValue?) {
        let lgpd: LGPDConsent? =
            given?["lgpd"]?.text.map(LGPDConsent.tcString) ?? given?["lgpd"]?.flag.map { $0 ? .consented : .refused }
        self.init(
            gdpr: given?["gdpr"]?.flag, gdprConsent: given?["gdpr_consent"]?.text, gpp: given?["gpp"]?.text,
            gppSID: given?["gpp_sid"]?.text, usPrivacy: given?["us_privacy"]?.text, coppa: given?["coppa"]?.flag,
            lgpd: lgpd, nonPersonalized: given?["npa"]?.flag, storage: given?["storage"]?.flag)
    }
}

extension ServeRequest {
    /// A request as a case gives it.
    init(given: JSONValue?) {
        self.init(
            slot: given?["slot"]?.text ?? "", format: given?["format"]?.text, width: given?["width"]?.int,
            height: given?["height"]?.int, keywords: (given?["keywords"]?.items ?? []).compactMap(\.text),
            keyValues: (given?["key_values"]?.members ?? [:]).mapValues { value in
                value.text.map { [$0] } ?? value.items.compactMap(\.text)
            }, uid: given?["uid"]?.text, languages: given?["lang"]?.text)
    }
}

/// A folder of one test, removed after it.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("placard-\(UUID().uuidString)")

    init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Names of all files in it and below.
    var files: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: url.path)) ?? [] }
}
