import Foundation

/// LGPD: consented or refused, or a TC string that says so.
public enum LGPDConsent: Sendable, Equatable {
    case consented
    case refused
    case tcString(String)
}

/// What the user agreed to, sent with every serve request. Fields that are nil are unknown and not sent.
public struct Consent: Sendable, Equatable {
    /// Whether GDPR applies.
    public var gdpr: Bool?
    /// A TCF consent string, version 2.
    public var gdprConsent: String?
    /// A GPP string.
    public var gpp: String?
    /// Ids of the applicable GPP sections, separated by commas.
    public var gppSID: String?
    /// A US Privacy String.
    public var usPrivacy: String?
    /// Whether the app is directed at children: nothing is personalised, nothing stored on the device.
    public var coppa: Bool?
    public var lgpd: LGPDConsent?
    /// Whether nothing may be personalised.
    public var nonPersonalized: Bool?
    /// Whether counts of capped ads may be stored on the device; not sent. Nil: derived from the others. False also keeps
    /// the queue of events in memory.
    public var storage: Bool?

    public init(
        gdpr: Bool? = nil, gdprConsent: String? = nil, gpp: String? = nil, gppSID: String? = nil,
        usPrivacy: String? = nil, coppa: Bool? = nil, lgpd: LGPDConsent? = nil, nonPersonalized: Bool? = nil,
        storage: Bool? = nil
    ) {
        self.gdpr = gdpr
        self.gdprConsent = gdprConsent
        self.gpp = gpp
        self.gppSID = gppSID
        self.usPrivacy = usPrivacy
        self.coppa = coppa
        self.lgpd = lgpd
        self.nonPersonalized = nonPersonalized
        self.storage = storage
    }

    /// Nothing is known.
    public static let unknown = Consent()

    /// Nothing may be personalised or stored: what holds where consent cannot be read.
    static let refused = Consent(nonPersonalized: true, storage: false)

    /// Each field of these values, or of *other* where it is nil here.
    public func orElse(_ other: Consent) -> Consent {
        Consent(
            gdpr: gdpr ?? other.gdpr, gdprConsent: gdprConsent ?? other.gdprConsent, gpp: gpp ?? other.gpp,
            gppSID: gppSID ?? other.gppSID, usPrivacy: usPrivacy ?? other.usPrivacy, coppa: coppa ?? other.coppa,
            lgpd: lgpd ?? other.lgpd, nonPersonalized: nonPersonalized ?? other.nonPersonalized,
            storage: storage ?? other.storage)
    }

    /// Parameters of a serve request that have a value: `true` is `1`, `false` is `0`.
    var parameters: [(String, String)] {
        let values: [(String, String?)] = [
            ("gdpr", Self.wire(gdpr)), ("gdpr_consent", gdprConsent), ("gpp", gpp), ("gpp_sid", gppSID),
            ("us_privacy", usPrivacy), ("coppa", Self.wire(coppa)), ("lgpd", lgpdWire),
            ("npa", Self.wire(nonPersonalized)),
        ]
        return values.compactMap { name, value in value.map { (name, $0) } }
    }

    /// *presumed*: the property's policy for users without a consent signal.
    func mayCount(presumed: Bool) -> Bool {
        if coppa == true { return false }
        return storage ?? (lgpd == .consented || presumed && parameters.isEmpty)
    }

    /// Events carry no identifier; they are stored unless storage is refused.
    var mayQueueOnDisk: Bool { coppa != true && storage != false }

    private var lgpdWire: String? {
        switch lgpd {
        case nil: nil
        case .consented: "1"
        case .refused: "0"
        case .tcString(let text): text
        }
    }

    private static func wire(_ value: Bool?) -> String? { value.map { $0 ? "1" : "0" } }
}

extension Consent {
    /// What consent platforms store in the app's defaults, by the names of IAB Tech Lab's "CMP API v2.2" (TCF) and "GPP
    /// CMP API".
    public static func stored(in defaults: UserDefaults = .standard) -> Consent {
        let applies: Bool? =
            switch number(defaults.object(forKey: "IABTCF_gdprApplies")) {
            case 1: true
            case 0: false
            default: nil
            }
        let purposes = text(defaults.object(forKey: "IABTCF_PurposeConsents"))
        return Consent(
            gdpr: applies,
            gdprConsent: applies == false ? nil : text(defaults.object(forKey: "IABTCF_TCString")),
            gpp: text(defaults.object(forKey: "IABGPP_HDR_GppString")),
            gppSID: sections(text(defaults.object(forKey: "IABGPP_GppSID"))),
            usPrivacy: text(defaults.object(forKey: "IABUSPrivacy_String")),
            // Purpose 1 is storage on the device.
            storage: applies.map { !$0 || purposes?.hasPrefix("1") == true })
    }

    private static func text(_ stored: Any?) -> String? {
        guard let text = stored as? String, !text.isEmpty else { return nil }
        return text
    }

    /// Some platforms store the number as text.
    private static func number(_ stored: Any?) -> Int? {
        (stored as? Int) ?? (stored as? String).flatMap(Int.init)
    }

    /// Stored as `7_8`, sent as `7,8`; -1: none applies.
    private static func sections(_ stored: String?) -> String? {
        let ids = (stored ?? "").split(whereSeparator: { $0 == "_" || $0 == "," }).filter { (Int($0) ?? 0) > 0 }
        return ids.isEmpty ? nil : ids.joined(separator: ",")
    }
}
