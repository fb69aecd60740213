#if canImport(UIKit) && canImport(WebKit)
    import PlacardCore
    import UIKit

    /// A picture of its own size, smaller where there is less room.
    final class PictureAdView: LinkView, RenderedAd {
        private let picture = UIImageView()
        let isBusy = false

        init(_ content: Picture, _ showing: Showing) {
            super.init(showing, spoken: content.alt)
            picture.contentMode = .scaleAspectFit
            fill(with: picture)
            prefer(width: content.width, height: content.height)
        }

        var image: UIImage? {
            get { picture.image }
            set { picture.image = newValue }
        }

        func pause() {}

        func end() {}
    }

    /// Loads and decodes pictures, neither of them on the main thread.
    enum Pictures {
        /// Wider or higher pictures are made smaller: no screen shows more of an ad.
        private static let maxPixels: CGFloat = 2048

        /// Nil where the picture could not be loaded.
        static func load(_ url: String, _ client: PlacardClient) async -> UIImage? {
            guard let data = await client.load(url), let image = UIImage(data: data) else { return nil }
            let (width, height) = (image.size.width * image.scale, image.size.height * image.scale)
            guard width > 0, height > 0 else { return nil }
            if max(width, height) <= maxPixels { return await image.byPreparingForDisplay() }
            let factor = maxPixels / max(width, height)
            return await image.byPreparingThumbnail(ofSize: CGSize(width: width * factor, height: height * factor))
        }
    }

    /// Says in its corner that an ad is one.
    @MainActor
    enum AdLabel {
        static func make(isTest: Bool) -> UIView {
            let words = Words.ofDevice
            let label = UILabel()
            label.text = isTest ? words.test : words.ad
            label.font = .systemFont(ofSize: 10)
            label.textColor = isTest ? .white : .black
            // Dark orange: white on it has a contrast of 5.6.
            label.backgroundColor = isTest ? UIColor(red: 0.651, green: 0.271, blue: 0, alpha: 1) : .white
            label.isUserInteractionEnabled = false
            return label
        }
    }
#endif
