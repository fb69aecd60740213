import Foundation

/// A file of an audio or video ad.
public struct Medium: Sendable, Equatable {
    public let url: String
    /// Such as `video/mp4`.
    public let mime: String
    /// Milliseconds, where it is known.
    public let durationMs: Int?
}

/// How an ad's frequency cap is counted on this device.
public struct Cap: Sendable, Equatable {
    /// Opaque.
    public let name: String
    /// As in the API: `impression`.
    public let event: String
    public let windowSeconds: Int
}

/// When an ad counts as viewable.
public struct Viewability: Sendable, Equatable {
    /// The part of the ad that must be in view, 0 to 1.
    public let ratio: Double
    /// For how long without a break, in milliseconds.
    public let durationMs: Int

    public init(ratio: Double = 0.5, durationMs: Int = 1000) {
        self.ratio = ratio
        self.durationMs = durationMs
    }
}

/// A picture of an ad, in points.
public struct Picture: Sendable, Equatable {
    public let url: String
    public let alt: String?
    public let width: Int?
    public let height: Int?
}

/// What an ad is made of. Which fields are set depends on its format. Sizes in points.
public struct Content: Sendable, Equatable {
    public let imageURL: String?
    public let alt: String?
    public let html: String?
    public let title: String?
    public let body: String?
    /// Call to action.
    public let cta: String?
    public let sponsoredBy: String?
    /// URL of a small picture beside the title.
    public let icon: String?
    /// URL of a large picture.
    public let image: String?
    public let media: [Medium]
    /// The picture shown beside an audio ad.
    public let companion: Picture?
    public let width: Int?
    public let height: Int?
    /// From when a video ad may be skipped, in milliseconds of its playback; nil: never.
    public let skipOffsetMs: Int?

    static let points = 0...100_000
    private static let ms = 0...86_400_000

    init(_ json: JSONValue?) {
        imageURL = json?["image_url"]?.text
        alt = json?["alt"]?.text
        html = json?["html"]?.text
        title = json?["title"]?.text
        body = json?["body"]?.text
        cta = json?["cta"]?.text
        sponsoredBy = json?["sponsored_by"]?.text
        icon = json?["icon"]?.text
        image = json?["image"]?.text
        media = (json?["media"]?.items ?? []).compactMap { medium in
            guard let url = medium["url"]?.text else { return nil }
            return Medium(
                url: url, mime: medium["mime"]?.text ?? "", durationMs: medium["duration_ms"]?.int(within: Self.ms))
        }
        companion = json?["companion"].flatMap { companion in
            guard let url = companion["image_url"]?.text else { return nil }
            return Picture(
                url: url, alt: companion["alt"]?.text,
                width: companion["width"]?.int(within: Self.points),
                height: companion["height"]?.int(within: Self.points))
        }
        width = json?["width"]?.int(within: Self.points)
        height = json?["height"]?.int(within: Self.points)
        skipOffsetMs = json?["skip_offset_ms"]?.int(within: Self.ms)
    }
}

/// An ad as the edge served it.
public struct Ad: Sendable, Equatable {
    public let decisionID: String
    public let adID: String
    public let campaignID: String
    public let slotID: String
    public let propertyID: String
    /// `banner`, `html`, `native`, `audio`, `video` or `email`; others may be added.
    public let format: String
    /// Points; nil where the format has no size of its own.
    public let width: Int?
    public let height: Int?
    public let content: Content
    /// The ad as markup for a page. Views of this library show ``content`` instead.
    public let html: String
    /// Sent back unchanged, once for each kind of event.
    public let trackToken: String
    public let impressionURL: String
    /// Opened unchanged when the ad is clicked; the edge counts the click and redirects.
    public let clickURL: String
    public let source: String
    public let isTest: Bool
    /// Lifetime of ``trackToken`` in seconds; 0: not stated.
    public let ttlSeconds: Int
    /// False: the ad has no link and no click.
    public let hasDestination: Bool
    /// Whether ``clickURL`` is a URL of the web. Others are never opened, and the ad is not shown.
    public let hasWebLink: Bool
    public let viewability: Viewability
    public let caps: [Cap]
    /// The advertiser's own URLs, loaded for each impression and each click.
    public let impressionTrackers: [String]
    public let clickTrackers: [String]

    /// *json*: the body of a serve response. Throws ``PlacardError`` with `invalid_response` where it lacks a field that
    /// cannot be done without.
    init(_ json: JSONValue) throws(PlacardError) {
        format = try Self.required(json, "format")
        trackToken = try Self.required(json, "track_token")
        clickURL = try Self.required(json, "click_url")
        hasWebLink = Self.isWebLink(clickURL)
        decisionID = json["decision_id"]?.text ?? ""
        adID = json["ad_id"]?.text ?? ""
        campaignID = json["campaign_id"]?.text ?? ""
        slotID = json["slot_id"]?.text ?? ""
        propertyID = json["property_id"]?.text ?? ""
        width = json["width"]?.int(within: Content.points)
        height = json["height"]?.int(within: Content.points)
        content = Content(json["content"])
        html = json["html"]?.text ?? ""
        impressionURL = json["impression_url"]?.text ?? ""
        source = json["source"]?.text ?? ""
        isTest = json["is_test"]?.flag ?? false
        ttlSeconds = json["ttl_seconds"]?.int(within: JSONValue.seconds) ?? 0
        hasDestination = json["has_destination"]?.flag ?? true
        let usual = Viewability()
        viewability = Viewability(
            ratio: json["viewability"]?["ratio"]?.number ?? usual.ratio,
            durationMs: json["viewability"]?["duration_ms"]?.int(within: 0...600_000) ?? usual.durationMs)
        caps = (json["caps"]?.items ?? []).compactMap { cap in
            guard let name = cap["name"]?.text, let window = cap["window_seconds"]?.int(within: JSONValue.seconds)
            else { return nil }
            return Cap(name: name, event: cap["event"]?.text ?? "", windowSeconds: window)
        }
        impressionTrackers = Self.trackers(json, "impression_urls")
        clickTrackers = Self.trackers(json, "click_urls")
    }

    /// Also safe inside an attribute of an html ad.
    private static func isWebLink(_ url: String) -> Bool {
        guard let rest = ["https:", "http:"].first(where: url.hasPrefix).map({ url.dropFirst($0.count) }) else {
            return false
        }
        return !rest.isEmpty && !rest.unicodeScalars.contains { $0.properties.isWhitespace || unsafe.contains($0) }
    }

    private static let unsafe: Set<Unicode.Scalar> = ["\"", "'", "<", ">", "&"]

    private static func required(_ json: JSONValue, _ name: String) throws(PlacardError) -> String {
        guard let text = json[name]?.text else {
            throw PlacardError(code: "invalid_response", message: "The edge's response has no \(name).", status: 200)
        }
        return text
    }

    private static func trackers(_ json: JSONValue, _ name: String) -> [String] {
        (json["tracking"]?[name]?.items ?? []).compactMap(\.text).filter { $0.hasPrefix("https:") }
    }
}
