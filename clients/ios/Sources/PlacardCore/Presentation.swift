import Foundation

/// How an ad is shown: what any view of it has to do, whatever draws it.
package enum Presentation: Sendable, Equatable {
    case picture(Picture)
    /// A whole page for a web view. *isWholeLink*: the markup has no link of its own, so that all of the ad is one.
    case page(String, isWholeLink: Bool)
    case native
    case audio(Medium)
    case video(Medium)

    /// Throws ``PlacardError`` with `render` where this version cannot show the ad.
    package static func of(_ ad: Ad) throws(PlacardError) -> Presentation {
        if !ad.hasWebLink { throw failed("The ad's click URL is not a URL of the web.") }
        let content = ad.content
        if let url = content.imageURL {
            let (width, height) = (content.width ?? ad.width, content.height ?? ad.height)
            return .picture(Picture(url: url, alt: content.alt, width: width, height: height))
        }
        switch ad.format {
        case "html":
            let markup = content.html ?? ""
            return .page(page(markup, ad.clickURL), isWholeLink: ad.hasDestination && !markup.contains(clickMacro))
        case "native": return .native
        case "audio": return .audio(try medium(ad))
        case "video": return .video(try medium(ad))
        default: throw failed("This version cannot show the format \(ad.format).")
        }
    }

    /// What following *url* inside a page of *ad* does.
    package static func follow(_ url: String, of ad: Ad, byUser: Bool) -> Followed {
        if !byUser { return .nothing }
        if url.hasPrefix(ad.clickURL) { return .click(url) }
        return url.hasPrefix("https:") || url.hasPrefix("http:") ? .open(url) : .nothing
    }

    package enum Followed: Sendable, Equatable {
        case click(String)
        case open(String)
        /// The page stays as it is, and nothing is opened.
        case nothing
    }

    private static let clickMacro = "{click_url}"

    /// The size is the ad's own: the page may neither scale nor scroll.
    private static func page(_ markup: String, _ clickURL: String) -> String {
        """
        <!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">\
        <style>body{margin:0;overflow:hidden}</style>\
        \(markup.replacingOccurrences(of: clickMacro, with: clickURL))
        """
    }

    private static func medium(_ ad: Ad) throws(PlacardError) -> Medium {
        guard let first = ad.content.media.first else { throw failed("The ad has no medium.") }
        return first
    }

    private static func failed(_ message: String) -> PlacardError { PlacardError(code: "render", message: message) }
}
