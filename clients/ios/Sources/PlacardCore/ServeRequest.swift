import Foundation

/// What is requested for a slot. Only the slot is required.
public struct ServeRequest: Sendable, Equatable {
    /// Key or id of the slot.
    public var slot: String
    /// Only an ad of this format.
    public var format: String?
    /// Available space in points; nil: any.
    public var width: Int?
    public var height: Int?
    public var keywords: [String]
    /// Matched against key-values in targeting.
    public var keyValues: [String: [String]]
    /// Your own opaque id of the user; used with consent only.
    public var uid: String?
    /// In the format of `Accept-Language`; takes precedence over the device's languages.
    public var languages: String?

    public init(
        slot: String, format: String? = nil, width: Int? = nil, height: Int? = nil, keywords: [String] = [],
        keyValues: [String: [String]] = [:], uid: String? = nil, languages: String? = nil
    ) {
        self.slot = slot
        self.format = format
        self.width = width
        self.height = height
        self.keywords = keywords
        self.keyValues = keyValues
        self.uid = uid
        self.languages = languages
    }

    /// Begins with `?`. *seen*: this device's counts; nil where it has none to send.
    func query(_ consent: Consent, seen: String?) -> String {
        var pairs: [(String, String?)] = [
            ("slot", slot), ("format", format), ("w", width.map(String.init)), ("h", height.map(String.init)),
            ("keywords", keywords.joined(separator: ",")), ("uid", uid), ("lang", languages),
        ]
        pairs += consent.parameters.map { ($0.0, $0.1) }
        pairs.append(("seen", seen))
        for (name, values) in keyValues.sorted(by: { $0.key < $1.key }) {
            pairs += values.map { ("kv.\(name)", $0) }
        }
        let written = pairs.compactMap { name, value -> String? in
            guard let value, !value.isEmpty else { return nil }
            return "\(Self.encoded(name))=\(Self.encoded(value))"
        }
        return "?" + written.joined(separator: "&")
    }

    /// RFC 3986's unreserved characters stand for themselves.
    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
